/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast a program ran where a burst began.  Bursts begin in proportion to time, so what waits for memory is seen too
 * often and what does not too seldom; a burst that weighs its number of branches over the time that they took natively
 * stands for executions.  doc/sampling.md derives it. */
#ifndef PF_CONVERTER_PACE_H
#define PF_CONVERTER_PACE_H

#include "perfdata/vectors.h"

#include <stddef.h>

#define PF_PACE_ALL 2u

/* Sets PACES[i] to the ns that a branch took where burst i of V began; all to 0 if V tells of no times.  IDS: for each
 * edge of V a number below COUNT, the same for the same code, or PF_NO_EDGE.  HALF: PF_PACE_ALL, or 0 or 1, by the
 * times in that half of the recording, by DEAL of PF_HALVES_DEALS.  PF_ENOMEM. */
int pf_pace_find(const struct pf_vectors *v, const uint32_t *ids, size_t count, unsigned half, unsigned deal,
		 double *paces);

#endif
