/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are whole or absent: written without a name, or under a temporary one, in the same directory, and then
 * renamed into place.  They are not synced: what a crash of the machine leaves is the file system's affair.  "-" stands
 * for standard output, which is written to directly, and so are /dev/stdout, /dev/fd/3 and what else leads to a
 * descriptor of the process.  A path that exists and is no regular file (/dev/null, a pipe) is written to directly as
 * well.  A link to a file stays one, also where that is not there yet: the file is written, whole or not at all, in the
 * folder that it is in. */
#ifndef PF_SUPPORT_OUTFILE_H
#define PF_SUPPORT_OUTFILE_H

#include "support/buffer.h"
#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pf_outfile_options {
	bool keep;   /* the commit renames a file that is at PATH to PATH.old */
	char *saved; /* what cannot be made again: room for PATH_MAX characters, with "" in it; where the file cannot be
			put in its place or finished there it is put elsewhere, and that is its name; else NULL */
};

struct pf_outfile {
	FILE *stream;    /* write here; owned by the outfile, which must stay where it is */
	char *path;      /* final name as it was given, owned */
	char *target;    /* what that leads to, where it is a link, or else itself, owned */
	char *temporary; /* name until commit, owned; NULL when written directly */
	bool unnamed;    /* it has not got that name yet */
	bool keep;       /* as in the options */
	char *saved;
	int fd;                 /* behind the stream of a temporary file */
	size_t next;            /* of the other folders, the one to be tried next */
	bool moved;             /* that file is in another folder than PATH */
	bool failed;            /* nothing more can be written */
	int reason;             /* errno of what went wrong first, or 0 */
	char *old;              /* PATH.old, if what is at PATH could not be renamed to it; owned */
	struct pf_buffer tried; /* the other folders that were of no use, and why */
};

/* Opens PATH for writing; OPTIONS may be NULL.  PF_EIO (no name, a folder, or a file cannot be created there or take
 * the place of one: the text says where and why), PF_ENOMEM.  On failure nothing is left to release. */
int pf_outfile_open(struct pf_outfile *out, const char *path, const struct pf_outfile_options *options,
		    struct pf_error *error);

/* PF_EIO: that the stream could not be written to, and why. */
int pf_outfile_complain(const struct pf_outfile *out, struct pf_error *error);

/* Flushes and renames into place; on PF_EIO (disk full, for example) PATH is as it was before, and the temporary file
 * is gone, or has the name in options->saved: the first of PATH's folder, $TMPDIR or /tmp, and the current folder that
 * can hold it.  If none can, the text names them.  The outfile is released either way. */
int pf_outfile_commit(struct pf_outfile *out, struct pf_error *error);

/* Removes the temporary file and releases the outfile; does nothing on one that is committed or zeroed. */
void pf_outfile_abandon(struct pf_outfile *out);

/* PF_EINVAL if writing to OUTPUT would destroy the file INPUT, or a file of the recording that is the folder INPUT, by
 * whatever name: every command asks this of each of its inputs before it writes.  "-" as INPUT is standard input.  OK
 * if either is not there, is no regular file, is NULL, or OUTPUT is "-". */
int pf_outfile_spares(const char *output, const char *input, struct pf_error *error);

/* The same of an output with `keep`: what is there already takes the place of OUTPUT.old. */
int pf_outfile_keeps(const char *output, const char *input, struct pf_error *error);

/* Opens, writes SIZE bytes, commits. */
int pf_outfile_write(const char *path, const void *bytes, size_t size, struct pf_error *error);

#endif
