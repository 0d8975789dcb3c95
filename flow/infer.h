/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Count inference: the flow-conserving counts nearest to what was measured, by minimum-cost flow, after Levin,
 * Newman and Haber (2008) and its use in profi and BOLT.  Costs of raising or lowering a count are per unit and
 * differ by what kind of evidence stands behind it. */
#ifndef PF_FLOW_INFER_H
#define PF_FLOW_INFER_H

#include "flow/graph.h"

struct pf_infer_costs {
	uint32_t block_increase, block_decrease; /* measured block: 10, 20 */
	uint32_t entry_increase, entry_decrease; /* the entry block: 40, 10 */
	uint32_t zero_increase;                  /* measured as zero: 11 */
	uint32_t unknown_increase;               /* block without a measurement: 0 */
	uint32_t edge_increase, edge_decrease;   /* measured edge: 150, 150 */
	uint32_t unknown_edge;                   /* edge without a measurement: 1 */
	uint32_t unknown_fallthrough;            /* the same, that falls through: 0 */
	uint32_t certain_factor;                 /* multiplies the costs of PF_CERTAIN counts: 100 */
	uint32_t unlikely;                       /* flow through something unlikely: 2^30 */
};

extern const struct pf_infer_costs pf_infer_default_costs;

struct pf_infer_result {
	uint64_t cost;    /* of the flow found; 0 when the input was consistent */
	uint32_t islands; /* hot regions that had to be joined to entry and exit */
	bool approximate; /* above the size limit: propagated rather than solved */
};

/* Replaces the counts of GRAPH (finished) by inferred ones.  Flow is conserved exactly: for every block but entry and
 * exit, count = sum of incoming = sum of outgoing edge counts; entry's count = sum of outgoing, exit's = sum of
 * incoming (blocks that never return and infinite loops drain through the cheapest way there is; see infer.c).
 * Subgraphs without any measurement share their flow by the edges' guesses, or evenly.  COSTS may be NULL for the
 * defaults.  Deterministic.  0, or -1 when out of memory. */
int pf_infer(struct pf_graph *graph, const struct pf_infer_costs *costs, struct pf_infer_result *result);

#endif
