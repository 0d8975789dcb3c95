/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which phase of a run a recorded burst is of: the hot spot that it is in. */
#ifndef PF_ANALYSIS_HOTSPOT_PHASES_H
#define PF_ANALYSIS_HOTSPOT_PHASES_H

#include "analysis/hotspot-run.h"

/* The hot spot of each burst of VECTORS, which R was fed with and nothing else: the one that has most of its branches,
 * if that is half of them or more, else PF_NO_HOTSPOT.  Also of bursts before it was found.  The caller's to free; NULL
 * when out of memory. */
uint32_t *pf_hotspot_phases(const struct pf_hotspot_run *r, const struct pf_vectors *vectors);

#endif
