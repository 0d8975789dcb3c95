/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How near an estimated profile is to the actual one: the single implementation behind tests, `pathfdo diff`, the
 * plugin's truth mode and the benchmarks.
 *
 * Profiles come as weights by key (a block, an edge, a path: whatever 64 bits identify).  Their scales need not agree:
 * where a metric compares distributions, P and Q below are the weights divided by their sums. */
#ifndef PF_FLOW_METRICS_H
#define PF_FLOW_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_weight {
	uint64_t key;
	double weight; /* >= 0; negative and NaN count as 0 */
};

/* One key in both profiles; absent is 0. */
struct pf_weight_pair {
	uint64_t key;
	double estimate, actual;
};

/* Joins two profiles by key; keys that occur more than once are added up.  *PAIRS, by ascending key, is the caller's to
 * free(). Returns their number, or SIZE_MAX when out of memory. */
size_t pf_metrics_join(const struct pf_weight *estimate, size_t estimate_count, const struct pf_weight *actual,
		       size_t actual_count, struct pf_weight_pair **pairs);

/* Overlap: the sum over all keys of min(p, q), 0 to 1; 1 if both are empty, 0 if one is.  (Feller, "Value Profiling";
 * used for sampled profiles by Arnold and Ryder, PLDI 2001, as overlap percentage.) */
double pf_metrics_overlap(const struct pf_weight_pair *pairs, size_t count);

/* How often either profile saw a branch of any number of ways go one way. */
struct pf_edge_pair {
	uint64_t branch, to;
	double estimate, actual; /* >= 0 */
};

struct pf_direction_mismatch {
	size_t branches; /* with weight in both profiles */
	size_t wrong;    /* of those, where the most frequent way of one is not a most frequent one of the other */
	double share; /* weight of the wrong ones in that of all, both profiles counting equally; 0 if there are none */
};

/* Compares where branches mostly go, with neither profile taken for the truth.  EDGES, in any order, may hold an edge
 * more than once (each profile's half apart, for example): they are sorted, and equal ones added up, in place. */
struct pf_direction_mismatch pf_metrics_mismatch(struct pf_edge_pair *edges, size_t count);

#endif
