/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin in the compiler that works at a link with -flto. */
#ifndef PF_PLUGIN_LINKTIME_H
#define PF_PLUGIN_LINKTIME_H

namespace pathfdo
{

/* In plugin_init, at -O0, too, which leaves the link to GCC. */
void linktime_setup(const char *plugin_name);

} // namespace pathfdo

#endif
