/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See reservoir.h.  Hard case: what is kept of two full chunks must fit into one, and yet each burst must be kept with
 * a probability of exactly one half.  So all bursts are dealt to two heaps, of each pair that follow each other one to
 * either, the larger to the smaller heap, and a coin says which heap is kept.  Should one heap be larger than a chunk
 * all the same, the heaps are the two chunks themselves, which fit.  The deal is made twice from the same random state:
 * once to know the sizes, once to copy. */
#include "runtime/agent/reservoir.h"

#include <stddef.h>

/* Goes over the bursts of two chunks, the older first. */
struct walk {
	const uint8_t *at[2];
	uint64_t left[2];
};

struct heaps {
	uint64_t random;
	uint64_t size[2];
};

static bool coin(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random >> 63;
}

void pf_reservoir_init(struct pf_reservoir *r, const struct pf_wire_layout *layout, uint8_t *section,
		       struct pf_wire_chunk *own, uint64_t seed)
{
	*r = (struct pf_reservoir) {
		.count = (uint32_t)layout->chunks.capacity,
		.size = (uint32_t)layout->chunk_size,
		.own = own,
		.random = (seed * 0x9e3779b97f4a7c15ull) | 1,
		.shared_epoch = &((struct pf_wire_header *)section)->epoch,
		.tables = (struct pf_wire_chunk *)(section + layout->tables.offset),
		.chunks = section + layout->chunks.offset,
	};
}

static uint8_t *chunk_at(const struct pf_reservoir *r, uint32_t chunk)
{
	return r->chunks + (uint64_t)chunk * r->size;
}

/* The size of the next burst of chunk WHICH; 0 if there is none.  It is the shared memory's word: only what lies inside
 * the chunk is taken, whatever it says. */
static uint64_t next_size(const struct walk *walk, int which)
{
	const struct pf_wire_burst *burst = (const void *)walk->at[which];
	uint64_t size;

	if (walk->left[which] < sizeof *burst)
		return 0;
	size = pf_wire_burst_size(__atomic_load_n(&burst->edge_count, __ATOMIC_RELAXED));
	return size <= walk->left[which] ? size : 0;
}

/* The next burst and its size; NULL and 0 at the end. */
static const uint8_t *next(struct walk *walk, uint64_t *size)
{
	const uint8_t *burst;
	int which = 0;

	*size = next_size(walk, which);
	if (*size == 0)
		*size = next_size(walk, ++which);
	if (*size == 0)
		return NULL;
	burst = walk->at[which];
	walk->at[which] += *size;
	walk->left[which] -= *size;
	return burst;
}

/* The heap that a burst of size FIRST goes to; the one of size SECOND (0: there is none) goes to the other. */
static int deal(struct heaps *heaps, uint64_t first, uint64_t second)
{
	int to = coin(&heaps->random);

	if (heaps->size[0] != heaps->size[1] && first != second)
		to = (heaps->size[0] > heaps->size[1]) == (first > second);
	heaps->size[to] += first;
	heaps->size[!to] += second;
	return to;
}

/* Deals the bursts of WALK and copies heap KEEP to TO, a chunk, or only counts if that is NULL.  Returns the bytes of
 * the larger heap, or of what was copied. */
static uint64_t deal_all(const struct pf_reservoir *r, struct walk walk, int keep, uint8_t *to)
{
	struct heaps heaps = { .random = r->random };
	const uint8_t *pair[2];
	uint64_t size[2], copied = 0;

	while ((pair[0] = next(&walk, &size[0])) != NULL) {
		int kept;

		pair[1] = next(&walk, &size[1]);
		kept = deal(&heaps, size[0], size[1]) != keep;
		if (to && pair[kept] && copied + size[kept] <= r->size) {
			__builtin_memcpy(to + copied, pair[kept], size[kept]);
			copied += size[kept];
		}
	}
	if (to)
		return copied;
	return heaps.size[0] > heaps.size[1] ? heaps.size[0] : heaps.size[1];
}

