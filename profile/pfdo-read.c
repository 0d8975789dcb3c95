/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of whole .pfdo files.  It walks the functions in the order of the file instead of by the index, and so
 * sees every byte that belongs to a profile: gaps, doubles and checksums that no single function would show.  Hard
 * case: functions that share one frame of paths, which would inflate it for each: the frames must follow each other
 * as the functions do. */
#include "profile/model-internal.h"
#include "profile/pfdo-compiled.h"
#include "profile/pfdo-apart.h"

#include <string.h>
#include <zlib.h>

struct reader {
	struct pf_pfdo *file;
	struct pf_profile *profile;
	struct pf_error *error;
	uint64_t next_paths;	       /* offset of the path frame that comes next */
	uint32_t apart[PF_PFDO_APART]; /* functions so far that have some of each kind */
};

static int check_all_blocks(struct reader *reader, enum pf_pfdo_chunk chunk)
{
	const struct pf_pfdo_part *part = &reader->file->parts[chunk];
	uint64_t crcs = (part->offset + part->size + 3) & ~(uint64_t)3;
	uint64_t blocks = part->size / PF_PFDO_BLOCK + (part->size % PF_PFDO_BLOCK != 0);
	struct pf_cursor c;

	if ((uint32_t)crc32_z(0, reader->file->data + crcs, blocks * 4) != part->crc)
		return pf_pfdo_damaged(reader->file->path, crcs, "the checksum of the checksums does not match",
				       reader->error);
	return pf_pfdo_view(reader->file, chunk, 0, part->size, &c, reader->error);
}

/* Checks that frames fill CHUNK. */
static int check_all_frames(struct reader *reader, enum pf_pfdo_chunk chunk)
{
	int status = PF_OK;

	for (uint64_t at = 0; at < reader->file->parts[chunk].size && status == PF_OK;) {
		struct pf_cursor payload;

		status = pf_pfdo_frame(reader->file, chunk, at, &payload, &at, reader->error);
	}
	return status;
}

static const char *provenance_string(struct reader *reader, struct pf_cursor *c)
{
	const char *string = pf_pfdo_string(reader->file, pf_cursor_u32(c), reader->error);

	return string ? pf_profile_intern(reader->profile, string) : NULL;
}

static int read_provenance(struct reader *reader, struct pf_cursor *c)
{
	struct pf_provenance *provenance = pf_profile_add_provenance(reader->profile);
	uint32_t kind = pf_cursor_u32(c);

	if (!provenance)
		return pf_fail(reader->error, PF_ENOMEM, "%s: out of memory", reader->file->path);
	if (c->failed || kind < PF_SOURCE_LBR || kind > PF_SOURCE_OTHER)
		return pf_pfdo_damaged(reader->file->path, pf_cursor_offset(c), "an unknown kind of source",
				       reader->error);
	provenance->kind = kind;
	provenance->event = provenance_string(reader, c);
	provenance->binary = provenance_string(reader, c);
	provenance->build_id = provenance_string(reader, c);
	provenance->tool = provenance_string(reader, c);
	provenance->period = pf_cursor_u64(c);
	provenance->samples = pf_cursor_u64(c);
	provenance->lost = pf_cursor_u64(c);
	provenance->first_ns = pf_cursor_u64(c);
	provenance->last_ns = pf_cursor_u64(c);
	if (c->failed || !provenance->event || !provenance->binary || !provenance->build_id || !provenance->tool)
		return pf_pfdo_damaged(reader->file->path, pf_cursor_offset(c), "a provenance that cannot be read",
				       reader->error);
	return PF_OK;
}

static int read_provenances(struct reader *reader)
{
	struct pf_cursor c;
	uint32_t count;
	int status = pf_pfdo_view(reader->file, PF_CHUNK_PROVENANCE, 0, reader->file->parts[PF_CHUNK_PROVENANCE].size,
				  &c, reader->error);

	if (status < 0)
		return status;
	count = pf_cursor_u32(&c);
	for (uint32_t p = 0; p < count && status == PF_OK; p++)
		status = read_provenance(reader, &c);
	if (status == PF_OK && (c.failed || pf_cursor_left(&c)))
		return pf_pfdo_damaged(reader->file->path, c.origin,
				       "the provenance has not the size that it should have", reader->error);
	return status;
}

int pf_pfdo_provenances(struct pf_pfdo *file, struct pf_profile *profile, struct pf_error *error)
{
	struct reader reader = { .file = file, .profile = profile, .error = error };

	return read_provenances(&reader);
}

