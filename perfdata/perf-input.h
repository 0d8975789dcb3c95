/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a regular file through one sliding window, so that a file of many gigabytes costs a megabyte of memory and a
 * file that shrinks under us is an error instead of a SIGBUS. */
#ifndef PF_PERFDATA_PERF_INPUT_H
#define PF_PERFDATA_PERF_INPUT_H

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_input {
	char *path; /* owned */
	int fd;
	uint64_t size;   /* of the file */
	uint8_t *window; /* owned */
	uint64_t start;  /* file offset of the window */
	size_t filled;   /* bytes in it */
};

/* Opens PATH, which must be a regular file.  PF_EIO, PF_ENOMEM, PF_EUNSUPPORTED (a directory, a pipe).  On failure
 * nothing is left to release. */
int pf_input_open(struct pf_input *input, const char *path, struct pf_error *error);
void pf_input_close(struct pf_input *input);

/* Points *BYTES at SIZE bytes at OFFSET; SIZE must not exceed PF_INPUT_MAX.  They live until the next call.
 * PF_ETRUNCATED beyond the end, PF_EIO. */
#define PF_INPUT_MAX (128u * 1024)
int pf_input_get(struct pf_input *input, uint64_t offset, size_t size, const uint8_t **bytes, struct pf_error *error);

/* Reads SIZE bytes at OFFSET into memory that the caller frees; any size, checked against the file's before it is
 * allocated.  PF_ETRUNCATED, PF_EIO, PF_ENOMEM.  WHAT names them in the message. */
int pf_input_load(struct pf_input *input, uint64_t offset, uint64_t size, const char *what, uint8_t **bytes,
		  struct pf_error *error);

#endif
