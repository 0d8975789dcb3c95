/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that turn a constant number of times. */
#ifndef PF_PLUGIN_TRIPS_H
#define PF_PLUGIN_TRIPS_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Sets *TURNS to how often LOOP of the current function goes back to its header each time it is entered, and *TEST to
 * the block whose test decides, if that is by constants.  Needs dominators. */
bool constant_turns(class loop *loop, unsigned *turns, basic_block *test);

/* Whether constants decide that LOOP goes round at least once when it is entered, however often it does. */
bool turns_surely(class loop *loop);

} // namespace pathfdo

#endif
