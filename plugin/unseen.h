/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that no look saw in a function that few looks know. */
#ifndef PF_PLUGIN_UNSEEN_H
#define PF_PLUGIN_UNSEEN_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Gives the loops of the current function that have no count, and that vectors may make faster, COUNT for guess.  Needs
 * dominators and loops, and the counts of the rest. */
void keep_loops(uint64_t count);

} // namespace pathfdo

#endif
