/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each variant of one program gains. */
#ifndef PF_ANALYSIS_GAINS_H
#define PF_ANALYSIS_GAINS_H

#include "analysis/results.h"

/* Fills program AT of RESULTS, whose scratch and failures have room.  False when out of memory. */
bool pf_gains_compute(struct pf_results *results, size_t at);

#endif
