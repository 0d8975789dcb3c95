/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts that the compiler can calculate with. */
#ifndef PF_PLUGIN_LIMIT_H
#define PF_PLUGIN_LIMIT_H

#include "flow/graph.h"
#include "profile/model.h"

/* No count that is written is above this: the annotation scales small ones up to 2^27. */
#define PF_LIMIT_SAFE ((uint64_t)1 << 30)

/* What becomes of a profile's counts: divided by DIVISOR (at least 1; a count above zero stays above zero), and none
 * is above HIGHEST afterwards. */
struct pf_limit {
	uint64_t divisor, highest;
};

/* The limit for a profile whose highest record count is MAXIMUM. */
struct pf_limit pf_limit_of(uint64_t maximum);

uint64_t pf_limit_count(const struct pf_limit *limit, uint64_t count);

/* Limits all counts of FUNCTION in place; a head or a call that is above every record is limited like these. */
void pf_limit_function(const struct pf_limit *limit, struct pf_function *function);

/* Divides all counts of GRAPH so that none is above what is safe in a compiler; keeps their ratios. */
void pf_limit_graph(struct pf_graph *graph);

#endif
