/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile knows of a line, brought down to one count and the targets of one call (see gcov-tree.c for why). */
#ifndef PF_PROFILE_GCOV_REDUCE_H
#define PF_PROFILE_GCOV_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/* A record or a call target of the profile. */
struct pf_gcov_row {
	uint32_t instance;               /* the merged instance that it is in */
	uint32_t offset;                 /* as in the file: the line's in the upper half */
	uint32_t function, node, column; /* of the profile: where it comes from */
	uint32_t name;                   /* of a target */
	uint64_t count;
};

struct pf_gcov_rows {
	struct pf_gcov_row *items;
	size_t count;
};

/* Leaves one row for each line of an instance, by instance and line: the highest count within a function, the sum of
 * that over functions. */
void pf_gcov_reduce_lines(struct pf_gcov_rows *rows);

/* Leaves one row for each target of a line, by instance, line and name: within a function those of the call with most
 * targets (among equals of the one with the highest counts), the sum of that over functions. */
void pf_gcov_reduce_targets(struct pf_gcov_rows *rows);

#endif
