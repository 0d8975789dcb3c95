/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Superblocks from the profile's paths. */
#ifndef PF_PLUGIN_SUPERBLOCK_PASS_H
#define PF_PLUGIN_SUPERBLOCK_PASS_H

namespace pathfdo
{

/* Registers the pass. */
void superblock_setup();

} // namespace pathfdo

#endif
