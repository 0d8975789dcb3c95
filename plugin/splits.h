/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of what GCC splits off functions. */
#ifndef PF_PLUGIN_SPLITS_H
#define PF_PLUGIN_SPLITS_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Registers the pass. */
void splits_setup();

} // namespace pathfdo

#endif
