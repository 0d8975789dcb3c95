/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of a name while another one is a constant. */
#ifndef PF_PLUGIN_SUBSTITUTE_H
#define PF_PLUGIN_SUBSTITUTE_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* The statement that computes NAME from two operands at most, and not from memory; NULL if none does. */
gassign *constant_step(tree name);

/* What NAME is while VARIABLE is VALUE, looked for DEPTH statements back; NULL if that cannot be told. */
tree value_of(tree name, tree variable, tree value, int depth);

} // namespace pathfdo

#endif
