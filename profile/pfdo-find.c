/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single functions of an open .pfdo file, by name: what a compile reads.  Hard case: a hostile index, whose buckets
 * and entries may say anything; an entry counts only when the string that it names is the one that was asked for. */
#include "profile/arena.h"
#include "profile/pfdo-apart.h"

#include <string.h>

/* The part of an index where a name can be. */
struct range {
	uint32_t first, end;
	uint64_t entries; /* offset of the first entry in the chunk */
};

static int find_range(struct pf_pfdo *file, enum pf_pfdo_chunk index, uint64_t hash, struct range *range,
		      struct pf_error *error)
{
	struct pf_cursor c;
	uint32_t count, bits;
	uint64_t bucket, at;
	int status = pf_pfdo_view(file, index, 0, PF_PFDO_INDEX_HEAD, &c, error);

	if (status < 0)
		return status;
	count = pf_cursor_u32(&c);
	bits = pf_cursor_u32(&c);
	if (bits > PF_PFDO_MAX_BUCKET_BITS)
		return pf_pfdo_damaged(file->path, c.origin, "an index with too many buckets", error);
	bucket = bits ? hash >> (64 - bits) : 0;
	at = PF_PFDO_INDEX_HEAD + (((uint64_t)1 << bits) + 1) * 4;
	range->entries = (at + 7) & ~(uint64_t)7;
	status = pf_pfdo_view(file, index, PF_PFDO_INDEX_HEAD + bucket * 4, 8, &c, error);
	if (status < 0)
		return status;
	range->first = pf_cursor_u32(&c);
	range->end = pf_cursor_u32(&c);
	if (range->first > range->end || range->end > count)
		return pf_pfdo_damaged(file->path, c.origin, "a bucket of the index is out of range", error);
	return PF_OK;
}

/* Gives the offset of the next frame of NAME in *OFFSET and moves RANGE past its entry; *OFFSET is UINT64_MAX when
 * there is none. */
static int next_frame(struct pf_pfdo *file, enum pf_pfdo_chunk index, struct range *range, const char *name,
		      uint64_t hash, uint64_t *offset, struct pf_error *error)
{
	*offset = UINT64_MAX;
	while (range->first < range->end) {
		uint64_t at = range->entries + (uint64_t)range->first++ * PF_PFDO_INDEX_ENTRY;
		uint64_t entry_hash, frame;
		const char *entry_name;
		struct pf_cursor c;
		int status = pf_pfdo_view(file, index, at, PF_PFDO_INDEX_ENTRY, &c, error);

		if (status < 0)
			return status;
		entry_hash = pf_cursor_u64(&c);
		frame = pf_cursor_u64(&c);
		if (entry_hash > hash)
			return PF_OK;
		if (entry_hash < hash)
			continue;
		entry_name = pf_pfdo_string(file, pf_cursor_u32(&c), error);
		if (!entry_name)
			return PF_EFORMAT;
		if (strcmp(entry_name, name) == 0) {
			*offset = frame;
			return PF_OK;
		}
	}
	return PF_OK;
}

static int paths_at(void *closure, uint64_t offset, struct pf_cursor *frame, struct pf_error *error)
{
	return pf_pfdo_frame(closure, PF_CHUNK_PATHS, offset, frame, NULL, error);
}

/* What pf_pfdo_decode_function reads from. */
static struct pf_pfdo_source source_of(struct pf_pfdo *file)
{
	return (
	    struct pf_pfdo_source) { .path = file->path, .closure = file, .string = pf_pfdo_string, .paths = paths_at };
}

static int read_function(struct pf_pfdo *file, const char *name, uint64_t offset, struct pf_profile *profile,
			 struct pf_error *error)
{
	struct pf_pfdo_source source = source_of(file);
	struct pf_cursor payload;
	int status = pf_pfdo_frame(file, PF_CHUNK_FUNCTIONS, offset, &payload, NULL, error);

	if (status == PF_OK)
		status = pf_pfdo_decode_function(&source, &payload, profile, error);
	if (status == PF_OK && strcmp(profile->functions[profile->function_count - 1].name, name) != 0)
		return pf_pfdo_damaged(file->path, payload.origin, "the index leads to another function", error);
	if (status == PF_OK)
		status = pf_pfdo_apart_get(file, offset, profile, &profile->functions[profile->function_count - 1],
					   NULL, error);
	return status;
}

/* The rank that belongs to entry ENTRY of the index; 0 in a file without ranks. */
static int read_rank(struct pf_pfdo *file, uint32_t entry, uint32_t *rank, struct pf_error *error)
{
	struct pf_cursor c;
	int status;

	*rank = 0;
	if (!file->parts[PF_CHUNK_RANKS].offset)
		return PF_OK;
	status =
	    pf_pfdo_view(file, PF_CHUNK_RANKS, (uint64_t)entry * PF_PFDO_RANK_ENTRY, PF_PFDO_RANK_ENTRY, &c, error);
	if (status < 0)
		return status;
	*rank = pf_cursor_u32(&c);
	if (*rank > file->summary.function_count)
		return pf_pfdo_damaged(file->path, c.origin, "a rank above the number of functions", error);
	return PF_OK;
}

int pf_pfdo_find(struct pf_pfdo *file, const char *name, struct pf_profile *profile, uint32_t *first, uint32_t *found,
		 struct pf_error *error)
{
	uint64_t hash = pf_arena_hash(name, strlen(name));
	struct range range;
	uint64_t offset;
	int status = find_range(file, PF_CHUNK_FUNCTION_INDEX, hash, &range, error);

	*first = profile->function_count;
	*found = 0;
	while (status == PF_OK) {
		status = next_frame(file, PF_CHUNK_FUNCTION_INDEX, &range, name, hash, &offset, error);
		if (status < 0 || offset == UINT64_MAX)
			break;
		status = read_function(file, name, offset, profile, error);
		if (status == PF_OK)
			status = read_rank(file, range.first - 1, &profile->functions[profile->function_count - 1].rank,
					   error);
	}
	if (status < 0)
		profile->function_count = *first;
	*found = profile->function_count - *first;
	return status;
}

/* Visits the hosts that the list under C names, which ascend as their strings do. */
static int visit_list(struct pf_pfdo *file, struct pf_cursor *c, int (*visit)(const char *host, void *closure),
		      void *closure)
{
	uint64_t count = pf_cursor_uleb(c), offset = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t distance = pf_cursor_uleb(c);
		const char *host;
		int stop;

		if (c->failed || (i && !distance) || distance > UINT32_MAX)
			return PF_EFORMAT;
		offset += distance;
		host = pf_pfdo_string(file, offset, NULL);
		if (!host)
			return PF_EFORMAT;
		stop = visit(host, closure);
		if (stop)
			return stop;
	}
	return c->failed || pf_cursor_left(c) ? PF_EFORMAT : PF_OK;
}

int pf_pfdo_hosts(struct pf_pfdo *file, const char *name, int (*visit)(const char *host, void *closure), void *closure)
{
	uint64_t hash = pf_arena_hash(name, strlen(name));
	struct pf_cursor payload;
	struct range range;
	uint64_t offset;
	int status = find_range(file, PF_CHUNK_HOST_INDEX, hash, &range, NULL);

	if (status == PF_OK)
		status = next_frame(file, PF_CHUNK_HOST_INDEX, &range, name, hash, &offset, NULL);
	if (status < 0 || offset == UINT64_MAX)
		return status;
	status = pf_pfdo_frame(file, PF_CHUNK_HOSTS, offset, &payload, NULL, NULL);
	return status < 0 ? status : visit_list(file, &payload, visit, closure);
}
