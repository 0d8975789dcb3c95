/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hands the vectors of a recording on while they are counted, for those who need their order and not only their sums.
 * Nothing is kept: what a listener does not remember is gone. */
#ifndef PF_CONVERTER_TAP_H
#define PF_CONVERTER_TAP_H

#include "converter/traffic.h"

#define PF_TAP_NOWHERE UINT32_MAX

/* A part of a vector of which no branch is missing: each began where the one before it went. */
struct pf_tap_piece {
	const struct pf_traffic *traffic;
	const uint32_t *edges;   /* of the traffic */
	const uint64_t *weights; /* of each, in 1/256 */
	uint32_t count;
	uint32_t at; /* branches of the vector in front of it; PF_TAP_NOWHERE: only a count, its vector is not known */
};

struct pf_listener {
	/* Takes a piece, which lives until it returns: PF_OK, or an error that ends the reading.  Pieces of one vector
	 * come in order; `at` does not rise from a vector to the next one. */
	int (*take)(void *context, const struct pf_tap_piece *piece);
	void *context;
};

/* Collects the piece that is being read.  A zeroed one has no listener, and does nothing. */
struct pf_tap {
	const struct pf_listener *listener;
	PF_ARRAY(uint32_t) edges;
	PF_ARRAY(uint64_t) weights;
	uint32_t at;
};

void pf_tap_fini(struct pf_tap *tap);

/* The next branch of the vector is this edge of T.  PF_ENOMEM. */
int pf_tap_add(struct pf_tap *tap, uint32_t edge, uint64_t weight);

/* COUNT branches are missing here: ends the piece.  Errors of the listener. */
int pf_tap_skip(struct pf_tap *tap, const struct pf_traffic *t, uint32_t count);

/* Ends the vector.  Errors of the listener. */
int pf_tap_end(struct pf_tap *tap, const struct pf_traffic *t);

/* An edge that was only counted.  Errors of the listener. */
int pf_tap_count(const struct pf_tap *tap, const struct pf_traffic *t, uint32_t edge, uint64_t weight);

#endif
