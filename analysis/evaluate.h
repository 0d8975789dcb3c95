/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From measurements to results: each program by itself, then the means over them. */
#ifndef PF_ANALYSIS_EVALUATE_H
#define PF_ANALYSIS_EVALUATE_H

#include "analysis/results.h"

/* Computes all from COMPARISON, which must outlive RESULTS; released by pf_results_fini.  PF_ENOMEM; on failure there
 * is nothing to release. */
int pf_evaluate(struct pf_results *results, const struct pf_comparison *comparison, unsigned resamples,
		struct pf_error *error);

#endif
