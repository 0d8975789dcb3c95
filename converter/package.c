/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See package.h: .debug_cu_index is a hash table of ids, then a table of offsets and one of sizes, a column for each
 * section (DWARF 5, 7.3.5; version 2 is GNU's for DWARF 4).  The hard case is a table whose numbers lead out of it. */
#include "converter/package.h"

#define COLUMNS 8u /* there are no more kinds of sections */
#define NO_PART PF_DWARF_PARTS

struct index {
	uint32_t version, columns, units, slots;
	struct pf_cursor c; /* behind its header */
};

/* The part that has the section number KIND. */
static enum pf_dwarf_part part_of(uint32_t version, uint32_t kind)
{
	switch (kind) {
	case 1:
		return PF_DWARF_INFO;
	case 3:
		return PF_DWARF_ABBREV;
	case 6:
		return PF_DWARF_STR_OFFSETS;
	case 8:
		return version >= 5 ? PF_DWARF_RNGLISTS : NO_PART;
	default:
		return NO_PART;
	}
}

static bool open_index(struct pf_elf *package, struct index *index)
{
	struct pf_elf_section *s = pf_elf_find(package, ".debug_cu_index");
	const uint8_t *bytes;
	uint64_t size;

	if (!s || pf_elf_contents(package, s, &bytes, &size, NULL) < 0)
		return false;
	index->c = pf_cursor_over(bytes, size, 0);
	index->version = pf_cursor_u32(&index->c) & 0xffff;
	index->columns = pf_cursor_u32(&index->c);
	index->units = pf_cursor_u32(&index->c);
	index->slots = pf_cursor_u32(&index->c);
	return !index->c.failed && (index->version == 2 || index->version == 5) && index->columns <= COLUMNS &&
	       index->slots > 0 && (index->slots & (index->slots - 1)) == 0;
}

/* A cursor at OFFSET behind the header. */
static struct pf_cursor at(const struct index *index, uint64_t offset)
{
	struct pf_cursor c = index->c;

	pf_cursor_bytes(&c, offset);
	return c;
}

/* The row of the unit ID, counted from 1; 0 if there is none. */
static uint32_t find_row(const struct index *index, uint64_t id)
{
	uint32_t mask = index->slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t tried = 0; tried < index->slots; tried++, slot = (slot + step) & mask) {
		struct pf_cursor ids = at(index, 8ull * slot), rows = at(index, 8ull * index->slots + 4ull * slot);
		uint32_t row = pf_cursor_u32(&rows);

		if (rows.failed || row == 0 || row > index->units)
			return 0;
		if (pf_cursor_u64(&ids) == id)
			return row;
	}
	return 0;
}

bool pf_package_find(struct pf_elf *package, uint64_t id, struct pf_dwarf_piece pieces[PF_DWARF_PARTS])
{
	struct index index;
	uint32_t row = open_index(package, &index) ? find_row(&index, id) : 0;
	uint64_t kinds_at = 12ull * index.slots, width = 4ull * index.columns;

	memset(pieces, 0, PF_DWARF_PARTS * sizeof *pieces);
	if (row == 0)
		return false;
	for (uint32_t i = 0; i < index.columns; i++) {
		struct pf_cursor kinds = at(&index, kinds_at + 4ull * i);
		struct pf_cursor offsets = at(&index, kinds_at + width * row + 4ull * i);
		struct pf_cursor sizes = at(&index, kinds_at + width * (index.units + (uint64_t)row) + 4ull * i);
		enum pf_dwarf_part part = part_of(index.version, pf_cursor_u32(&kinds));
		struct pf_dwarf_piece piece = { .offset = pf_cursor_u32(&offsets), .size = pf_cursor_u32(&sizes) };

		if (kinds.failed || offsets.failed || sizes.failed)
			return false;
		if (part != NO_PART)
			pieces[part] = piece;
	}
	return true;
}