/* Fills chunk TO with half of chunks A and B; the bytes used of it. */
static uint64_t halve(struct pf_reservoir *r, uint32_t a, uint32_t b, uint32_t to)
{
	struct walk walk = { { chunk_at(r, a), chunk_at(r, b) }, { r->own[a].used, r->own[b].used } };
	int keep = coin(&r->random);
	uint64_t used = deal_all(r, walk, keep, NULL);

	if (used <= r->size) {
		used = deal_all(r, walk, keep, chunk_at(r, to));
	} else {
		used = walk.left[keep];
		__builtin_memcpy(chunk_at(r, to), walk.at[keep], used);
	}
	r->random += 0x9e3779b97f4a7c15ull;
	r->random |= r->random == 0;
	return used;
}

/* Makes the own table the one that readers see. */
static void publish(struct pf_reservoir *r)
{
	struct pf_wire_chunk *table = r->tables + (r->epoch + 1) % 2 * r->count;

	__builtin_memcpy(table, r->own, r->count * sizeof *table);
	__atomic_store_n(r->shared_epoch, ++r->epoch, __ATOMIC_RELEASE);
}

/* The lowest generation that has two chunks. */
static bool find_generation(const struct pf_reservoir *r, uint32_t *generation)
{
	uint64_t once = 0, twice = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		uint64_t bit = r->own[i].used ? 1ull << r->own[i].generation : 0;

		twice |= once & bit;
		once |= bit;
	}
	*generation = twice ? (uint32_t)__builtin_ctzll(twice) : 0;
	return twice && *generation < PF_WIRE_MAX_GENERATION;
}

/* The oldest chunk of GENERATION but EXCEPT. */
static uint32_t find_oldest(const struct pf_reservoir *r, uint32_t generation, uint32_t except)
{
	uint32_t oldest = UINT32_MAX;

	for (uint32_t i = 0; i < r->count; i++)
		if (r->own[i].used && r->own[i].generation == generation && i != except &&
		    (oldest == UINT32_MAX || r->own[i].order < r->own[oldest].order))
			oldest = i;
	return oldest;
}

/* Frees a chunk, FREE being the last one. */
static bool thin(struct pf_reservoir *r, uint32_t free)
{
	uint32_t generation, a, b, used;

	if (!find_generation(r, &generation))
		return false;
	a = find_oldest(r, generation, UINT32_MAX);
	b = find_oldest(r, generation, a);
	used = (uint32_t)halve(r, a, b, free);
	r->own[free] = (struct pf_wire_chunk) { used, generation + 1, r->own[a].order };
	r->own[a] = r->own[b] = (struct pf_wire_chunk) { 0 };
	publish(r);
	r->current = a;
	return true;
}

/* Makes a free chunk the current one, and leaves another free. */
static bool advance(struct pf_reservoir *r)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t i = 0; i < r->count; i++) {
		if (r->own[i].used)
			continue;
		if (first != UINT32_MAX) {
			r->current = first;
			return true;
		}
		first = i;
	}
	return first != UINT32_MAX && thin(r, first);
}

bool pf_reservoir_add(struct pf_reservoir *r, const struct pf_wire_burst *burst, const uint32_t *ids)
{
	uint64_t size = pf_wire_burst_size(burst->edge_count);
	struct pf_wire_chunk *own, *shared;
	uint8_t *to;

	if (size > r->size || (r->own[r->current].used + size > r->size && !advance(r)))
		return false;
	own = &r->own[r->current];
	shared = &r->tables[r->epoch % 2 * r->count + r->current];
	to = chunk_at(r, r->current) + own->used;
	__builtin_memcpy(to, burst, sizeof *burst);
	__builtin_memcpy(to + sizeof *burst, ids, burst->edge_count * sizeof *ids);
	if (!own->used) {
		*own = (struct pf_wire_chunk) { .order = ++r->order };
		shared->generation = own->generation;
		shared->order = own->order;
	}
	own->used += (uint32_t)size;
	__atomic_store_n(&shared->used, own->used, __ATOMIC_RELEASE);
	return true;
}
