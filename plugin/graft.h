/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance, with all that was inlined into it, as a function of its own. */
#ifndef PF_PLUGIN_GRAFT_H
#define PF_PLUGIN_GRAFT_H

#include "profile/model.h"

/* Appends the subtree ROOT of FROM to TO as a function that was entered HEAD times, named and placed as ROOT is.
 * Strings and arrays are TO's own.  PF_ENOMEM. */
int pf_graft_subtree(struct pf_profile *to, const struct pf_function *from, uint32_t root, uint64_t head);

#endif
