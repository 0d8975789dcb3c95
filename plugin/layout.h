/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of blocks by ext-TSP. */
#ifndef PF_PLUGIN_LAYOUT_H
#define PF_PLUGIN_LAYOUT_H

namespace pathfdo
{

/* Registers the pass. */
void layout_setup();

} // namespace pathfdo

#endif
