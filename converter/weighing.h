/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each burst of a recording counts for.  doc/sampling.md derives it. */
#ifndef PF_CONVERTER_WEIGHING_H
#define PF_CONVERTER_WEIGHING_H

#include "converter/halves.h"
#include "converter/intake.h"
#include "converter/own-edges.h"
#include "perfdata/vectors.h"

/* The mean of what the bursts of V stand for, ns or events; 0 if there are none. */
double pf_mean_period(const struct pf_vectors *v);

/* Sets WEIGHTS[i] to what burst i of V counts for by itself, in 1/PF_WEIGHT_ONE.  OWN: V's edges.  Of OPTIONS count the
 * weighting and the other recordings.  HALVES spans the bursts.  *PACED becomes true where the unit is no sighting: a
 * nominal period of branches of 4 ns is the same in all recordings, so that one of fast work and one of slow work add
 * up to what ran.  PF_ENOMEM. */
int pf_weights_find(const struct pf_vectors *v, const struct pf_own_edges *own, const struct pf_intake_options *options,
		    const struct pf_halves *halves, uint64_t *weights, bool *paced);

#endif
