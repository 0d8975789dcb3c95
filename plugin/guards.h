/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions at which GCC splits loops. */
#ifndef PF_PLUGIN_GUARDS_H
#define PF_PLUGIN_GUARDS_H

namespace pathfdo
{

/* In front of GCC's splitting of loops, in functions with a profile.  WANTED is asked whether there is a profile at
 * all. */
void guards_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
