/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of what callgrind counts is repetition of string instructions.  It counts `rep stosb` once for each byte,
 * the processor once: a program in which memset became a call of the C library, or ceased to be one, would seem to have
 * gained or lost what no processor executes. */
#ifndef PF_ANALYSIS_REPEATS_H
#define PF_ANALYSIS_REPEATS_H

#include <stdint.h>

#include "support/error.h"

/* Sets *REPEATED to what PATH, written by valgrind --tool=callgrind --dump-instr=yes, counts at instructions with a
 * repeat prefix, in all objects that are still files.  As pf_callgrind_read. */
int pf_repeats_read(const char *path, uint64_t *repeated, struct pf_error *error);

#endif
