/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions at which GCC splits loops. */
#ifndef PF_PLUGIN_GUARDS_H
#define PF_PLUGIN_GUARDS_H

namespace pathfdo
{

/* In front of GCC's splitting of loops, in functions with a profile. */
void guards_setup();

} // namespace pathfdo

#endif
