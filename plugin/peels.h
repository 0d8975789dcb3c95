/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps loops whole that peeling would do no good. */
#ifndef PF_PLUGIN_PEELS_H
#define PF_PLUGIN_PEELS_H

namespace pathfdo
{

/* Registers the passes. */
void peels_setup();

} // namespace pathfdo

#endif
