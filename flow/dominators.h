/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominator and post-dominator trees. */
#ifndef PF_FLOW_DOMINATORS_H
#define PF_FLOW_DOMINATORS_H

#include "flow/graph.h"

#define PF_NO_BLOCK UINT32_MAX

struct pf_dominators {
	uint32_t block_count;
	uint32_t *parent;        /* immediate dominator; PF_NO_BLOCK for the root and what it does not reach; owned */
	uint32_t *enter, *leave; /* preorder interval in the tree; enter is 0 for what is not in it; owned */
};

/* The dominator tree of what ENTRY of GRAPH (finished) reaches.  0, or -1 when out of memory, in which case nothing
 * is left to release. */
int pf_dominators_init(struct pf_dominators *tree, const struct pf_graph *graph);

/* The post-dominator tree.  Its root stands for every end of the function, EXIT or not: blocks without successors end
 * it too, and an infinite loop ends in the block of it that comes last in reverse post-order.  A block whose
 * immediate post-dominator is that root has PF_NO_BLOCK.  Errors as above. */
int pf_postdominators_init(struct pf_dominators *tree, const struct pf_graph *graph);
void pf_dominators_fini(struct pf_dominators *tree);

/* True if each path from the root to B passes A (A = B included); false if either is not in the tree. */
bool pf_dominates(const struct pf_dominators *tree, uint32_t a, uint32_t b);

#endif
