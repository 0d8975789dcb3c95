/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one error convention of the libraries: a function that can fail returns a negative pf_status and, when the
 * caller passed an error object, leaves one finished sentence in it.  Only cli/ and the plugin glue print.
 * The sentence names the file, the offset where there is one, what is wrong, and what to do about it. */
#ifndef PF_SUPPORT_ERROR_H
#define PF_SUPPORT_ERROR_H

#include <stdarg.h>

enum pf_status {
	PF_OK = 0,
	PF_ENOMEM = -1,       /* out of memory */
	PF_EIO = -2,          /* open, read, write, rename failed; the text holds strerror */
	PF_EFORMAT = -3,      /* not this kind of file, or a field that contradicts the format */
	PF_ETRUNCATED = -4,   /* the file ends before what it announces */
	PF_EVERSION = -5,     /* a version of the format that this build does not read */
	PF_ENOTFOUND = -6,    /* a file, function or build-id that was asked for is not there */
	PF_EMISMATCH = -7,    /* two inputs do not belong together (binary and samples, profile and profile) */
	PF_ENODEBUG = -8,     /* a binary without usable debug information */
	PF_EUNSUPPORTED = -9, /* valid, but this build or this machine cannot */
	PF_EEMPTY = -10,      /* nothing in it to work with */
	PF_EINVAL = -11,      /* the caller's argument is out of range */
	PF_ELIMIT = -12,      /* larger than a documented limit */
	PF_EINTERNAL = -13,   /* a contradiction that only a fault of pathfdo itself can make */
};

/* An error's sentence, owned by the caller, usually on its stack; needs no initialisation nor release. */
struct pf_error {
	int code; /* the pf_status that the failing function returned */
	char text[1024];
};

/* Formats the sentence into ERROR (which may be NULL) and returns CODE, so that a caller can write
 * `return pf_fail(error, PF_EFORMAT, "%s: ...", path);`.  Control characters become question marks, as ls has them. */
int pf_fail(struct pf_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4), cold));

/* As pf_fail, with a va_list. */
int pf_vfail(struct pf_error *error, int code, const char *format, va_list arguments);

#endif
