/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a link with -flto says that is without the plugin. */
#ifndef PF_PLUGIN_LINKMARK_H
#define PF_PLUGIN_LINKMARK_H

namespace pathfdo
{

/* In plugin_init.  Takes the mark off before code is written: at a link, as this has the plugin, and in a compile that
 * writes code beside what -flto leaves (-ffat-lto-objects). */
void linkmark_setup();

/* In a compile whose code has counts now, before -flto writes it: leaves the mark, unless its warning is silent. */
void linkmark_leave();

} // namespace pathfdo

#endif
