/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of what GCC splits off functions. */
#ifndef PF_PLUGIN_SPLITS_H
#define PF_PLUGIN_SPLITS_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Registers the pass; WANTED says whether the unit is known to the profile. */
void splits_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
