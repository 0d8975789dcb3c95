/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which a program's functions should lie in memory, as its profile has it. */
#ifndef PF_PROFILE_RANKING_H
#define PF_PROFILE_RANKING_H

#include "profile/model.h"

/* Sets RANKS, one for each function of the canonical PROFILE: its place in the order, from 1 on; 0 for a function of
 * which nothing ran.  Nothing but the profile decides.  PF_ENOMEM. */
int pf_profile_rank(const struct pf_profile *profile, uint32_t *ranks);

#endif
