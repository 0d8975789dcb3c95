/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over groups of programs, and where soft loses most. */
#ifndef PF_ANALYSIS_MEANS_H
#define PF_ANALYSIS_MEANS_H

#include "analysis/results.h"

/* Fills means, overheads and losses of RESULTS, whose programs are computed. */
void pf_means_compute(struct pf_results *results);

#endif
