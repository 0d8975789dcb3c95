/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fair sample of all bursts of a run, however long, in a fixed room.  The room is a row of chunks.  Bursts are
 * appended to a free chunk; when only one is free, the two oldest chunks of the lowest generation that has two are
 * thinned into it: of each two bursts one is kept, by the toss of a coin, and the result's generation is one higher.  A
 * burst in a chunk of generation g was kept with probability 1/2^g and stands for 2^g bursts, so that sums over the
 * sample are unbiased, and no stretch of the run is favoured.  The work for a burst is bounded: a thinning frees a
 * whole chunk.
 *
 * What readers see is written so that it is right at any moment (wire.h): a thinning writes to the free chunk only,
 * then the new table to where the old one is not, and raises the epoch, which makes it the valid one.  A reader that
 * sees the epoch rise meanwhile reads again. */
#ifndef PF_AGENT_RESERVOIR_H
#define PF_AGENT_RESERVOIR_H

#include "runtime/agent/wire.h"

/* With so many chunks there are always two of one generation: more generations would need 2^46 full chunks. */
#define PF_RESERVOIR_LEAST_CHUNKS 48u

struct pf_reservoir {
	uint32_t count, size; /* chunks; bytes of one */
	uint32_t current;
	struct pf_wire_chunk *own; /* the valid table; private memory */
	uint64_t epoch, order, random;
	/* Shared: written, and not trusted when read. */
	uint64_t *shared_epoch;
	struct pf_wire_chunk *tables;
	uint8_t *chunks;
};

/* Makes R ready to fill the zeroed SECTION (of LAYOUT, a valid one).  OWN has room for layout->chunks.capacity zeroed
 * entries, private to the process, which live as long as R.  SEED is of the coin. */
void pf_reservoir_init(struct pf_reservoir *r, const struct pf_wire_layout *layout, uint8_t *section,
		       struct pf_wire_chunk *own, uint64_t seed);

/* Adds a burst with its edge_count IDS.  False if it is larger than a chunk, or no two chunks have the same generation
 * (which takes fewer than PF_RESERVOIR_LEAST_CHUNKS): it is not represented then. */
bool pf_reservoir_add(struct pf_reservoir *r, const struct pf_wire_burst *burst, const uint32_t *ids);

#endif
