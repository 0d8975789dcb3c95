/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pfdo-file.h.  Opening reads the header, the chunk table and the summary; everything else is checked piece by
 * piece when it is touched.  Hard case: offsets and sizes that lie, each by itself or together: all of them are
 * compared by subtraction with what is known to be there. */
#include "profile/pfdo-file.h"
#include "support/filekind.h"
#include "support/infile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MOST_OF_A_STREAM ((uint64_t)1 << 30)

int pf_pfdo_damaged(const char *path, uint64_t offset, const char *what, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s: offset %llu: %s; the file is damaged, make it anew", path,
		       (unsigned long long)offset, what);
}

static int cannot_read(const struct pf_pfdo *file, struct pf_error *error)
{
	return pf_fail(error, PF_EIO, "%s: cannot read: %s", file->path, strerror(errno));
}

/* How many bytes the profile that begins so should have; 0 if it is none. */
static uint64_t announced(const struct pf_buffer *start)
{
	struct pf_cursor c = pf_cursor_over(start->data, start->size, 0);
	const void *magic = pf_cursor_bytes(&c, PF_PFDO_MAGIC_SIZE);

	pf_cursor_bytes(&c, 8);
	return magic && memcmp(magic, PF_PFDO_MAGIC, PF_PFDO_MAGIC_SIZE) == 0 ? pf_cursor_u64(&c) : 0;
}

/* Reads what cannot be mapped: a pipe, standard input.  Nothing is taken of it beyond what shows that it is no
 * profile, or says that it is larger than memory should be given to, as it need not end. */
static int slurp(struct pf_pfdo *file, int fd, struct pf_error *error)
{
	struct pf_buffer buffer = { 0 };
	uint8_t piece[65536];
	ssize_t got = 1;
	int status;

	while (got != 0 && !buffer.failed && announced(&buffer) <= MOST_OF_A_STREAM &&
	       (buffer.size < PF_PFDO_HEADER_SIZE || buffer.size <= announced(&buffer))) {
		got = read(fd, piece, sizeof piece);
		if (got < 0 && errno != EINTR)
			break;
		if (got > 0)
			pf_buffer_bytes(&buffer, piece, (size_t)got);
	}
	status = got < 0         ? cannot_read(file, error)
		 : buffer.failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", file->path)
		 : announced(&buffer) > MOST_OF_A_STREAM
		     ? pf_fail(error, PF_ELIMIT, "%s: says that it is larger than 1 GiB; write it to a file first",
			       file->path)
		     : PF_OK;
	if (status < 0) {
		pf_buffer_fini(&buffer);
		return status;
	}
	file->data = buffer.data;
	file->size = buffer.size;
	return PF_OK;
}

static int map(struct pf_pfdo *file, int fd, size_t size, struct pf_error *error)
{
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return cannot_read(file, error);
	file->data = data;
	file->size = size;
	file->mapped = true;
	return PF_OK;
}

