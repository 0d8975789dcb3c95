/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which way out of a condition is the one on which something holds, as the jump of the profiled binary tells. */
#ifndef PF_PLUGIN_WAYS_H
#define PF_PLUGIN_WAYS_H

#include "plugin/place.h"

namespace pathfdo
{

/* Sets WAYS, by enum pf_sense, to the way out of the branch BB on which each holds; NULL where that is not known, which
 * it never is of PF_SENSE_NONE. */
void ways_by_sense(basic_block bb, const pf_function *record, placer *places, edge ways[PF_SENSES]);

} // namespace pathfdo

#endif
