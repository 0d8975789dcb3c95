/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which way out of a condition is the one on which something holds, as the jump of the profiled binary tells. */
#ifndef PF_PLUGIN_WAYS_H
#define PF_PLUGIN_WAYS_H

#include "plugin/place.h"

namespace pathfdo
{

/* The way out of the two-way branch BB on which SENSE (enum pf_sense) holds; NULL if that is not known. */
edge way_by_sense(basic_block bb, const pf_function *record, placer *places, unsigned sense);

} // namespace pathfdo

#endif
