/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values for GCC's own transformations. */
#ifndef PF_PLUGIN_SPECIALISE_H
#define PF_PLUGIN_SPECIALISE_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Puts the pass in place that, behind the inliner, has GCC specialise statements for what is common enough. */
void specialise_setup();

/* Attaches to the statements of the current function, whose counts are written, the values that RECORD knows of them;
 * with -flto GCC specialises the statements at once, and the flow graph may have changed then.  Returns how many values
 * statements got. */
unsigned specialise_values(const pf_function *record);

} // namespace pathfdo

#endif
