/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlining again what the profiled binary had inlined and what ran often. */
#ifndef PF_PLUGIN_REPLAY_H
#define PF_PLUGIN_REPLAY_H

#include "plugin/gcc-compat.h"
#include "plugin/report.h"

namespace pathfdo
{

/* Whether the options of the compile leave all calls alone. */
bool is_replay_forbidden();

/* Inlines into the current function every call whose instance in RECORD was entered at least HOT times, and so on
 * inside the inlined bodies.  Returns whether the CFG has changed. */
bool replay_inlining(pf_bodies *bodies, const pf_function *record, uint64_t hot, function_report *report);

/* Gives the instances of BODY that the current function does not contain to their callees' own bodies, and those that
 * it contains several times an equal share each. */
void settle_instances(pf_bodies *bodies, const pf_body *body);

} // namespace pathfdo

#endif
