/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the profile's paths say of this compile's branches: learned where counts are written, asked for where blocks are
 * copied. */
#ifndef PF_PLUGIN_TRAILS_H
#define PF_PLUGIN_TRAILS_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* From here on branches of FUNCTION's records are noted, if superblocks are asked for: nobody else wants them. */
void trails_begin(const pf_function *function);

/* The branch at the end of BB is the one that BRANCH is the record of; each of its outcomes is the edge of that number
 * in CHOICE, NULL if it was not recognised.  Records of another function than the one begun are passed over. */
void trails_note(basic_block bb, const pf_record *branch, edge const *choice);

/* Takes the paths of the function, as far as their branches were noted, and ends it. */
void trails_take();

/* The number of the decision for E, as the paths have it; 0: they do not know the branch. */
uint32_t trails_decision(edge e);

/* All paths that were taken, to ask; NULL if there are none.  They live as long as the compiler. */
const pf_history *trails_history();

} // namespace pathfdo

#endif
