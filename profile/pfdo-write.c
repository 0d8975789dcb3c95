/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer of .pfdo files.  All chunks are built in memory, so that sizes and CRCs are known and nothing is written
 * before everything has succeeded.  Hard case: the same profile must give the same bytes, so strings are in sorted
 * order, not in that of their interning, and every index is sorted by what the profile says, never by an address. */
#include "profile/arena.h"
#include "profile/model-internal.h"
#include "profile/pfdo-compiled.h"
#include "profile/pfdo-format.h"
#include "profile/pfdo-index.h"
#include "profile/pfdo-apart.h"
#include "profile/pfdo.h"
#include "profile/ranking.h"
#include "support/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct writer {
	struct pf_profile *profile;
	struct pf_buffer chunks[PF_CHUNK_COUNT];
	const char **strings; /* those in use, sorted */
	size_t string_count, string_capacity;
	struct pf_error *error;
};

static int out_of_memory(struct writer *writer)
{
	return pf_fail(writer->error, PF_ENOMEM, "out of memory while a profile was written");
}

static int clear_mark(const char **string, void *closure)
{
	(void)closure;
	*pf_arena_mark(*string) = 0;
	return 0;
}

static int collect_string(const char **string, void *closure)
{
	struct writer *writer = closure;
	uint32_t *mark = pf_arena_mark(*string);

	if (*mark)
		return 0;
	*mark = 1;
	if (writer->string_count == writer->string_capacity) {
		size_t wanted = writer->string_capacity ? writer->string_capacity * 2 : 256;
		const char **grown = reallocarray(writer->strings, wanted, sizeof *grown);

		if (!grown)
			return out_of_memory(writer);
		writer->strings = grown;
		writer->string_capacity = wanted;
	}
	writer->strings[writer->string_count++] = *string;
	return 0;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Fills the string table and leaves each string's offset plus one in its mark. */
static int write_strings(struct writer *writer)
{
	struct pf_buffer *out = &writer->chunks[PF_CHUNK_STRINGS];
	int status;

	pf_profile_visit_strings(writer->profile, clear_mark, NULL);
	status = pf_profile_visit_strings(writer->profile, collect_string, writer);
	if (status < 0)
		return status;
	if (writer->string_count)
		qsort(writer->strings, writer->string_count, sizeof *writer->strings, compare_strings);
	for (size_t i = 0; i < writer->string_count; i++) {
		if (out->size >= UINT32_MAX)
			return pf_fail(writer->error, PF_ELIMIT,
				       "the names of the profile need more than the 4 GiB that a profile file holds");
		*pf_arena_mark(writer->strings[i]) = (uint32_t)out->size + 1;
		pf_buffer_string(out, writer->strings[i]);
	}
	return PF_OK;
}

static uint32_t string_offset(const char *interned)
{
	return *pf_arena_mark(interned) - 1;
}

static int write_summary(struct writer *writer)
{
	struct pf_buffer *out = &writer->chunks[PF_CHUNK_SUMMARY];
	struct pf_summary summary;
	int status = pf_profile_summarise(writer->profile, &summary, writer->error);

	if (status < 0)
		return status;
	pf_buffer_u32(out, writer->profile->unit);
	pf_buffer_u32(out, summary.function_count);
	pf_buffer_u64(out, summary.total);
	pf_buffer_u64(out, summary.maximum);
	pf_buffer_u64(out, summary.positions);
	pf_buffer_u32(out, PF_CUTOFF_COUNT);
	for (size_t i = 0; i < PF_CUTOFF_COUNT; i++) {
		pf_buffer_u32(out, summary.cutoffs[i].permille);
		pf_buffer_u64(out, summary.cutoffs[i].minimum);
		pf_buffer_u64(out, summary.cutoffs[i].positions);
	}
	return PF_OK;
}

static void write_provenances(struct writer *writer)
{
	struct pf_buffer *out = &writer->chunks[PF_CHUNK_PROVENANCE];

	pf_buffer_u32(out, writer->profile->provenance_count);
	for (uint32_t p = 0; p < writer->profile->provenance_count; p++) {
		const struct pf_provenance *provenance = &writer->profile->provenances[p];

		pf_buffer_u32(out, provenance->kind);
		pf_buffer_u32(out, string_offset(provenance->event));
		pf_buffer_u32(out, string_offset(provenance->binary));
		pf_buffer_u32(out, string_offset(provenance->build_id));
		pf_buffer_u32(out, string_offset(provenance->tool));
		pf_buffer_u64(out, provenance->period);
		pf_buffer_u64(out, provenance->samples);
		pf_buffer_u64(out, provenance->lost);
		pf_buffer_u64(out, provenance->first_ns);
		pf_buffer_u64(out, provenance->last_ns);
	}
}

static struct pf_pfdo_index_entry index_entry(const char *interned, uint64_t offset)
{
	return (struct pf_pfdo_index_entry) {
		.hash = pf_arena_hash(interned, strlen(interned)),
		.offset = offset,
		.name = string_offset(interned),
	};
}

static int write_function(struct writer *writer, const struct pf_function *function)
{
	struct pf_buffer payload = { 0 };
	int status = pf_pfdo_encode_function(function, &payload, &writer->chunks[PF_CHUNK_PATHS], writer->error);

	if (status == PF_OK && payload.failed)
		status = out_of_memory(writer);
	if (status == PF_OK && payload.size > UINT32_MAX)
		status = pf_fail(writer->error, PF_ELIMIT, "function %s: larger than the 4 GiB that a record holds",
				 function->name);
	if (status == PF_OK)
		pf_pfdo_append_frame(&writer->chunks[PF_CHUNK_FUNCTIONS], payload.data, payload.size);
	pf_buffer_fini(&payload);
	return status;
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* One rank for each entry of the index, in its order; the entries of functions that lie behind each other have
 * ascending offsets. */
static int write_ranks(struct writer *writer, const struct pf_pfdo_index_entry *entries)
{
	uint32_t count = writer->profile->function_count;
	uint32_t *ranks = calloc((size_t)count + 1, sizeof *ranks);
	uint64_t *offsets = calloc((size_t)count + 1, sizeof *offsets);
	int status = ranks && offsets ? pf_profile_rank(writer->profile, ranks) : PF_ENOMEM;

	for (uint32_t i = 0; status == PF_OK && i < count; i++)
		offsets[i] = entries[i].offset;
	if (status == PF_OK && count)
		qsort(offsets, count, sizeof *offsets, compare_offsets);
	for (uint32_t i = 0; status == PF_OK && i < count; i++) {
		const uint64_t *at = bsearch(&entries[i].offset, offsets, count, sizeof *offsets, compare_offsets);
		pf_buffer_u32(&writer->chunks[PF_CHUNK_RANKS], ranks[at - offsets]);
	}
	free(ranks);
	free(offsets);
	return status == PF_OK ? PF_OK : out_of_memory(writer);
}

static int write_functions(struct writer *writer)
{
	struct pf_pfdo_apart apart = { 0 };
	uint32_t count = writer->profile->function_count;
	struct pf_pfdo_index_entry *entries = calloc((size_t)count + 1, sizeof *entries);
	int status = PF_OK;

	if (!entries)
		return out_of_memory(writer);
	for (uint32_t f = 0; f < count && status == PF_OK; f++) {
		const struct pf_function *function = &writer->profile->functions[f];

		entries[f] = index_entry(function->name, writer->chunks[PF_CHUNK_FUNCTIONS].size);
		pf_pfdo_apart_add(&apart, function, entries[f].offset);
		status = write_function(writer, function);
	}
	if (status == PF_OK) {
		pf_pfdo_append_index(&writer->chunks[PF_CHUNK_FUNCTION_INDEX], entries, count);
		status = write_ranks(writer, entries);
	}
	pf_pfdo_apart_finish(&apart, writer->chunks);
	free(entries);
	return status;
}

/* CALLEE was inlined into HOST. */
struct inlining {
	const char *callee, *host; /* interned: equal strings are equal pointers */
};

/* String offsets are in the order of the strings, and quicker to compare. */
static int compare_inlinings(const void *a, const void *b)
{
	const struct inlining *x = a, *y = b;
	uint32_t p = string_offset(x->callee), q = string_offset(y->callee);

	if (p == q) {
		p = string_offset(x->host);
		q = string_offset(y->host);
	}
	return (p > q) - (p < q);
}

/* Every (callee, host) pair of the profile, sorted, each once; NULL when out of memory. */
static struct inlining *collect_inlinings(const struct pf_profile *profile, size_t *count)
{
	size_t all = 0, filled = 0, kept = 0;
	struct inlining *inlinings;

	for (uint32_t f = 0; f < profile->function_count; f++)
		all += profile->functions[f].node_count - 1;
	inlinings = calloc(all + 1, sizeof *inlinings);
	for (uint32_t f = 0; inlinings && f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t n = 1; n < function->node_count; n++)
			inlinings[filled++] = (struct inlining) { function->nodes[n].name, function->name };
	}
	if (inlinings)
		qsort(inlinings, filled, sizeof *inlinings, compare_inlinings);
	for (size_t i = 0; i < filled; i++) {
		if (!kept || compare_inlinings(&inlinings[kept - 1], &inlinings[i]) != 0)
			inlinings[kept++] = inlinings[i];
	}
	*count = kept;
	return inlinings;
}

/* One frame: how many hosts, then their string offsets, each as the distance from the one before. */
static void write_host_list(struct writer *writer, const struct inlining *inlinings, size_t count)
{
	struct pf_buffer payload = { 0 };
	uint32_t previous = 0;

	pf_buffer_uleb(&payload, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t offset = string_offset(inlinings[i].host);

		pf_buffer_uleb(&payload, offset - previous);
		previous = offset;
	}
	writer->chunks[PF_CHUNK_HOSTS].failed |= payload.failed;
	if (!payload.failed)
		pf_pfdo_append_frame(&writer->chunks[PF_CHUNK_HOSTS], payload.data, payload.size);
	pf_buffer_fini(&payload);
}

static int write_hosts(struct writer *writer)
{
	size_t count = 0;
	uint32_t lists = 0;
	struct inlining *inlinings = collect_inlinings(writer->profile, &count);
	struct pf_pfdo_index_entry *entries = calloc(count + 1, sizeof *entries);
	int status = inlinings && entries ? PF_OK : out_of_memory(writer);

	for (size_t first = 0, end; status == PF_OK && first < count; first = end) {
		end = first + 1;
		while (end < count && inlinings[end].callee == inlinings[first].callee)
			end++;
		entries[lists++] = index_entry(inlinings[first].callee, writer->chunks[PF_CHUNK_HOSTS].size);
		write_host_list(writer, inlinings + first, end - first);
	}
	if (status == PF_OK)
		pf_pfdo_append_index(&writer->chunks[PF_CHUNK_HOST_INDEX], entries, lists);
	free(entries);
	free(inlinings);
	return status;
}

/* Appends CHUNK to the file and its entry to the table at TABLE. */
static void append_chunk(struct pf_buffer *file, const struct pf_buffer *chunk, const struct pf_pfdo_chunk_kind *kind,
			 struct pf_buffer *table)
{
	uint64_t offset = file->size;
	uint32_t crc = 0;

	pf_buffer_bytes(file, chunk->data, chunk->size);
	if (kind->check != PF_CHECK_BLOCKS)
		crc = (uint32_t)crc32_z(0, chunk->data, chunk->size);
	if (kind->check == PF_CHECK_BLOCKS) {
		struct pf_buffer checks = { 0 };

		for (size_t at = 0; at < chunk->size; at += PF_PFDO_BLOCK) {
			size_t left = chunk->size - at;

			pf_buffer_u32(&checks, (uint32_t)crc32_z(0, chunk->data + at,
								 left < PF_PFDO_BLOCK ? left : PF_PFDO_BLOCK));
		}
		crc = (uint32_t)crc32_z(0, checks.data, checks.size);
		pf_buffer_align(file, 4);
		pf_buffer_bytes(file, checks.data, checks.size);
		file->failed |= checks.failed;
		pf_buffer_fini(&checks);
	}
	pf_buffer_align(file, 8);
	pf_buffer_bytes(table, kind->tag, 4);
	pf_buffer_u32(table, kind->check);
	pf_buffer_u64(table, offset);
	pf_buffer_u64(table, chunk->size);
	pf_buffer_u32(table, crc);
	pf_buffer_u32(table, 0);
}

static bool is_written(const struct writer *writer, enum pf_pfdo_chunk chunk)
{
	return !pf_pfdo_may_lack(chunk) || writer->chunks[chunk].size > 0;
}

/* Header, table and chunks in one buffer. */
static void assemble(struct writer *writer, struct pf_buffer *file)
{
	struct pf_buffer table = { 0 };
	uint32_t count = 0;
	uLong crc;

	for (size_t i = 0; i < PF_CHUNK_COUNT; i++)
		count += is_written(writer, i);
	pf_buffer_bytes(file, PF_PFDO_MAGIC, PF_PFDO_MAGIC_SIZE);
	pf_buffer_u16(file, PF_PFDO_MAJOR);
	pf_buffer_u16(file, PF_PFDO_MINOR);
	pf_buffer_u32(file, count);
	pf_buffer_u64(file, 0);
	pf_buffer_u32(file, 0);
	pf_buffer_u32(file, 0);
	pf_buffer_bytes(file, NULL, (size_t)count * PF_PFDO_ENTRY_SIZE);
	for (size_t i = 0; i < PF_CHUNK_COUNT; i++) {
		if (is_written(writer, i))
			append_chunk(file, &writer->chunks[i], &pf_pfdo_chunk_kinds[i], &table);
		file->failed |= writer->chunks[i].failed;
		pf_buffer_fini(&writer->chunks[i]);
	}
	file->failed |= table.failed;
	if (!file->failed) {
		memcpy(file->data + PF_PFDO_HEADER_SIZE, table.data, table.size);
		pf_buffer_patch_u64(file, 16, file->size);
		crc = crc32_z(0, file->data, 24);
		pf_buffer_patch_u32(file, 24, (uint32_t)crc32_z(crc, table.data, table.size));
	}
	pf_buffer_fini(&table);
}

static void write_agreement(struct writer *writer)
{
	const struct pf_agreement *agreement = &writer->profile->agreement;

	if (agreement->looks == 0)
		return;
	pf_buffer_u64(&writer->chunks[PF_CHUNK_AGREEMENT], agreement->looks);
	pf_buffer_u64(&writer->chunks[PF_CHUNK_AGREEMENT], agreement->square);
	if (agreement->alone)
		pf_buffer_u64(&writer->chunks[PF_CHUNK_ALONE], agreement->alone);
}

static int build(struct writer *writer)
{
	int status = pf_profile_canonicalise(writer->profile, writer->error);

	if (status == PF_OK)
		status = write_strings(writer);
	if (status == PF_OK)
		status = write_summary(writer);
	if (status == PF_OK) {
		write_provenances(writer);
		write_agreement(writer);
		status = write_functions(writer);
	}
	if (status == PF_OK)
		status = write_hosts(writer);
	if (status == PF_OK && pf_pfdo_encode_compiled(writer->profile, &writer->chunks[PF_CHUNK_COMPILED]) < 0)
		status = out_of_memory(writer);
	return status;
}

int pf_pfdo_write(struct pf_profile *profile, const char *path, struct pf_error *error)
{
	struct writer writer = { .profile = profile, .error = error };
	struct pf_buffer file = { 0 };
	int status = build(&writer);

	if (status == PF_OK) {
		assemble(&writer, &file);
		status = file.failed ? out_of_memory(&writer) : pf_outfile_write(path, file.data, file.size, error);
	}
	for (size_t i = 0; i < PF_CHUNK_COUNT; i++)
		pf_buffer_fini(&writer.chunks[i]);
	pf_buffer_fini(&file);
	free(writer.strings);
	return status;
}
