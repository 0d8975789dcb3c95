/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with the counts of functions once they have some. */
#ifndef PF_PLUGIN_LATE_H
#define PF_PLUGIN_LATE_H

namespace pathfdo
{

/* Adds the steps that go by nothing but counts, in functions that a profile was read for.  In plugin_init, behind
 * passes_begin. */
void late_setup();

} // namespace pathfdo

#endif
