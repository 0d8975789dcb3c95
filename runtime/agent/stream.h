/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream of a whole run (wire.h): a ring of bursts in shared memory, in the place of the chunks, that the recorder
 * empties while the program fills it.  A burst is a struct pf_wire_burst with its ids and accesses, whole, and never
 * over the ring's end: what is left there is passed over, by a burst of PF_STREAM_FILLER ids where there is room for
 * one.  Head and tail are bytes since the beginning; a byte's place in the ring is its number modulo the ring's size.
 */
#ifndef PF_AGENT_STREAM_H
#define PF_AGENT_STREAM_H

#include "runtime/agent/control.h"
#include "runtime/agent/section.h"

#define PF_STREAM_FILLER UINT32_MAX
#define PF_STREAM_MOST (8ull << 20) /* bytes of the ring: it is to stay in the processor's caches, or near them */

static inline uint64_t pf_stream_size(const struct pf_wire_layout *layout)
{
	uint64_t size = layout->chunks.capacity * layout->chunk_size;

	return (size < PF_STREAM_MOST ? size : PF_STREAM_MOST) & ~7ull;
}

/* Adds a burst with its ids and, if it says so, its ACCESSES (struct pf_vec_access), and counts it in the section's
 * header, and waits while the ring has no room, as long as the recorder lives by PULSE; false if it does not.  To be
 * called under a guard, as section.h says. */
bool pf_stream_burst(struct pf_recording *r, struct pf_pulse *pulse, const struct pf_wire_burst *burst,
		     const uint32_t *ids, const void *accesses);

#endif
