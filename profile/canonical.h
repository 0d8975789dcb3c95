/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of pf_profile_canonicalise: joining functions of one key (canonical.c), the inline tree
 * (canonical-tree.c), and what stands at positions (canonical-places.c). */
#ifndef PF_PROFILE_CANONICAL_H
#define PF_PROFILE_CANONICAL_H

#include "profile/model.h"

/* Brings FUNCTION's nodes into preorder, siblings by site and name, and adds up those of one parent, site and name.
 * MAP[old index] is set to the new index of each node.  0, or -1 when out of memory. */
int pf_canonical_tree(struct pf_function *function, uint32_t *map);

/* Renumbers the nodes of all places by MAP, then sorts and adds up records, targets, outcomes and paths, and sets
 * the total.  Joined arrays come from PROFILE's arena.  0, or -1 when out of memory. */
int pf_canonical_places(struct pf_profile *profile, struct pf_function *function, const uint32_t *map);

#endif
