/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths that a part can be a part of (the matching set; Shye 2005, section 3.5.3.3): its ways back to a start,
 * times its ways on to an end. */
#ifndef PF_ANALYSIS_MATCHING_H
#define PF_ANALYSIS_MATCHING_H

#include "support/array.h"
#include "flow/pathnumber.h"

/* A way from a start to a block, or from a block to an end. */
struct pf_matching_way {
	uint64_t sum;       /* of the values of its edges, and of its start's number */
	double probability; /* that it is taken, of all ways */
	uint32_t edges;
	bool ended; /* its last edge is an end */
};

/* Frequencies of the edges of one function, which say what is likely; NULL: all ways are equally likely. */
struct pf_matching {
	const struct pf_pathnumber *numbers;
	const double *frequency;
	double least; /* ways that are less probable are left out, unless there is no other */
	size_t most;  /* ways */
	PF_ARRAY(struct pf_matching_way) ways;
};

void pf_matching_fini(struct pf_matching *m);

/* Finds the ways from starts to BLOCK.  PF_ENOMEM. */
int pf_matching_back(struct pf_matching *m, uint32_t block);

/* Finds the ways from BLOCK to ends.  PF_ENOMEM. */
int pf_matching_on(struct pf_matching *m, uint32_t block);

#endif
