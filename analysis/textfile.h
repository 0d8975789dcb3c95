/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text file, line by line. */
#ifndef PF_ANALYSIS_TEXTFILE_H
#define PF_ANALYSIS_TEXTFILE_H

#include "support/buffer.h"
#include "support/cursor.h"
#include "support/error.h"

struct pf_textfile {
	const char *path; /* for messages; the caller's */
	struct pf_buffer bytes, copy;
	struct pf_cursor cursor;
	const char *line; /* without its end, "\n" or "\r\n"; until the next call of pf_textfile_next */
	uint64_t number;  /* of the line, from 1 */
};

/* Reads PATH.  Errors of pf_wholefile_read.  *T is the caller's, to pf_textfile_close, in any case. */
int pf_textfile_open(struct pf_textfile *t, const char *path, struct pf_error *error);

/* The same over SIZE bytes at BYTES, which must outlive T. */
void pf_textfile_over(struct pf_textfile *t, const void *bytes, size_t size, const char *path);
void pf_textfile_close(struct pf_textfile *t);

/* Goes to the next line: 1, 0 at the end, PF_EFORMAT (a NUL byte), PF_ENOMEM. */
int pf_textfile_next(struct pf_textfile *t, struct pf_error *error);

/* Whether the line at *AT begins with WORD; *AT is then behind it. */
bool pf_textfile_word(const char **at, const char *word);

/* Whether a decimal (BASE 10) or hexadecimal (16, with or without 0x) number is at *AT, blanks passed over; *AT is then
 * behind it. */
bool pf_textfile_number(const char **at, int base, uint64_t *value);

#endif
