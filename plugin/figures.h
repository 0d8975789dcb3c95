/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far estimated counts are from true ones. */
#ifndef PF_PLUGIN_FIGURES_H
#define PF_PLUGIN_FIGURES_H

#include <stddef.h>
#include <stdint.h>

/* Sums of one function, or of many added up. */
struct pf_comparison {
	double truth, estimate;   /* sums of counts */
	double difference;        /* sum of |estimate - truth|, the estimates scaled to the truth's sum */
	double branch_weight;     /* sum of the true counts of the branches compared */
	double branch_difference; /* sum of |p - q| weighted by them */
	double misdirected; /* how often they did not go the way that is likelier by the estimate, beyond how often
			     * they do not go the one that truly is; an estimate of 1/2 is wrong half the time */
};

/* Adds COUNT blocks' differences, with the estimates brought to the same sum as the truths.  */
void pf_compare_blocks(struct pf_comparison *c, const uint64_t *estimate, const uint64_t *truth, size_t count);

/* Adds one branch that truly ran COUNT times: estimated and true probability of its first successor. */
void pf_compare_branch(struct pf_comparison *c, double estimated, double true_probability, uint64_t count);

/* 0 perfect; 2 when nothing overlaps.  0 without anything to compare. */
double pf_compare_block_error(const struct pf_comparison *c);
double pf_compare_branch_error(const struct pf_comparison *c);

#endif
