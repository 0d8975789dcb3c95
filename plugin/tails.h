/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the ends of an interpreter's operations apart. */
#ifndef PF_PLUGIN_TAILS_H
#define PF_PLUGIN_TAILS_H

namespace pathfdo
{

/* Registers the pass. */
void tails_setup();

} // namespace pathfdo

#endif
