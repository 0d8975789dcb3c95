/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the conditions of one macro have in common. */
#ifndef PF_PLUGIN_MACROS_H
#define PF_PLUGIN_MACROS_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Makes what is known of a macro's condition, wherever else it stands in the current function, the guess of the
 * expansions of which nothing is known.  GRAPH is the graph of the CFG; OUTCOMES is how often each of its edges was
 * seen taken. */
void guess_by_macros(pf_graph *graph, const uint64_t *outcomes);

} // namespace pathfdo

#endif
