/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processes of a program execute, by callgrind.  Repetitions of string instructions are left out everywhere:
 * it counts `rep stosb` once for each byte, the processor once, and a program in which memset became a call of the C
 * library, or ceased to be one, would seem to have gained or lost what no processor executes. */
#ifndef PF_ANALYSIS_EXECUTED_H
#define PF_ANALYSIS_EXECUTED_H

#include "support/error.h"

#include <jansson.h>
#include <stdint.h>

struct pf_executed {
	const char *program; /* the caller's: processes of other programs (shells) are passed over */
	const char *own;     /* the caller's: objects whose path does not begin with it are libraries */
	unsigned processes;
	uint64_t instructions; /* signal handlers' too, which callgrind's own summary has not */

	/* Of functions of libraries that call nothing: under the object's path and the function's name, with a blank
	 * between them, an array of calls and own instructions.  An object of the caller's. */
	json_t *libraries;
};

/* Adds what PATH, written by valgrind --tool=callgrind --dump-instr=yes, has of one process.  Errors of
 * pf_callgrind_text_open and pf_callgrind_text_next. */
int pf_executed_read(const char *path, struct pf_executed *executed, struct pf_error *error);

/* The same from SIZE bytes at BYTES. */
int pf_executed_parse(const void *bytes, size_t size, const char *path, struct pf_executed *executed,
		      struct pf_error *error);

#endif