static int next_paths(void *closure, uint64_t offset, struct pf_cursor *frame, struct pf_error *error)
{
	struct reader *reader = closure;

	if (offset != reader->next_paths)
		return pf_pfdo_damaged(reader->file->path, reader->file->parts[PF_CHUNK_PATHS].offset,
				       "the paths are not in the order of their functions", error);
	return pf_pfdo_frame(reader->file, PF_CHUNK_PATHS, offset, frame, &reader->next_paths, error);
}

static const char *reader_string(void *closure, uint64_t offset, struct pf_error *error)
{
	return pf_pfdo_string(((struct reader *)closure)->file, offset, error);
}

static int read_function(struct reader *reader, uint64_t *at)
{
	struct pf_pfdo_source source = { reader->file->path, reader, reader_string, next_paths };
	uint32_t index = reader->profile->function_count;
	uint64_t offset = *at;
	struct pf_cursor payload;
	int status = pf_pfdo_frame(reader->file, PF_CHUNK_FUNCTIONS, *at, &payload, at, reader->error);

	if (status == PF_OK)
		status = pf_pfdo_decode_function(&source, &payload, reader->profile, reader->error);
	if (status == PF_OK && index &&
	    pf_function_compare(&reader->profile->functions[index - 1], &reader->profile->functions[index]) >= 0)
		status = pf_pfdo_damaged(reader->file->path, payload.origin, "functions out of order", reader->error);
	if (status == PF_OK)
		status = pf_pfdo_apart_get(reader->file, offset, reader->profile, &reader->profile->functions[index],
					   reader->apart, reader->error);
	return status;
}

static int read_functions(struct reader *reader)
{
	const struct pf_pfdo *file = reader->file;
	int status = pf_pfdo_apart_check(reader->file, reader->error);

	for (uint64_t at = 0; at < file->parts[PF_CHUNK_FUNCTIONS].size && status == PF_OK;)
		status = read_function(reader, &at);
	if (status < 0)
		return status;
	if (reader->profile->function_count != file->summary.function_count)
		return pf_pfdo_damaged(file->path, file->parts[PF_CHUNK_FUNCTIONS].offset,
				       "another number of functions than the summary says", reader->error);
	if (reader->next_paths != file->parts[PF_CHUNK_PATHS].size)
		return pf_pfdo_damaged(file->path, file->parts[PF_CHUNK_PATHS].offset + reader->next_paths,
				       "paths that belong to no function", reader->error);
	return pf_pfdo_apart_complete(reader->file, reader->apart, reader->error);
}

static int read_all(struct reader *reader)
{
	int status = check_all_blocks(reader, PF_CHUNK_STRINGS);

	if (status == PF_OK)
		status = check_all_blocks(reader, PF_CHUNK_FUNCTION_INDEX);
	if (status == PF_OK)
		status = check_all_blocks(reader, PF_CHUNK_HOST_INDEX);
	if (status == PF_OK && reader->file->parts[PF_CHUNK_COMPILED].offset)
		status = check_all_blocks(reader, PF_CHUNK_COMPILED);
	if (status == PF_OK && reader->file->parts[PF_CHUNK_RANKS].offset)
		status = check_all_blocks(reader, PF_CHUNK_RANKS);
	if (status == PF_OK && reader->file->parts[PF_CHUNK_VALUES].offset)
		status = check_all_blocks(reader, PF_CHUNK_VALUES);
	if (status == PF_OK && reader->file->parts[PF_CHUNK_SENSES].offset)
		status = check_all_blocks(reader, PF_CHUNK_SENSES);
	if (status == PF_OK)
		status = check_all_frames(reader, PF_CHUNK_HOSTS);
	if (status == PF_OK)
		status = read_provenances(reader);
	reader->profile->agreement = reader->file->agreement;
	if (status == PF_OK)
		status = pf_pfdo_decode_compiled(reader->file, reader->profile, reader->error);
	if (status == PF_OK)
		status = read_functions(reader);
	/* A foreign writer's order within a function may differ; readers of whole profiles rely on ours. */
	return status == PF_OK ? pf_profile_canonicalise(reader->profile, reader->error) : status;
}

int pf_pfdo_read(const char *path, struct pf_profile **profile, struct pf_error *error)
{
	struct reader reader = { .error = error };
	int status = pf_pfdo_open(path, &reader.file, error);

	*profile = NULL;
	if (status < 0)
		return status;
	reader.profile = pf_profile_alloc(reader.file->unit);
	status = reader.profile ? read_all(&reader) : pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (status == PF_OK)
		*profile = reader.profile;
	else
		pf_profile_free(reader.profile);
	pf_pfdo_close(reader.file);
	return status;
}
