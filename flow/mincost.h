/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimum-cost flow on any network with supplies, capacities and costs that are not negative. */
#ifndef PF_FLOW_MINCOST_H
#define PF_FLOW_MINCOST_H

#include <stdint.h>

#define PF_MINCOST_UNBOUNDED INT64_MAX

struct pf_mincost_arc {
	uint32_t from, to; /* nodes, different from each other */
	int64_t capacity;  /* >= 0, or PF_MINCOST_UNBOUNDED */
	int64_t cost;      /* >= 0, of one unit */
	int64_t flow;      /* out */
};

/* Finds the cheapest flow along ARCS that leaves every node with its SUPPLY (positive: so much must leave it;
 * negative: so much must arrive; the sum must be zero).  PENALTY is the price of leaving a unit unserved: more than any
 * path that could serve it may cost.  With N nodes, N * (highest cost) + 2 * PENALTY must stay below 2^62, and the
 * sum of positive supplies below 2^62.  Deterministic.
 * 0; 1 when some supply could not be served (the flows are then not valid); -1 when out of memory. */
int pf_mincost_solve(uint32_t node_count, const int64_t *supply, struct pf_mincost_arc *arcs, uint32_t arc_count,
		     int64_t penalty);

#endif
