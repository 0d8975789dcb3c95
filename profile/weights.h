/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile flattened to keyed weights, for comparisons: what two profiles say of the same thing has the same key,
 * however their functions, inlining and paths are stored.  A function's key is its name and the last part of its
 * file's path; positions are relative to the function that they are written in. */
#ifndef PF_PROFILE_WEIGHTS_H
#define PF_PROFILE_WEIGHTS_H

#include "profile/model.h"

struct pf_weight {
	uint64_t group; /* of the branch for edges, else 0 */
	uint64_t key;
	uint64_t weight;
};

/* Sorted by group and key, each pair once. */
struct pf_weights {
	struct pf_weight *items;
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

/* The sum of the smaller of both shares of each key: 1 for equal distributions, 0 for disjoint ones; negative when
 * either has no weight at all. */
double pf_weights_overlap(const struct pf_weights *a, const struct pf_weights *b);

struct pf_direction_mismatch {
	size_t branches; /* groups with weight in both */
	size_t wrong;    /* of those, where the most frequent key of one is not a most frequent one of the other */
	double share;    /* weight of the wrong ones in that of all, both profiles counting equally; negative: none */
};

/* Compares the directions of branches, by edge weights. */
struct pf_direction_mismatch pf_weights_mismatch(const struct pf_weights *a, const struct pf_weights *b);

#endif
