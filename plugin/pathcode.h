/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path counting in one function (Ammons, Ball and Larus 1997, section 2). */
#ifndef PF_PLUGIN_PATHCODE_H
#define PF_PLUGIN_PATHCODE_H

namespace pathfdo
{

/* Numbers the paths of the current function, describes them (pathunit.h), and inserts the code that counts them.  SSA
 * form is to be updated afterwards. */
void pathcode_insert();

} // namespace pathfdo

#endif
