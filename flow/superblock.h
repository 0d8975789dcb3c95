/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Superblocks from paths (C. Young, M. D. Smith: `Better Global Scheduling Using Path Profiles', MICRO 1998): which
 * blocks to copy so that a way through the graph that knows where it came from is not joined by others. */
#ifndef PF_FLOW_SUPERBLOCK_H
#define PF_FLOW_SUPERBLOCK_H

#include "flow/graph.h"
#include "flow/history.h"

struct pf_superblock_task {
	const struct pf_graph *graph; /* finished; a block passes on what it has, unless it has no successors */
	const struct pf_history *history;
	const uint32_t *decisions; /* of each edge, as the history has them; 0: none.  One that several edges have is
				    * the same statement in several copies */
	const uint32_t *sizes;     /* of each block, in instructions */
	const bool *fixed;         /* of each block: not to be copied */
	const bool *rigid;         /* of each edge: cannot be led elsewhere */
	double least;    /* a trace goes on while its next block is at least so likely, given the path so far */
	double prior;    /* sightings, as pf_history_predict has it */
	double price;    /* taken branches to be saved for each instruction that is copied; above 0 */
	uint64_t budget; /* instructions that may be copied */
};

/* BLOCK gets a copy, which takes over the edge that leads to it from FROM; the copy's edges lead where BLOCK's do.
 * FROM and BLOCK may be copies. */
struct pf_superblock_copy {
	uint32_t from, block, copy;
};

struct pf_superblocks {
	struct pf_superblock_copy *copies; /* to be made in this order */
	uint32_t count;
	struct pf_graph *graph; /* with the copies, numbered from the last block on; edges of a copy are in the order of
				 * the original's.  Counts conserve flow where the task's do */
	uint64_t size;          /* instructions copied */
	double saved;           /* branches that need no longer be taken, if each block is followed by its most frequent
				 * successor */
};

/* Forms the superblocks.  A way into a block that is joined by others is a seed if decisions are known that lead to it,
 * and the hottest come first.  The same task gives the same result.  0, or -1 when out of memory. */
int pf_superblocks_form(const struct pf_superblock_task *task, struct pf_superblocks *result);
void pf_superblocks_fini(struct pf_superblocks *result);

#endif
