/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of a function's blocks by extended TSP (A. Newell, S. Pupyrev: `Improved Basic Block Reordering', IEEE
 * Transactions on Computers 2020): falling through counts most, short jumps count a little. */
#ifndef PF_FLOW_EXTTSP_H
#define PF_FLOW_EXTTSP_H

#include "flow/chaining.h"

/* How good an order is: the sum over the arcs of
 *   count                               where the target lies right behind the source,
 *   count * 1.05                        the same where the source goes on nowhere else: no jump is needed (as in LLVM),
 *   count * 0.1 * (1 - distance / 1024) forward over less than 1,024 bytes,
 *   count * 0.1 * (1 - distance / 640)  backward over less than 640,
 * with the distance in bytes from the source's end to the target's begin.  ORDER[i] is the block at place i; an arc of
 * a block to itself counts too.  Negative when out of memory. */
double pf_exttsp_score(uint32_t block_count, const uint64_t *sizes, const struct pf_arc *arcs, uint32_t arc_count,
		       const uint32_t *order);

struct pf_exttsp_result {
	bool kept;       /* the order given was at least as good and is what is returned */
	double score;    /* of the order returned */
	uint64_t judged; /* arcs that were looked at on the way: the work */
};

/* Orders BLOCK_COUNT blocks with SIZES in bytes; block 0 stays the first.  The blocks' numbers are the order so far:
 * the one found is not worse.  The same blocks and arcs give the same order on every machine.  0, or -1 when out of
 * memory. */
int pf_exttsp_order(uint32_t block_count, const uint64_t *sizes, const uint64_t *counts, const struct pf_arc *arcs,
		    uint32_t arc_count, uint32_t *order, struct pf_exttsp_result *result);

#endif
