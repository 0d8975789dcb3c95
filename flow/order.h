/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Depth-first orders of a flow graph, the base of everything that has a direction. */
#ifndef PF_FLOW_ORDER_H
#define PF_FLOW_ORDER_H

#include "flow/graph.h"

struct pf_order {
	uint32_t count;     /* blocks reached */
	uint32_t *blocks;   /* [count] in reverse post-order, the root first; owned */
	uint32_t *position; /* [block_count] index in BLOCKS, or PF_ORDER_NONE for what was not reached; owned */
};

#define PF_ORDER_NONE UINT32_MAX

/* Reverse post-order of what ROOT reaches along the edges (BACKWARD: against them) of GRAPH (finished).
 * 0, or -1 when out of memory, in which case nothing is left to release. */
int pf_order_init(struct pf_order *order, const struct pf_graph *graph, uint32_t root, bool backward);

/* Releases the arrays; a zeroed order is accepted. */
void pf_order_fini(struct pf_order *order);

/* The blocks that ENTRY reaches and in which control ends: EXIT and blocks without successors, in reverse post-order,
 * then for each infinite loop that is left the block of it that comes last in reverse post-order.  ORDER is the
 * forward order from ENTRY; ENDS has room for order->count blocks; *ENDLESS becomes the number of the first kind.
 * Returns the number of all, or PF_ORDER_NONE when out of memory. */
uint32_t pf_order_ends(const struct pf_order *order, const struct pf_graph *graph, uint32_t *ends, uint32_t *endless);

#endif
