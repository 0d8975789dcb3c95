/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A path profile beside the exact one (Shye 2005, section 4.6, after Wall's weight matching). */
#ifndef PF_ANALYSIS_PATH_ACCURACY_H
#define PF_ANALYSIS_PATH_ACCURACY_H

#include "analysis/pathprofile.h"

/* How many paths of P, which is credited, have at least the share THRESHOLD of all flow; *FLOW is theirs together. */
size_t pf_path_hot(const struct pf_path_profile *p, double threshold, double *flow);

struct pf_path_accuracy {
	size_t hot;      /* paths of the exact profile at the threshold */
	double flow;     /* share of all flow that they have */
	double accuracy; /* share of it in those of them that are among as many of the hottest paths of the estimate */
	double overlap;  /* sum over all paths of the lesser of both shares */
};

/* Compares ESTIMATE with EXACT, both credited, of one subject, and not empty.  PF_ENOMEM. */
int pf_path_compare(const struct pf_path_profile *estimate, const struct pf_path_profile *exact, double threshold,
		    struct pf_path_accuracy *accuracy);

#endif
