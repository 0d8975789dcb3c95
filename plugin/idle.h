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
	int busy;
	int idle;
};

/* The sizes of CALLEE in the instance INSTANCE of RECORD: idle is what GCC can split off, with fewer than HOT
 * executions or a small part of the instance's entries.  OWN is the callee's own record, NULL if it has none. */
body_sizes measure_body(cgraph_node *callee, const pf_function *own, const pf_function *record, uint32_t instance,
			uint64_t hot);

} // namespace pathfdo

#endif
