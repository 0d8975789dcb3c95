/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where bursts began and where they were cut: all that is needed to tell which of them show what another was about to
 * do (doc/sampling.md). */
#ifndef PF_CONVERTER_ENDS_H
#define PF_CONVERTER_ENDS_H

#include "converter/traffic.h"

#define PF_ENDS_DEPTH 4 /* callers that are compared */
#define PF_NO_PLACE 0   /* an address that is not known, or in no file */

/* Places are file offsets with the module's number above them, so that those of all processes are the same. */
struct pf_ends {
	uint64_t time, weight;
	uint32_t length; /* branches */
	uint8_t reason;  /* enum pf_burst_end: why it was cut; PF_END_LENGTH: it was not */
	bool after_wait; /* as in pf_vec_burst */
	uint8_t return_count, call_count;
	uint64_t begin, stop;            /* its first instruction, and that in front of which it was cut */
	uint64_t returns[PF_ENDS_DEPTH]; /* where it returned to, out of what it began in, innermost first */
	uint64_t calls[PF_ENDS_DEPTH];   /* calls that it had not returned from at its end, innermost first */
};

/* What burst B of V is at its ends; IDS: the edge in T of each edge of V, PF_NO_EDGE where it has none. */
struct pf_ends pf_ends_of(const struct pf_vectors *v, const struct pf_traffic *t, const uint32_t *ids,
			  const struct pf_vec_burst *b);

#endif
