/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts the stream of edges of one burst into the sequences that belong to one invocation of a function each.  Where one
 * invocation's edges are cut, the next sequence begins with the last of those before. */
#ifndef PF_CONVERTER_INVOCATION_H
#define PF_CONVERTER_INVOCATION_H

#include "converter/traffic.h"

#define PF_SEQUENCE_LENGTH 22  /* edges; a longer one is cut */
#define PF_SEQUENCE_TURN 8     /* new edges from which on a jump backwards ends a sequence */
#define PF_SEQUENCE_PAST 6     /* edges in front of the cut that the next sequence knows of */
#define PF_INVOCATION_DEPTH 64 /* callers remembered; those further out are cut */

struct pf_invocation {
	uint32_t edges[PF_SEQUENCE_LENGTH];
	uint32_t count, past;
};

struct pf_invocations {
	struct pf_traffic *traffic;
	uint64_t weight; /* of the edge before */
	uint32_t depth;
	struct pf_invocation stack[PF_INVOCATION_DEPTH];
};

/* Starts a burst. */
void pf_invocations_start(struct pf_invocations *v, struct pf_traffic *t);

/* The next edge (an index into the traffic's edges) of KIND, an enum pf_edge_kind, which counts WEIGHT; so does a
 * sequence that ends with it.  PF_ENOMEM. */
int pf_invocations_edge(struct pf_invocations *v, uint32_t edge, uint8_t kind, uint64_t weight);

/* Ends the burst: what is open is counted as it is.  PF_ENOMEM. */
int pf_invocations_end(struct pf_invocations *v);

#endif
