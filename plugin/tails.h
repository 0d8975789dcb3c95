/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the ends of an interpreter's operations apart. */
#ifndef PF_PLUGIN_TAILS_H
#define PF_PLUGIN_TAILS_H

namespace pathfdo
{

/* Registers the pass; WANTED tells in the middle of a compile whether there is a profile. */
void tails_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
