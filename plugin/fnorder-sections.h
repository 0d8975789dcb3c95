/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of functions in memory. */
#ifndef PF_PLUGIN_FNORDER_SECTIONS_H
#define PF_PLUGIN_FNORDER_SECTIONS_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Gives DECL's function its place in the order of the program's functions (from 1 on; 0: none). */
void fnorder_note(tree decl, uint32_t rank);

/* Has functions with a place come into sections that linkers sort.  To be called once from plugin_init. */
void fnorder_setup();

} // namespace pathfdo

#endif
