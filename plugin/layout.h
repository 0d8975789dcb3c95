/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of blocks by ext-TSP. */
#ifndef PF_PLUGIN_LAYOUT_H
#define PF_PLUGIN_LAYOUT_H

namespace pathfdo
{

/* Registers the pass; WANTED tells in the middle of a compile whether there is a profile. */
void layout_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
