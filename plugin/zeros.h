/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps zero counts from what they break: the vectoriser of GCC 12, and what runs behind them. */
#ifndef PF_PLUGIN_ZEROS_H
#define PF_PLUGIN_ZEROS_H

namespace pathfdo
{

/* Puts the passes in place; WANTED says, when its turn comes, whether this translation unit has counts. */
void zeros_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
