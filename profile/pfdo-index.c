/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pfdo-index.h.  Entries are sorted by hash, and an array in front of them says where each range of hashes
 * begins, so that a name costs one read of the array and one of the entries.  Hard case: names of equal hash, and
 * functions of equal name (statics): all of them stand together and the reader looks at each. */
#include "profile/pfdo-index.h"
#include "profile/pfdo-format.h"

#include <stdlib.h>

static int compare_entries(const void *a, const void *b)
{
	const struct pf_pfdo_index_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* About four entries a bucket. */
static unsigned bucket_bits(uint32_t count)
{
	unsigned bits = 0;

	while (bits < PF_PFDO_MAX_BUCKET_BITS && (count >> bits) > 4)
		bits++;
	return bits;
}

void pf_pfdo_append_index(struct pf_buffer *out, struct pf_pfdo_index_entry *entries, uint32_t count)
{
	unsigned bits = bucket_bits(count);
	uint32_t next = 0;

	if (count)
		qsort(entries, count, sizeof *entries, compare_entries);
	pf_buffer_u32(out, count);
	pf_buffer_u32(out, bits);
	for (uint64_t bucket = 0; bucket <= (uint64_t)1 << bits; bucket++) {
		/* A shift by 64 is undefined, so bits 0 is its own case. */
		while (next < count && (bits ? entries[next].hash >> (64 - bits) : 0) < bucket)
			next++;
		pf_buffer_u32(out, next);
	}
	pf_buffer_align(out, 8);
	for (uint32_t i = 0; i < count; i++) {
		pf_buffer_u64(out, entries[i].hash);
		pf_buffer_u64(out, entries[i].offset);
		pf_buffer_u32(out, entries[i].name);
		pf_buffer_u32(out, 0);
	}
}
