/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See elf.h: contents of sections.  Compressed ones (SHF_COMPRESSED with zlib or zstd, and the older .zdebug) are
 * inflated once; the hard case is an announced size that would take all memory, so it must be possible for the
 * number of compressed bytes. */
#include "converter/elf.h"
#include "support/cursor.h"

#include <elf.h>
#include <zlib.h>
#include <zstd.h>

#define COMPRESS_ZSTD 2u /* ELFCOMPRESS_ZSTD, which older elf.h do not have */
#define BEST_RATIO 1100u /* deflate cannot do better than 1032:1 */
#define BEST_RATIO_ZSTD 20000u
#define INFLATED_LIMIT (16ull << 30)

static int damaged(const struct pf_elf *elf, const struct pf_elf_section *s, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT,
		       "%s: section %s at offset %llu is not validly compressed; the file is damaged", elf->path,
		       s->name, (unsigned long long)s->offset);
}

static int inflate_zlib(struct pf_cursor *c, uint8_t *to, uint64_t size)
{
	z_stream z = { 0 };
	size_t left = pf_cursor_left(c);
	const uint8_t *from = pf_cursor_bytes(c, left);
	uint64_t done = 0;
	int status = inflateInit(&z);

	z.next_in = (Bytef *)from;
	while (status == Z_OK && done < size) {
		uInt out = size - done > 1u << 30 ? 1u << 30 : (uInt)(size - done);

		if (z.avail_in == 0) {
			z.avail_in = left > 1u << 30 ? 1u << 30 : (uInt)left;
			left -= z.avail_in;
		}
		z.next_out = to + done;
		z.avail_out = out;
		status = inflate(&z, Z_NO_FLUSH);
		if (status == Z_OK && z.avail_out == out && left == 0)
			status = Z_BUF_ERROR;
		done += out - z.avail_out;
	}
	inflateEnd(&z);
	return done == size ? PF_OK : PF_EFORMAT;
}

static int inflate_zstd(struct pf_cursor *c, uint8_t *to, uint64_t size)
{
	size_t left = pf_cursor_left(c);
	const uint8_t *from = pf_cursor_bytes(c, left);
	size_t got = ZSTD_decompress(to, size, from, left);

	return !ZSTD_isError(got) && got == size ? PF_OK : PF_EFORMAT;
}

/* Inflates what is left of C into a new buffer of SIZE bytes. */
static int inflate_section(struct pf_elf *elf, struct pf_elf_section *s, struct pf_cursor *c, uint32_t kind,
			   uint64_t size, struct pf_error *error)
{
	uint64_t ratio = kind == COMPRESS_ZSTD ? BEST_RATIO_ZSTD : BEST_RATIO;
	int status;

	if (kind != ELFCOMPRESS_ZLIB && kind != COMPRESS_ZSTD)
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%s: section %s is compressed by method %u, which this version cannot read; "
			       "run `objcopy --decompress-debug-sections` on it",
			       elf->path, s->name, kind);
	if (c->failed || size == 0 || size > INFLATED_LIMIT || size / ratio > pf_cursor_left(c))
		return damaged(elf, s, error);
	s->inflated = malloc(size + PF_ELF_MARGIN);
	if (!s->inflated)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory for section %s", elf->path, s->name);
	memset(s->inflated + size, 0, PF_ELF_MARGIN);
	status = kind == ELFCOMPRESS_ZLIB ? inflate_zlib(c, s->inflated, size) : inflate_zstd(c, s->inflated, size);
	if (status < 0) {
		free(s->inflated);
		s->inflated = NULL;
		return damaged(elf, s, error);
	}
	s->inflated_size = size;
	return PF_OK;
}

static uint64_t big_endian(struct pf_cursor *c)
{
	return __builtin_bswap64(pf_cursor_u64(c));
}

int pf_elf_contents(struct pf_elf *elf, struct pf_elf_section *section, const uint8_t **bytes, uint64_t *size,
		    struct pf_error *error)
{
	struct pf_cursor whole = pf_cursor_over(elf->bytes, elf->size, 0), c;
	bool old_style = strncmp(section->name, ".zdebug", 7) == 0;
	int status = PF_OK;

