/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps zero counts from what they break: the vectoriser of GCC 12, and what runs behind them. */
#ifndef PF_PLUGIN_ZEROS_H
#define PF_PLUGIN_ZEROS_H

namespace pathfdo
{

/* Puts the passes in place. */
void zeros_setup();

} // namespace pathfdo

#endif
