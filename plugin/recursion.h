/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How deep functions are inlined into themselves. */
#ifndef PF_PLUGIN_RECURSION_H
#define PF_PLUGIN_RECURSION_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Registers the pass. */
void recursion_setup();

} // namespace pathfdo

#endif