	*bytes = NULL;
	*size = 0;
	if (section->type == SHT_NOBITS)
		return PF_OK;
	pf_cursor_bytes(&whole, section->offset);
	c = pf_cursor_sub(&whole, section->size);
	if (c.failed)
		return pf_fail(error, PF_ETRUNCATED, "%s: section %s lies beyond the end of the file; it is truncated",
			       elf->path, section->name);
	if (!section->inflated && section->flags & SHF_COMPRESSED) {
		uint32_t kind = pf_cursor_u32(&c);
		uint64_t inflated = (pf_cursor_u32(&c), pf_cursor_u64(&c));

		pf_cursor_u64(&c);
		status = inflate_section(elf, section, &c, kind, inflated, error);
	} else if (!section->inflated && old_style) {
		const char *magic = pf_cursor_bytes(&c, 4);
		uint64_t inflated = big_endian(&c);

		if (!magic || memcmp(magic, "ZLIB", 4) != 0)
			return damaged(elf, section, error);
		status = inflate_section(elf, section, &c, ELFCOMPRESS_ZLIB, inflated, error);
	}
	*bytes = section->inflated ? section->inflated : c.base;
	*size = section->inflated ? section->inflated_size : c.size;
	return status;
}

struct pf_elf_section *pf_elf_find(struct pf_elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->sections.count; i++) {
		struct pf_elf_section *s = &elf->sections.at[i];

		if (strcmp(s->name, name) == 0 ||
		    (strncmp(s->name, ".z", 2) == 0 && name[0] == '.' && strcmp(s->name + 2, name + 1) == 0))
			return s;
	}
	return NULL;
}

const char *pf_elf_debuglink(struct pf_elf *elf, uint32_t *crc)
{
	struct pf_elf_section *s = pf_elf_find(elf, ".gnu_debuglink");
	const uint8_t *bytes;
	uint64_t size;
	struct pf_cursor c;
	const char *name;

	if (!s || pf_elf_contents(elf, s, &bytes, &size, NULL) < 0)
		return NULL;
	c = pf_cursor_over(bytes, size, s->offset);
	name = pf_cursor_string(&c);
	pf_cursor_bytes(&c, (4 - c.at % 4) % 4);
	*crc = pf_cursor_u32(&c);
	return c.failed || strchr(name, '/') ? NULL : name;
}

/* What .debug_sup of ELF says: the name of the other file, and its checksum; NULL unless it says so for what is (not)
 * SUPPLEMENTARY itself. */
static const char *read_debug_sup(struct pf_elf *elf, bool supplementary, const uint8_t **id, uint64_t *size)
{
	struct pf_elf_section *s = pf_elf_find(elf, ".debug_sup");
	const uint8_t *bytes;
	uint64_t length;
	struct pf_cursor c;
	const char *name;
	bool is_supplementary;

	if (!s || pf_elf_contents(elf, s, &bytes, &length, NULL) < 0)
		return NULL;
	c = pf_cursor_over(bytes, length, s->offset);
	pf_cursor_u16(&c);
	is_supplementary = pf_cursor_u8(&c) == 1;
	name = pf_cursor_string(&c);
	*size = pf_cursor_uleb(&c);
	*id = pf_cursor_bytes(&c, *size);
	return c.failed || is_supplementary != supplementary ? NULL : name;
}

static const char *read_altlink(struct pf_elf *elf, const uint8_t **id, uint64_t *size)
{
	struct pf_elf_section *s = pf_elf_find(elf, ".gnu_debugaltlink");
	const uint8_t *bytes;
	uint64_t length;
	struct pf_cursor c;
	const char *name;

	if (!s || pf_elf_contents(elf, s, &bytes, &length, NULL) < 0)
		return NULL;
	c = pf_cursor_over(bytes, length, s->offset);
	name = pf_cursor_string(&c);
	*size = pf_cursor_left(&c);
	*id = pf_cursor_bytes(&c, *size);
	return c.failed ? NULL : name;
}

const char *pf_elf_supplement(struct pf_elf *elf, const uint8_t **id, uint64_t *size)
{
	const char *name = read_altlink(elf, id, size);

	return name ? name : read_debug_sup(elf, false, id, size);
}

bool pf_elf_is_supplement(struct pf_elf *elf, const uint8_t *id, uint64_t size)
{
	const uint8_t *own = elf->note_id;
	uint64_t own_size = elf->note_id_size;

	if (size == own_size && memcmp(id, own, size) == 0)
		return true;
	return read_debug_sup(elf, true, &own, &own_size) && size == own_size && memcmp(id, own, size) == 0;
}
