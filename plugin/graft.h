/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance, with all that was inlined into it, as a function of its own. */
#ifndef PF_PLUGIN_GRAFT_H
#define PF_PLUGIN_GRAFT_H

#include "profile/model.h"

/* Appends the subtree ROOT of FROM to TO as a function that was entered HEAD times, named and placed as ROOT is.
 * Strings and arrays are TO's own.  PF_ENOMEM. */
int pf_graft_subtree(struct pf_profile *to, const struct pf_function *from, uint32_t root, uint64_t head);

/* Whether anything in the subtree ROOT of FROM was seen to run; the recording may have missed each time it was entered.
 */
bool pf_graft_ran(const struct pf_function *from, uint32_t root);

/* An inlined copy of a block carries no discriminator.  Where PROFILE's first function, the callee's own record, has
 * just one for the line and column, the count of an instance, which is each other function, belongs to that. */
void pf_graft_adopt_discriminators(struct pf_profile *profile);

#endif
