/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that were unrolled turn as often as they did. */
#ifndef PF_PLUGIN_JAMMED_H
#define PF_PLUGIN_JAMMED_H

namespace pathfdo
{

/* Registers the passes. */
void jammed_setup();

} // namespace pathfdo

#endif
