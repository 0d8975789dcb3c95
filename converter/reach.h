/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evens out how far bursts reach.  A burst that a system call cut short is completed by what other bursts, which began
 * where it was cut, show of what follows; so that in expectation each branch counts in proportion to its executions,
 * however near behind a system call it is.  doc/sampling.md derives it. */
#ifndef PF_CONVERTER_REACH_H
#define PF_CONVERTER_REACH_H

#include "converter/halves.h"
#include "converter/own-edges.h"
#include "converter/traffic.h"
#include "support/array.h"

/* The first LENGTH branches of a burst stand for WEIGHT more. */
struct pf_reach_grant {
	size_t burst;
	uint64_t weight;
	uint32_t length;
};

struct pf_reach {
	uint32_t horizon; /* branches that each burst was completed to; 0: no burst was cut, nothing is changed */
	double scale;     /* keeps the sum of all weights what it was */
	PF_ARRAY(struct pf_reach_grant) grants; /* by burst, then length */
	double completed, missing;              /* shares of all weight: taken from followers, and known by nobody */
	uint64_t baseless; /* bursts that began behind a cut, in a recording in which too few others did not: they are
			      left as they are, though how much of the program's time they stand for is not known */
};

/* One recording. */
struct pf_reach_input {
	const struct pf_vectors *vectors;
	const struct pf_traffic *traffic;
	const uint32_t *ids; /* the edge in TRAFFIC of each edge of VECTORS; PF_NO_EDGE where it has none */
	const struct pf_own_edges *own;
	const uint64_t *weights; /* of each burst by itself */
	struct pf_halves halves; /* spans the bursts */
};

/* PF_ENOMEM; *R is the caller's, to pf_reach_fini, in any case. */
int pf_reach_solve(struct pf_reach *r, const struct pf_reach_input *input);
void pf_reach_fini(struct pf_reach *r);

/* A walk along one burst. */
struct pf_reach_walk {
	const struct pf_reach *reach;
	size_t grant, end;
	uint64_t weight; /* of the branch before, unscaled */
	uint32_t index;
};

/* Begins in front of the first branch of burst BURST, which by itself weighs WEIGHT. */
struct pf_reach_walk pf_reach_walk(const struct pf_reach *r, size_t burst, uint64_t weight);

/* Weight of the next branch; at least 1, since what was seen did run. */
uint64_t pf_reach_next(struct pf_reach_walk *w);

#endif
