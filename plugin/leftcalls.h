/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of which the profiled binary had something else: an inlined body, or their like in another arm. */
#ifndef PF_PLUGIN_LEFTCALLS_H
#define PF_PLUGIN_LEFTCALLS_H

#include "plugin/place.h"

namespace pathfdo
{

/* How often what the call at PLACE had become by inlining in the profiled binary was entered: only what prepared the
 * call has the call's own place then, if anything has. */
uint64_t runs_inlined(const pf_function *record, const pf_place &place);

/* The first of these, 0 if there is none. */
uint32_t inlined_at(const pf_function *record, const pf_place &place);

/* Whether anything at PLACE ran, be it what a call there had become. */
bool ran_in_place(const pf_function *record, const pf_place &place);

/* The one way out of the two-way branch BB behind which there is a call that control at WANTED is about to make, or has
 * inlined; NULL if that is none, or both, or there are more ways. */
edge way_to_call(basic_block bb, const pf_function *record, placer *places, const pf_place *wanted);

} // namespace pathfdo

#endif
