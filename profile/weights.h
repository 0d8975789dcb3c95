/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile flattened to keyed weights, for comparisons (flow/metrics.h has the arithmetic): what two profiles say of
 * the same thing has the same key, however their functions, inlining and paths are stored.  A function's key is its
 * name and the last part of its file's path; positions are relative to the function that they are written in. */
#ifndef PF_PROFILE_WEIGHTS_H
#define PF_PROFILE_WEIGHTS_H

#include "profile/model.h"

struct pf_weights_item {
	uint64_t branch; /* of edges: the key of the branch that they leave; else 0 */
	uint64_t key;
	uint64_t weight; /* not 0 */
};

/* In the profile's order.  A key stands there as often as the profile names the thing: weights of a key add up. */
struct pf_weights {
	struct pf_weights_item *items;
	size_t count;
};

enum pf_weight_kind {
	PF_WEIGHT_POSITIONS, /* source positions, wherever they were inlined */
	PF_WEIGHT_INSTANCES, /* positions in their inlined instance */
	PF_WEIGHT_FUNCTIONS, /* out-of-line functions, by their total */
	PF_WEIGHT_EDGES,     /* branches at source positions and where they went */
	PF_WEIGHT_PATHS,
	PF_WEIGHT_KINDS
};

/* Flattens PROFILE.  The items are the caller's, to pf_weights_fini.  PF_ENOMEM. */
int pf_weights_collect(const struct pf_profile *profile, enum pf_weight_kind kind, struct pf_weights *weights,
		       struct pf_error *error);
void pf_weights_fini(struct pf_weights *weights);

#endif
