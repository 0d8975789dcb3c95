/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of profiles.  For profiles of one unit the sum is associative and commutative, so a fleet's profiles can be
 * added in any order and in parallel. */
#ifndef PF_PROFILE_MERGING_H
#define PF_PROFILE_MERGING_H

#include "profile/model.h"

/* A sum that grows; a zeroed one is empty. */
struct pf_merge {
	struct pf_profile *sum; /* owned; NULL before the first profile */
	uint32_t compacted;     /* functions when equal ones were last added up */
	uint32_t sorted;        /* source files when doubles were last left out */
};

/* Adds a copy of PROFILE.  PF_EMISMATCH (another unit than those before), PF_ENOMEM, PF_EINVAL and PF_ELIMIT as
 * pf_profile_canonicalise. */
int pf_merge_add(struct pf_merge *merge, const struct pf_profile *profile, struct pf_error *error);

/* Gives the canonical sum, the caller's to pf_profile_free, and leaves the merge empty.  PF_EEMPTY (nothing was
 * added), others as pf_merge_add. */
int pf_merge_finish(struct pf_merge *merge, struct pf_profile **sum, struct pf_error *error);

void pf_merge_fini(struct pf_merge *merge);

/* Multiplies every count of PROFILE by NUMERATOR / DENOMINATOR, neither of them 0.  What is above 0 stays so. */
void pf_profile_scale(struct pf_profile *profile, uint64_t numerator, uint64_t denominator);

/* How many counts are at the limit of 64 bits, where sums stay. */
uint64_t pf_profile_saturated(const struct pf_profile *profile);

#endif
