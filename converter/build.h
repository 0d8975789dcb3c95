/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the profile's record of one machine function: counts by position, call targets, branch outcomes, paths. */
#ifndef PF_CONVERTER_BUILD_H
#define PF_CONVERTER_BUILD_H

#include "converter/building.h"
#include "converter/paths.h"

/* Adds function INDEX of MODULE to PROFILE, and raises BUILT.  PF_ENOMEM. */
int pf_build_function(const struct pf_program *program, const struct pf_paths *paths, uint32_t module, uint32_t index,
		      struct pf_profile *profile, struct pf_built *built);

#endif
