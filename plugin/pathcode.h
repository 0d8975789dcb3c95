/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path counting in one function (Ammons, Ball and Larus 1997, section 2). */
#ifndef PF_PLUGIN_PATHCODE_H
#define PF_PLUGIN_PATHCODE_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

class context_code;

/* Numbers the paths of the current function, describes them, and inserts the code that counts them: in counters of the
 * function's own (pathunit.h), or with a CONTEXT in those of each of its call records.  SSA form is to be updated
 * afterwards. */
void pathcode_insert(context_code *context);

/* Has the counts saved in front of the statement at *GSI. */
void pathcode_save(gimple_stmt_iterator *gsi);

} // namespace pathfdo

#endif
