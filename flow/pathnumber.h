/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ball-Larus numbering: each acyclic path of a flow graph has a number, the sum of values on its edges (Ball and Larus,
 * "Efficient Path Profiling", 1996; Ammons, Ball and Larus 1997, section 2).
 *
 * A path starts at the entry, or where an edge that is cut leads; it ends at the exit, with an edge that is cut, or in
 * a block without successors.  Cut are the edges that go back in depth-first order, those that the caller wants, and so
 * many others that no block begins more than a given number of path ends: these regions keep numbers in 64 bits,
 * however large a function is. */
#ifndef PF_FLOW_PATHNUMBER_H
#define PF_FLOW_PATHNUMBER_H

#include "flow/graph.h"

#include <stddef.h>

#define PF_PATHNUMBER_REGION (UINT64_C(1) << 31) /* a bound for which nothing overflows in any graph */

struct pf_pathnumber {
	const struct pf_graph *graph; /* the caller's; must outlive it */
	uint64_t count;               /* of all paths; they are numbered from 0 */
	uint64_t *ends;   /* of each block: ways to go on to an end of a path; 0 if the entry does not reach it */
	uint64_t *ways;   /* of each block: ways to come there from starts, at most UINT64_MAX; 0 as above */
	uint64_t *value;  /* of each edge */
	bool *cut;        /* of each edge: it ends a path, and the next one starts where it leads */
	uint64_t *first;  /* of each block that is a start: its lowest number; UINT64_MAX of others */
	uint32_t *starts; /* these blocks, by their lowest number */
	uint32_t start_count;
};

/* Numbers the paths of GRAPH (finished) with regions of at most LIMIT ways, which is at least 1 and at most
 * PF_PATHNUMBER_REGION.  CUT tells of each edge whether it is to be cut whatever it does; NULL: none.  0, or -1 when
 * out of memory, in which case nothing is left to release. */
int pf_pathnumber_init(struct pf_pathnumber *n, const struct pf_graph *graph, const bool *cut, uint64_t limit);
void pf_pathnumber_fini(struct pf_pathnumber *n);

/* Whether EDGE ends a path: it is cut, or leads to the exit. */
bool pf_pathnumber_is_end(const struct pf_pathnumber *n, uint32_t edge);

/* The number of the path from START along the COUNT EDGES. */
uint64_t pf_pathnumber_of(const struct pf_pathnumber *n, uint32_t start, const uint32_t *edges, size_t count);

/* The path NUMBER, which is below n->count: its start, and its edges in EDGES, which has room for as many as the graph
 * has blocks; returns how many these are. */
uint32_t pf_pathnumber_path(const struct pf_pathnumber *n, uint64_t number, uint32_t *start, uint32_t *edges);

#endif
