/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Depth-first orders of a flow graph, the base of everything that has a direction. */
#ifndef PF_FLOW_ORDER_H
#define PF_FLOW_ORDER_H

#include "flow/graph.h"

struct pf_order {
	uint32_t count;	   /* blocks reached */
	uint32_t *blocks;  /* [count] in reverse post-order, the root first; owned */
	uint32_t *position; /* [block_count] index in BLOCKS, or PF_ORDER_NONE for what was not reached; owned */
};

#define PF_ORDER_NONE UINT32_MAX

/* Reverse post-order of what ROOT reaches along the edges (BACKWARD: against them) of GRAPH (finished).
 * 0, or -1 when out of memory, in which case nothing is left to release. */
int pf_order_init(struct pf_order *order, const struct pf_graph *graph, uint32_t root, bool backward);

/* Releases the arrays; a zeroed order is accepted. */
void pf_order_fini(struct pf_order *order);

#endif
