/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All pictures of a report. */
#ifndef PF_ANALYSIS_CHARTS_H
#define PF_ANALYSIS_CHARTS_H

#include "analysis/results.h"
#include "support/buffer.h"

/* Appends those of RESULTS, each in a <figure>. */
void pf_charts_put(struct pf_buffer *out, const struct pf_results *results);

#endif
