/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From which count on something is hot. */
#ifndef PF_PLUGIN_HEAT_H
#define PF_PLUGIN_HEAT_H

#include "profile/model.h"

/* The lowest hot count of a profile, in its own unit: that of the positions which make up PERMILLE of all executions,
 * as far as the summary's steps tell, but never less than several sightings, the lightest count of the profile being
 * one.  From 1 to the profile's maximum (or 1), whatever the summary claims. */
uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned permille);

#endif
