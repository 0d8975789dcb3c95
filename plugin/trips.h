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

/* The only exit of LOOP, if each turn comes by it and it is decided by a variable that changes by constants against
 * what does not change in the loop; NULL otherwise. */
edge exit_by_counter(class loop *loop);

/* Whether constants decide that LOOP goes round at least once when it is entered, however often it does. */
bool turns_surely(class loop *loop);

} // namespace pathfdo

#endif
