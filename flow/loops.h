/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop forest: natural loops and irreducible regions, nested. */
#ifndef PF_FLOW_LOOPS_H
#define PF_FLOW_LOOPS_H

#include "flow/graph.h"

#define PF_NO_LOOP UINT32_MAX

struct pf_loop {
	uint32_t header;  /* of an irreducible region: its entry that comes first in reverse post-order */
	uint32_t parent;  /* the loop around it, or PF_NO_LOOP; parents come before their children */
	uint32_t depth;   /* 1 for an outermost loop */
	uint32_t blocks;  /* in it, those of inner loops included */
	bool irreducible; /* it is entered at more than one block */
};

struct pf_loops {
	uint32_t count;
	struct pf_loop *loops; /* owned */
	uint32_t *innermost;   /* one a block: the innermost loop it is in, or PF_NO_LOOP; owned */
};

/* Finds the loops of what ENTRY of GRAPH (finished) reaches.  0, or -1 when out of memory, in which case nothing is
 * left to release. */
int pf_loops_init(struct pf_loops *loops, const struct pf_graph *graph);
void pf_loops_fini(struct pf_loops *loops);

#endif