static int load(struct pf_pfdo *file, const char *path, struct pf_error *error)
{
	int fd = pf_infile_open(path, error), status;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		status = cannot_read(file, error);
	else if (strcmp(path, "-") == 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		status = slurp(file, fd, error);
	else
		status = map(file, fd, (size_t)st.st_size, error);
	close(fd);
	return status;
}

static int check_header(const struct pf_pfdo *file, struct pf_cursor *c, uint32_t *chunks, struct pf_error *error)
{
	const void *magic = pf_cursor_bytes(c, PF_PFDO_MAGIC_SIZE);
	uint16_t major = pf_cursor_u16(c);
	uint64_t size;

	if (!magic || memcmp(magic, PF_PFDO_MAGIC, PF_PFDO_MAGIC_SIZE) != 0)
		return pf_filekind_refuse(file->path, file->data, file->size, "a pathfdo profile",
					  "make one with pathfdo convert", error);
	if (!c->failed && major != PF_PFDO_MAJOR)
		return pf_fail(error, PF_EVERSION,
			       "%s: a profile of format %u, and this build reads format %u; convert the "
			       "recording anew or use a matching pathfdo",
			       file->path, major, PF_PFDO_MAJOR);
	pf_cursor_u16(c); /* a minor version adds only what an older reader may pass over */
	*chunks = pf_cursor_u32(c);
	size = pf_cursor_u64(c);
	pf_cursor_u32(c);
	if (c->failed || size > file->size)
		return pf_fail(error, PF_ETRUNCATED,
			       "%s: the file ends at offset %zu and should have %llu bytes; copy or "
			       "make it anew",
			       file->path, file->size, (unsigned long long)(c->failed ? PF_PFDO_HEADER_SIZE : size));
	if (size != file->size)
		return pf_pfdo_damaged(file->path, size, "bytes behind the end of the profile", error);
	if (pf_cursor_u32(c) != 0)
		return pf_fail(error, PF_EVERSION,
			       "%s: offset 28: a reserved field is set, by a later version of pathfdo; "
			       "use that version",
			       file->path);
	if (*chunks > PF_PFDO_MAX_CHUNKS || pf_cursor_left(c) / PF_PFDO_ENTRY_SIZE < *chunks)
		return pf_pfdo_damaged(file->path, 12, "more chunks than a profile can have", error);
	return PF_OK;
}

static int check_header_crc(const struct pf_pfdo *file, uint32_t chunks, struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(file->data + 24, 4, 24);
	uLong crc = crc32_z(0, file->data, 24);

	crc = crc32_z(crc, file->data + PF_PFDO_HEADER_SIZE, (size_t)chunks * PF_PFDO_ENTRY_SIZE);
	if (pf_cursor_u32(&c) != (uint32_t)crc)
		return pf_pfdo_damaged(file->path, 0, "the checksum of the header does not match", error);
	return PF_OK;
}

static uint64_t block_count(uint64_t size)
{
	return size / PF_PFDO_BLOCK + (size % PF_PFDO_BLOCK != 0);
}

/* The chunk's end in the file, its array of CRCs included, or 0 when that lies beyond the file. */
static uint64_t chunk_end(const struct pf_pfdo *file, uint64_t offset, uint64_t size, uint32_t check)
{
	uint64_t left;

	if (offset > file->size || size > file->size - offset)
		return 0;
	if (check != PF_CHECK_BLOCKS)
		return offset + size;
	offset = (offset + size + 3) & ~(uint64_t)3;
	left = offset > file->size ? 0 : file->size - offset;
	return block_count(size) * 4 > left ? 0 : offset + block_count(size) * 4;
}

static int unknown_chunk(const struct pf_pfdo *file, uint64_t at, const char *tag, struct pf_error *error)
{
	if (tag[0] >= 'a' && tag[0] <= 'z')
		return PF_OK;
	if (tag[0] >= 'A' && tag[0] <= 'Z')
		return pf_fail(
		    error, PF_EVERSION,
		    "%s: offset %llu: chunk '%.4s' is unknown and must not be passed over; use the version of "
		    "pathfdo that wrote it",
		    file->path, (unsigned long long)at, tag);
	return pf_pfdo_damaged(file->path, at, "a chunk without a name", error);
}

/* Reads one entry of the table; *PREVIOUS_END is where the chunk before it ends. */
static int read_entry(struct pf_pfdo *file, struct pf_cursor *c, uint64_t *previous_end, struct pf_error *error)
{
	uint64_t at = pf_cursor_offset(c);
	const char *tag = pf_cursor_bytes(c, 4);
	uint32_t check = pf_cursor_u32(c);
	struct pf_pfdo_part part = { .offset = pf_cursor_u64(c), .size = pf_cursor_u64(c), .crc = pf_cursor_u32(c) };
	uint32_t reserved = pf_cursor_u32(c);
	uint64_t end = chunk_end(file, part.offset, part.size, check);
	size_t kind = 0;

	if (c->failed || part.offset < *previous_end || part.offset % 8 || !end)
		return pf_pfdo_damaged(file->path, at, "a chunk lies outside of the file or in another chunk", error);
	*previous_end = end;
	while (kind < PF_CHUNK_COUNT && memcmp(tag, pf_pfdo_chunk_kinds[kind].tag, 4) != 0)
		kind++;
	if (kind == PF_CHUNK_COUNT)
		return unknown_chunk(file, at, tag, error);
	if (reserved || check != pf_pfdo_chunk_kinds[kind].check)
		return pf_fail(
		    error, PF_EVERSION,
		    "%s: offset %llu: chunk '%.4s' is stored in a way that this build does not know; use the "
		    "version of pathfdo that wrote it",
		    file->path, (unsigned long long)at, tag);
	if (file->parts[kind].offset)
		return pf_pfdo_damaged(file->path, at, "a chunk is there twice", error);
	file->parts[kind] = part;
	return PF_OK;
}

static int read_table(struct pf_pfdo *file, struct pf_cursor *c, uint32_t chunks, struct pf_error *error)
{
	uint64_t previous_end = PF_PFDO_HEADER_SIZE + (uint64_t)chunks * PF_PFDO_ENTRY_SIZE;
	int status = PF_OK;

	for (uint32_t i = 0; i < chunks && status == PF_OK; i++)
		status = read_entry(file, c, &previous_end, error);
	for (size_t k = 0; k < PF_CHUNK_COUNT && status == PF_OK; k++) {
		if (!file->parts[k].offset && !pf_pfdo_may_lack(k))
			status =
			    pf_fail(error, PF_EFORMAT, "%s: chunk '%s' is missing; the file is damaged, make it anew",
				    file->path, pf_pfdo_chunk_kinds[k].tag);
	}
	return status;
}

static int read_summary(struct pf_pfdo *file, struct pf_error *error)
{
	struct pf_summary *summary = &file->summary;
	struct pf_cursor c;
	uint32_t cutoffs;
	int status = pf_pfdo_view(file, PF_CHUNK_SUMMARY, 0, file->parts[PF_CHUNK_SUMMARY].size, &c, error);

	if (status < 0)
		return status;
	file->unit = pf_cursor_u32(&c);
	summary->function_count = pf_cursor_u32(&c);
	summary->total = pf_cursor_u64(&c);
	summary->maximum = pf_cursor_u64(&c);
	summary->positions = pf_cursor_u64(&c);
	cutoffs = pf_cursor_u32(&c);
	for (size_t i = 0; i < PF_CUTOFF_COUNT; i++) {
		summary->cutoffs[i].permille = pf_cursor_u32(&c);
		summary->cutoffs[i].minimum = pf_cursor_u64(&c);
		summary->cutoffs[i].positions = pf_cursor_u64(&c);
	}
	if (c.failed || cutoffs != PF_CUTOFF_COUNT || pf_cursor_left(&c))
		return pf_pfdo_damaged(file->path, c.origin, "the summary has not the size that it should have", error);
	if (file->unit != PF_UNIT_EXECUTIONS && file->unit != PF_UNIT_SAMPLES)
		return pf_pfdo_damaged(file->path, c.origin, "counts of an unknown unit", error);
	return PF_OK;
}

static int read_agreement(struct pf_pfdo *file, struct pf_error *error)
{
	struct pf_cursor c;
	int status = pf_pfdo_view(file, PF_CHUNK_AGREEMENT, 0, file->parts[PF_CHUNK_AGREEMENT].size, &c, error);

	if (status < 0)
		return status;
	file->agreement.looks = pf_cursor_u64(&c);
	file->agreement.square = pf_cursor_u64(&c);
	if (c.failed || pf_cursor_left(&c) || file->agreement.looks == 0)
		return pf_pfdo_damaged(file->path, c.origin, "what says how far halves agree says nothing", error);
	return PF_OK;
}

static int read_alone(struct pf_pfdo *file, struct pf_error *error)
{
	struct pf_cursor c;
	int status = pf_pfdo_view(file, PF_CHUNK_ALONE, 0, file->parts[PF_CHUNK_ALONE].size, &c, error);

	if (status < 0)
		return status;
	file->agreement.alone = pf_cursor_u64(&c);
	if (c.failed || pf_cursor_left(&c) || file->agreement.looks == 0)
		return pf_pfdo_damaged(file->path, c.origin, "what says how much a single look saw says nothing",
				       error);
	return PF_OK;
}

static int open_file(struct pf_pfdo *file, const char *path, struct pf_error *error)
{
	struct pf_cursor c;
	uint32_t chunks = 0;
	int status = load(file, path, error);

	if (status < 0)
		return status;
	c = pf_cursor_over(file->data, file->size, 0);
	status = check_header(file, &c, &chunks, error);
	if (status == PF_OK)
		status = check_header_crc(file, chunks, error);
	if (status == PF_OK)
		status = read_table(file, &c, chunks, error);
	if (status == PF_OK)
		status = read_summary(file, error);
	if (status == PF_OK && file->parts[PF_CHUNK_AGREEMENT].offset)
		status = read_agreement(file, error);
	return status == PF_OK && file->parts[PF_CHUNK_ALONE].offset ? read_alone(file, error) : status;
}

int pf_pfdo_open(const char *path, struct pf_pfdo **file, struct pf_error *error)
{
	struct pf_pfdo *opened = calloc(1, sizeof *opened);
	int status;

	*file = NULL;
	if (opened)
		opened->path = strdup(pf_infile_name(path));
	if (!opened || !opened->path)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	else
		status = open_file(opened, path, error);
	if (status < 0)
		pf_pfdo_close(opened);
	else
		*file = opened;
	return status;
}

void pf_pfdo_close(struct pf_pfdo *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < PF_CHUNK_COUNT; i++)
		free(file->parts[i].checked);
	if (file->mapped)
		munmap((void *)(uintptr_t)file->data, file->size);
	else
		free((void *)(uintptr_t)file->data);
	free(file->path);
	free(file);
}

