/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divides the default of a jump table between its range check and its gaps. */
#ifndef PF_PLUGIN_TABLES_H
#define PF_PLUGIN_TABLES_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Forgets the tables of the function before. */
void tables_begin();

/* The table of ENTRIES values for the switch at WHERE leads to its default, besides what was noted before, that often
 * for an index out of its range, and that often by its gaps. */
void tables_note(location_t where, uint64_t entries, double outside, double gaps);

/* Registers the pass. */
void tables_setup();

} // namespace pathfdo

#endif
