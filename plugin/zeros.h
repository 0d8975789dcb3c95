/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps GCC 12's vectoriser from dividing by a count of zero. */
#ifndef PF_PLUGIN_ZEROS_H
#define PF_PLUGIN_ZEROS_H

namespace pathfdo
{

/* Puts the pass in place; WANTED says, when its turn comes, whether this translation unit has counts. */
void zeros_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