const struct pf_summary *pf_pfdo_summary(const struct pf_pfdo *file)
{
	return &file->summary;
}

const struct pf_agreement *pf_pfdo_agreement(const struct pf_pfdo *file)
{
	return &file->agreement;
}

uint32_t pf_pfdo_hash(const struct pf_pfdo *file)
{
	struct pf_cursor c = pf_cursor_over(file->data + 24, 4, 24);

	return pf_cursor_u32(&c);
}

enum pf_count_unit pf_pfdo_unit(const struct pf_pfdo *file)
{
	return file->unit;
}

/* Compares block INDEX of PART with its CRC, unless that was done before. */
static int check_block(struct pf_pfdo *file, struct pf_pfdo_part *part, uint64_t index, struct pf_error *error)
{
	uint64_t start = part->offset + index * PF_PFDO_BLOCK;
	uint64_t left = part->offset + part->size - start;
	uint64_t crc_at = ((part->offset + part->size + 3) & ~(uint64_t)3) + index * 4;
	struct pf_cursor stored = pf_cursor_over(file->data + crc_at, 4, crc_at);

	if (part->checked[index / 8] & 1u << index % 8)
		return PF_OK;
	if (pf_cursor_u32(&stored) !=
	    (uint32_t)crc32_z(0, file->data + start, left < PF_PFDO_BLOCK ? left : PF_PFDO_BLOCK))
		return pf_pfdo_damaged(file->path, start, "a checksum does not match", error);
	part->checked[index / 8] |= (uint8_t)(1u << index % 8);
	return PF_OK;
}

