/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of blocks that run equally often because conservation of flow leaves them no choice. */
#ifndef PF_FLOW_EQUIVALENCE_H
#define PF_FLOW_EQUIVALENCE_H

#include "flow/graph.h"

/* Sets CLASSES[b] for each block of GRAPH (finished) to the lowest block of its class.  Two blocks are of one class if
 * every cycle through one of them passes the other, where the end of the function leads back to its entry: one
 * dominates the other, is post-dominated by it, and no loop holds one without the other.  Ends are EXIT, blocks
 * without successors and infinite loops as in flow/order.h.  A block that ENTRY does not reach is alone.
 * 0, or -1 when out of memory. */
int pf_equivalence(const struct pf_graph *graph, uint32_t *classes);

#endif
