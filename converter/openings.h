/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The straight code that a burst began in the middle of.  Its first branch is as old as every other (doc/sampling.md),
 * and counts for all of the code that led to it. */
#ifndef PF_CONVERTER_OPENINGS_H
#define PF_CONVERTER_OPENINGS_H

#include "converter/traffic.h"

/* Where straight code begins that bursts went on with, by the branch that it ends in. */
struct pf_opening {
	uint32_t module;
	uint64_t from, start;
	uint64_t seen; /* how often within bursts */
	size_t usual;  /* of those of this branch up to here, the one that was seen most */
};

struct pf_openings {
	PF_ARRAY(struct pf_opening) list;
};

/* Of the bursts of V.  IDS: the edge in T of each edge of V, PF_NO_EDGE where it has none.  *O is the caller's, to
 * pf_openings_fini, in any case.  PF_ENOMEM. */
int pf_openings_find(const struct pf_vectors *v, const struct pf_traffic *t, const uint32_t *ids,
		     struct pf_openings *o);

/* Where the straight code before EDGE, with which a burst began, begins mostly; EDGE's own start if no burst ever went
 * on with any that contains it. */
uint64_t pf_openings_start(const struct pf_openings *o, const struct pf_traffic_edge *edge);

void pf_openings_fini(struct pf_openings *o);

#endif
