/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What functions of shared libraries take for the same calls.  strcmp reads a vector at a time, and another way where a
 * string lies near the end of a page: two builds that call it as often, with the same strings, execute other numbers of
 * instructions, by where the linker has put the strings.  In a program that compares many it is a quarter of what a
 * profile gains, for the one build or the other, and nothing that a compiler does.
 *
 * A function is judged if it calls nothing, so that its work depends on its arguments alone, and if both builds call it
 * equally often. */
#ifndef PF_ANALYSIS_SAME_CALLS_H
#define PF_ANALYSIS_SAME_CALLS_H

#include <jansson.h>
#include <stdint.h>

/* By how many instructions two builds differ for the same calls. */
struct pf_same_calls_gap {
	int64_t instructions; /* what the other build has more */
	const char *largest;  /* the function that has most of it, as named in the objects; NULL: none differs */
	int64_t of_largest;
	uint64_t calls; /* of that one */
};

/* Compares OTHER with BASE, the libraries of two pf_executed. */
struct pf_same_calls_gap pf_same_calls_compare(const json_t *base, json_t *other);

#endif
