/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Superblocks from the profile's paths. */
#ifndef PF_PLUGIN_SUPERBLOCK_PASS_H
#define PF_PLUGIN_SUPERBLOCK_PASS_H

namespace pathfdo
{

/* Registers the pass; WANTED tells in the middle of a compile whether there is a profile. */
void superblock_setup(const char *plugin_name, bool (*wanted)());

} // namespace pathfdo

#endif
