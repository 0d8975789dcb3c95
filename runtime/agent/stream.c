/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See stream.h.  The hard case is a reader that is slow, or gone: the program waits for the one and not for the other.
 * The tail is the reader's word, and anybody's who can write to the file, so one that cannot be is as good as no room.
 */
#include "runtime/agent/stream.h"

#include "runtime/agent/sys.h"

static uint64_t read_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static bool wait_for_room(struct pf_recording *r, struct pf_pulse *pulse, uint64_t size, uint64_t wanted)
{
	uint64_t head = r->header->stream_head;

	for (unsigned int round = 0;; round++) {
		uint64_t used = head - __atomic_load_n(&r->header->stream_tail, __ATOMIC_ACQUIRE);

		if (used <= size && size - used >= wanted)
			return true;
		if (!pf_control_alive(pulse, r->control, read_tsc()))
			return false;
		pf_sys_relax(round);
	}
}

static bool put(struct pf_recording *r, struct pf_pulse *pulse, const struct pf_wire_burst *burst, const uint32_t *ids,
		const void *accesses)
{
	uint64_t size = pf_stream_size(&r->layout), wanted = pf_wire_stream_size(burst);
	uint8_t *ring = (uint8_t *)r->header + r->layout.chunks.offset;
	uint64_t head = r->header->stream_head, at = head % size, left = size - at;
	uint64_t passed = left < wanted ? left : 0;

	if (wanted > size / 2 || !wait_for_room(r, pulse, size, wanted + passed))
		return false;
	if (passed >= sizeof *burst)
		((struct pf_wire_burst *)(void *)(ring + at))->edge_count = PF_STREAM_FILLER;
	at = passed ? 0 : at;
	__builtin_memcpy(ring + at, burst, sizeof *burst);
	__builtin_memcpy(ring + at + sizeof *burst, ids, burst->edge_count * sizeof *ids);
	if (burst->accesses)
		__builtin_memcpy(ring + at + pf_wire_burst_size(burst->edge_count), accesses,
				 burst->accesses * sizeof(struct pf_vec_access));
	__atomic_store_n(&r->header->stream_head, head + passed + wanted, __ATOMIC_RELEASE);
	return true;
}

bool pf_stream_burst(struct pf_recording *r, struct pf_pulse *pulse, const struct pf_wire_burst *burst,
		     const uint32_t *ids, const void *accesses)
{
	r->header->ends[burst->end_reason]++;
	if (burst->edge_count == 0)
		return true;
	if (!put(r, pulse, burst, ids, accesses)) {
		r->header->lost_bursts++;
		return false;
	}
	r->header->bursts++;
	r->header->branches_recorded += burst->edge_count;
	return true;
}
