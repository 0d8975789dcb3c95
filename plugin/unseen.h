/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that no look saw, in a function that few looks know or none. */
#ifndef PF_PLUGIN_UNSEEN_H
#define PF_PLUGIN_UNSEEN_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Gives the loops of the current function that have no count, and that vectors may make faster, COUNT for guess.  Needs
 * dominators and loops, and the counts of the rest. */
void keep_loops(uint64_t count);

/* Has the loops of the function DECL as they are without a profile, wherever they get to be, but for those of which the
 * source says more: neither unrolled nor peeled nor vectorised, unless its own flags ask for that.  What constants make
 * turn so many times is left to the compiler, which does as much to it at -O2. */
void leave_loops(tree decl);

} // namespace pathfdo

#endif
