/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops keep one latch. */
#ifndef PF_PLUGIN_LATCHES_H
#define PF_PLUGIN_LATCHES_H

namespace pathfdo
{

/* Around GCC's tail duplication, in functions with a profile: it copies no latch.  WANTED is asked whether there is a
 * profile at all. */
void latches_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
