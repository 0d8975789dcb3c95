/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps loops whole that peeling would do no good. */
#ifndef PF_PLUGIN_PEELS_H
#define PF_PLUGIN_PEELS_H

namespace pathfdo
{

/* Registers the passes; WANTED tells in the middle of a compile whether there is a profile. */
void peels_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
