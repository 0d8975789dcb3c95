/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values for GCC's own transformations. */
#ifndef PF_PLUGIN_SPECIALISE_H
#define PF_PLUGIN_SPECIALISE_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Attaches to the statements of the current function, whose counts are written, the values that RECORD knows of them,
 * and has GCC specialise the statements for what is common enough.  Returns how many values statements got.  The flow
 * graph may have changed then. */
unsigned specialise_values(const pf_function *record);

} // namespace pathfdo

#endif
