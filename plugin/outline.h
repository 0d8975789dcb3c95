/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outline of a function's source: where it has code, whom it calls there, and where it decides.  The compiler knows
 * it of today's source, a profile of that which was profiled. */
#ifndef PF_PLUGIN_OUTLINE_H
#define PF_PLUGIN_OUTLINE_H

#include "profile/model.h"

/* One position; what calls somebody is there once more for each name that the callee goes by, and a condition once
 * more as one. */
struct pf_spot {
	int32_t line; /* as in struct pf_position */
	uint32_t column;
	uint64_t call; /* hash of the callee's name; 0: the position itself; PF_CONDITION */
};

#define PF_CONDITION 1 /* no name's hash */

/* A zeroed one is empty.  Sorted by line, column and call, each spot once, from pf_outline_sort on. */
struct pf_outline {
	struct pf_spot *at; /* owned */
	size_t count, capacity;
};

/* Adds a position, and that NAME (may be NULL) is called there.  False when out of memory. */
bool pf_outline_add(struct pf_outline *outline, const struct pf_position *position, const char *name);

/* Adds that control goes one way or another from a position on. */
bool pf_outline_add_condition(struct pf_outline *outline, const struct pf_position *position);

/* Adds what FUNCTION knows of the source of its nodes, each node's to OUTLINES[node] (NULL: not wanted): the positions
 * of its records, the calls that were seen there and those that were inlined.  False when out of memory. */
bool pf_outline_add_nodes(struct pf_outline *const *outlines, const struct pf_function *function);

/* Adds all spots of ANOTHER.  False when out of memory. */
bool pf_outline_add_all(struct pf_outline *outline, const struct pf_outline *another);

void pf_outline_sort(struct pf_outline *outline);
void pf_outline_fini(struct pf_outline *outline);

/* As struct pf_spot has the name of a callee. */
uint64_t pf_outline_call(const char *name);

/* Whether a sorted outline has the spot. */
bool pf_outline_has(const struct pf_outline *outline, int32_t line, uint32_t column, uint64_t call);

/* The first spot of a sorted outline in LINE or behind it; the number of spots if there is none. */
uint32_t pf_outline_first(const struct pf_outline *outline, int32_t line);

#endif
