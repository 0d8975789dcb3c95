/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What chance in the recording makes of a gain: the lowest and the highest of several. */
#ifndef PF_ANALYSIS_SPREAD_H
#define PF_ANALYSIS_SPREAD_H

#include "analysis/results.h"

/* Fills recordings, lowest and highest in the gains of program AT, which are computed.  False when out of memory. */
bool pf_spread_compute(struct pf_results *results, size_t at);

#endif
