/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a body lies idle at one of its calls. */
#ifndef PF_PLUGIN_IDLE_H
#define PF_PLUGIN_IDLE_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Sizes in GCC's estimate of instructions. */
struct body_sizes {
	int busy; /* hot, and no rare thing in the call */
	int idle;
};

/* The sizes of CALLEE's blocks in the instance INSTANCE of RECORD: busy from HOT executions and a small part of the
 * instance's entries on.  Blocks of which nothing has a position in the source are left out. */
body_sizes measure_body(cgraph_node *callee, const pf_function *record, uint32_t instance, uint64_t hot);

} // namespace pathfdo

#endif
