/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From which count on something is hot. */
#ifndef PF_PLUGIN_HEAT_H
#define PF_PLUGIN_HEAT_H

#include "profile/model.h"

/* The lowest hot count of a profile, in its own unit: one of FRACTION parts of its maximum (0: nothing is hot but
 * that), but not less than several sightings, nor than a small share of the profile's total.  From 1 to the profile's
 * maximum (or 1). */
uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned fraction);

#endif
