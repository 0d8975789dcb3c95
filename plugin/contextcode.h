/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling context tree in one function (Ammons, Ball and Larus 1997, section 4). */
#ifndef PF_PLUGIN_CONTEXTCODE_H
#define PF_PLUGIN_CONTEXTCODE_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Inserts into the current function the code that finds its call record and counts there, and tells its callees where
 * they are called; and describes the function.  SSA form is to be updated afterwards. */
void contextcode_insert();

/* Has the tree saved in front of the statement at *GSI. */
void contextcode_save(gimple_stmt_iterator *gsi);

} // namespace pathfdo

#endif
