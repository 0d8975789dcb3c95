/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a link with -flto knows of what is hot. */
#ifndef PF_PLUGIN_LINKHEAT_H
#define PF_PLUGIN_LINKHEAT_H

namespace pathfdo
{

/* In a compile whose code has counts now, before -flto writes it: has the link take for hot what is hot here. */
void linkheat_leave();

} // namespace pathfdo

#endif
