/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the edges of a whole run: a sink of drain.h whose room is that of the distinct edges. */
#ifndef PF_RUNTIME_TALLY_H
#define PF_RUNTIME_TALLY_H

#include "runtime/drain.h"
#include "runtime/harvest.h"

struct pf_tally_section {
	uint64_t *counts; /* by edge */
	uint32_t edges, room;
};

/* A zeroed one is empty and ready. */
struct pf_tally {
	struct pf_tally_section *sections;
	uint32_t count;
	uint64_t bursts, branches; /* edges are branches but where a block ends without one */
};

void pf_tally_fini(struct pf_tally *tally);

/* A sink that counts into TALLY. */
struct pf_drain_sink pf_tally_sink(struct pf_tally *tally);

/* Gives the counts to H, which was filled from the same file, as h->vectors.counts; they live as long as it does.
 * PF_ENOMEM. */
int pf_tally_give(const struct pf_tally *tally, struct pf_harvest *h, struct pf_error *error);

#endif