static int check_blocks(struct pf_pfdo *file, struct pf_pfdo_part *part, uint64_t offset, uint64_t size,
			struct pf_error *error)
{
	int status = PF_OK;

	if (!size)
		return PF_OK;
	if (!part->checked) {
		part->checked = calloc(block_count(part->size) / 8 + 1, 1);
		if (!part->checked)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", file->path);
	}
	for (uint64_t b = offset / PF_PFDO_BLOCK; b <= (offset + size - 1) / PF_PFDO_BLOCK && status == PF_OK; b++)
		status = check_block(file, part, b, error);
	return status;
}

int pf_pfdo_view(struct pf_pfdo *file, enum pf_pfdo_chunk chunk, uint64_t offset, uint64_t size,
		 struct pf_cursor *cursor, struct pf_error *error)
{
	struct pf_pfdo_part *part = &file->parts[chunk];
	const uint8_t *data = file->data + part->offset;

	if (offset > part->size || size > part->size - offset)
		return pf_pfdo_damaged(file->path, part->offset, "something refers beyond the end of this chunk",
				       error);
	*cursor = pf_cursor_over(data + offset, size, part->offset + offset);
	if (pf_pfdo_chunk_kinds[chunk].check == PF_CHECK_BLOCKS)
		return check_blocks(file, part, offset, size, error);
	if (pf_pfdo_chunk_kinds[chunk].check == PF_CHECK_WHOLE && (uint32_t)crc32_z(0, data, part->size) != part->crc)
		return pf_pfdo_damaged(file->path, part->offset, "the checksum of the chunk does not match", error);
	return PF_OK;
}

int pf_pfdo_frame(struct pf_pfdo *file, enum pf_pfdo_chunk chunk, uint64_t offset, struct pf_cursor *payload,
		  uint64_t *end, struct pf_error *error)
{
	const struct pf_pfdo_part *part = &file->parts[chunk];
	struct pf_cursor c;
	uint32_t size, crc;
	int status = pf_pfdo_view(file, chunk, offset, offset > part->size ? 0 : part->size - offset, &c, error);

	if (status < 0)
		return status;
	size = pf_cursor_u32(&c);
	crc = pf_cursor_u32(&c);
	*payload = pf_cursor_sub(&c, size);
	if (c.failed)
		return pf_pfdo_damaged(file->path, part->offset + offset, "a record ends beyond its chunk", error);
	if ((uint32_t)crc32_z(0, payload->base, size) != crc)
		return pf_pfdo_damaged(file->path, payload->origin, "the checksum of the record does not match", error);
	if (end)
		*end = offset + c.at;
	return PF_OK;
}

const char *pf_pfdo_string(void *closure, uint64_t offset, struct pf_error *error)
{
	struct pf_pfdo *file = closure;
	struct pf_pfdo_part *part = &file->parts[PF_CHUNK_STRINGS];
	uint64_t at = offset;

	while (at < part->size) {
		uint64_t end = (at / PF_PFDO_BLOCK + 1) * PF_PFDO_BLOCK;

		if (end > part->size)
			end = part->size;
		if (check_blocks(file, part, at, 1, error) < 0)
			return NULL;
		if (memchr(file->data + part->offset + at, 0, end - at))
			return (const char *)file->data + part->offset + offset;
		at = end;
	}
	pf_pfdo_damaged(file->path, part->offset, "something refers beyond the end of the string table", error);
	return NULL;
}
