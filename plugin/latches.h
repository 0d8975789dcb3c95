/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops keep one latch. */
#ifndef PF_PLUGIN_LATCHES_H
#define PF_PLUGIN_LATCHES_H

namespace pathfdo
{

/* Around GCC's tail duplication, in functions with a profile: it copies no latch. */
void latches_setup();

} // namespace pathfdo

#endif
