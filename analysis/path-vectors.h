/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of recordings on their way into a path profile. */
#ifndef PF_ANALYSIS_PATH_VECTORS_H
#define PF_ANALYSIS_PATH_VECTORS_H

#include "analysis/pathprofile.h"
#include "converter/intake.h"

struct pf_path_move {
	bool resolved;
	struct pf_walk_move move;
};

struct pf_path_vectors {
	struct pf_path_profile *profile; /* the caller's */
	uint32_t length, every;
	uint32_t at; /* of the last piece */
	uint64_t vectors, used;
	PF_ARRAY(struct pf_path_move) moves; /* of the traffic's edges */
};

/* Of each EVERY-th vector (1: of all) the first LENGTH branches (0: all) go to PROFILE. */
void pf_path_vectors_init(struct pf_path_vectors *v, struct pf_path_profile *profile, uint32_t length, uint32_t every);
void pf_path_vectors_fini(struct pf_path_vectors *v);

/* What an intake tells of its vectors. */
struct pf_listener pf_path_vectors_listener(struct pf_path_vectors *v);

#endif
