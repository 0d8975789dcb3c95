/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A coverage beside the exact counts of the same work (Shye 2005, sections 5.3 and 5.5). */
#ifndef PF_ANALYSIS_COVERAGE_TRUTH_H
#define PF_ANALYSIS_COVERAGE_TRUTH_H

#include "analysis/callgrind.h"
#include "analysis/coverage-blocks.h"

#define PF_COVERAGE_TENTHS 10

struct pf_coverage_truth {
	uint64_t executed;                      /* instructions of the functions that ran */
	uint64_t found[PF_COVERAGE_KINDS];      /* of these, covered */
	uint64_t wrong[PF_COVERAGE_KINDS];      /* covered, and never ran */
	double entropy_single, entropy_vectors; /* bits: relative entropy of the exact counts to the sampled ones */
	double tenths[PF_COVERAGE_TENTHS][PF_COVERAGE_KINDS]; /* share covered of each tenth of the instructions that
							       * ran, the most frequent first */
};

/* Compares C, which is finished.
 *
 * The relative entropy is the sum of p log2(p/q) over all instructions, p being the share of the exact counts.  It has
 * no value where q is 0, so half a sighting is added to each instruction in q (the estimate of Krichevsky and
 * Trofimov).  PF_EEMPTY (the exact counts have none of the binary's functions), PF_ENOMEM. */
int pf_coverage_compare(const struct pf_coverage *c, const struct pf_exact_counts *counts,
			struct pf_coverage_truth *truth, struct pf_error *error);

#endif
