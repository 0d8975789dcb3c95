/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See dwarfobject.h.  libdwarf would read the file itself by libelf and believe its section headers; here it gets
 * its sections from us, by name, whole and already decompressed.  Hard case: libdwarf of 2021 reads a few bytes past
 * a damaged section, so a section at the very end of the file is handed out as a copy with zeroes behind it.
 *
 * No libdwarf reads all that compilers split off and dwz shares, and each release another part of it.  So it is shown
 * one unit of a .dwo file or package as if that were a whole file, and what refers to other files is resolved in form.c
 * and ranges.c. */
#include "converter/dwarfobject.h"
#include "converter/dwarfversion.h"

#include <elf.h>
#include <stdio.h>

#define MARGIN PF_ELF_MARGIN

static const char *const names[PF_DWARF_PARTS] = {
	[PF_DWARF_INFO] = ".debug_info",         [PF_DWARF_ABBREV] = ".debug_abbrev",
	[PF_DWARF_LINE] = ".debug_line",         [PF_DWARF_STR] = ".debug_str",
	[PF_DWARF_LINE_STR] = ".debug_line_str", [PF_DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[PF_DWARF_ADDR] = ".debug_addr",         [PF_DWARF_RANGES] = ".debug_ranges",
	[PF_DWARF_RNGLISTS] = ".debug_rnglists",
};

/* The parts that libdwarf sees come first; of a split unit, these. */
#define SEEN_WHOLE (PF_DWARF_ADDR + 1)
#define SEEN_SPLIT (PF_DWARF_STR + 1)

/* Section 0 is no section. */
struct pf_dwarf_object {
	pf_dwarf_interface interface;
	const struct pf_dwarf *dwarf;
	unsigned count;
	enum pf_dwarf_part parts[PF_DWARF_PARTS + 1];
};

static int get_section_info(void *object, pf_dwarf_index index, pf_dwarf_section *section, int *error)
{
	const struct pf_dwarf_object *o = object;
	enum pf_dwarf_part part;

	(void)error;
	if (index >= o->count)
		return DW_DLV_NO_ENTRY;
	part = o->parts[index];
	*section = (pf_dwarf_section) { .PF_DWARF_SECTION(type) = index ? SHT_PROGBITS : SHT_NULL,
					.PF_DWARF_SECTION(size) = index ? o->dwarf->sections[part].size : 0,
					.PF_DWARF_SECTION(name) = index ? names[part] : "" };
	return DW_DLV_OK;
}

static int load_section(void *object, pf_dwarf_index index, Dwarf_Small **bytes, int *error)
{
	const struct pf_dwarf_object *o = object;

	(void)error;
	if (index == 0 || index >= o->count)
		return DW_DLV_NO_ENTRY;
	*bytes = (Dwarf_Small *)o->dwarf->sections[o->parts[index]].at;
	return DW_DLV_OK;
}

static pf_dwarf_order get_byte_order(void *object)
{
	(void)object;
	return PF_DWARF_LITTLE_ENDIAN;
}

static Dwarf_Small get_size(void *object)
{
	(void)object;
	return 8;
}

static Dwarf_Unsigned get_section_count(void *object)
{
	return ((const struct pf_dwarf_object *)object)->count;
}

#if PF_DWARF_ASKS_FILE_SIZE
/* What no section may be larger than; decompressed ones are larger than their file. */
static Dwarf_Unsigned get_file_size(void *object)
{
	const struct pf_dwarf_object *o = object;
	Dwarf_Unsigned size = 0;

	for (unsigned i = 1; i < o->count; i++)
		size += o->dwarf->sections[o->parts[i]].size;
	return size;
}
#endif

static const pf_dwarf_methods methods = {
	.PF_DWARF_METHOD(get_section_info) = get_section_info,
	.PF_DWARF_METHOD(get_byte_order) = get_byte_order,
	.PF_DWARF_METHOD(get_length_size) = get_size,
	.PF_DWARF_METHOD(get_pointer_size) = get_size,
#if PF_DWARF_ASKS_FILE_SIZE
	.PF_DWARF_METHOD(get_filesize) = get_file_size,
#endif
	.PF_DWARF_METHOD(get_section_count) = get_section_count,
	.PF_DWARF_METHOD(load_section) = load_section,
};

/* The bytes of section S, of which PIECE is wanted (NULL: all). */
static int give_section(struct pf_dwarf *d, struct pf_elf_section *s, const struct pf_dwarf_piece *piece,
			struct pf_dwarf_bytes *given, struct pf_error *error)
{
	const uint8_t *bytes;
	uint64_t size;
	int status = pf_elf_contents(d->elf, s, &bytes, &size, error);

	if (status < 0)
		return status;
	if (piece && (piece->offset > size || piece->size > size - piece->offset))
		return pf_fail(error, PF_EFORMAT, "%s: its index points behind section %s; the file is damaged",
			       d->elf->path, s->name);
	given->at = bytes + (piece ? piece->offset : 0);
	given->size = piece ? piece->size : size;
	if (s->inflated || d->elf->size - s->offset - s->size >= MARGIN)
		return PF_OK;
	given->copy = calloc(1, given->size + MARGIN);
	if (!given->copy)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", d->elf->path);
	memcpy(given->copy, given->at, given->size);
	given->at = given->copy;
	return PF_OK;
}

static int give_sections(struct pf_dwarf *d, const struct pf_dwarf_piece *pieces, struct pf_error *error)
{
	int status = PF_OK;

	for (unsigned part = 0; part < PF_DWARF_PARTS && status == PF_OK; part++) {
		/* Strings are the whole package's. */
		const struct pf_dwarf_piece *piece = pieces && part != PF_DWARF_STR ? &pieces[part] : NULL;
		char name[40];
		struct pf_elf_section *s;

		snprintf(name, sizeof name, "%s%s", names[part], d->split ? ".dwo" : "");
		s = pf_elf_find(d->elf, name);
		if (s && s->type != SHT_NOBITS && !(piece && piece->size == 0))
			status = give_section(d, s, piece, &d->sections[part], error);
	}
	return status;
}

static int start_libdwarf(struct pf_dwarf *d, struct pf_error *error)
{
	struct pf_dwarf_object *o = calloc(1, sizeof *o);
	Dwarf_Error problem = NULL;

	d->object = o;
	if (!o)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", d->elf->path);
	*o = (struct pf_dwarf_object) {
		.interface = { .PF_DWARF_INTERFACE(object) = o, .PF_DWARF_INTERFACE(methods) = &methods },
		.dwarf = d,
		.count = 1,
	};
	for (unsigned part = 0; part < (d->split ? SEEN_SPLIT : SEEN_WHOLE); part++) {
		if (d->sections[part].at)
			o->parts[o->count++] = part;
	}
	if (dwarf_object_init_b(&o->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &d->debug, &problem) == DW_DLV_OK)
		return PF_OK;
	d->debug = NULL;
	return pf_fail(error, PF_ENODEBUG, "%s: its debug information cannot be read (%s); rebuild it with -g",
		       d->elf->path, problem ? dwarf_errmsg(problem) : "none there");
}

static int open_session(struct pf_elf *elf, const struct pf_dwarf_piece *pieces, bool split, struct pf_dwarf *d,
			struct pf_error *error)
{
	int status;

	*d = (struct pf_dwarf) { .elf = elf, .split = split };
	status = give_sections(d, pieces, error);
	if (status == PF_OK)
		status = start_libdwarf(d, error);
	if (status < 0)
		pf_dwarf_close(d);
	return status;
}

int pf_dwarf_open(struct pf_elf *elf, struct pf_dwarf *dwarf, struct pf_error *error)
{
	return open_session(elf, NULL, false, dwarf, error);
}

int pf_dwarf_open_split(struct pf_elf *elf, const struct pf_dwarf_piece pieces[PF_DWARF_PARTS], struct pf_dwarf *dwarf,
			struct pf_error *error)
{
	return open_session(elf, pieces, true, dwarf, error);
}

void pf_dwarf_close(struct pf_dwarf *dwarf)
{
	if (dwarf->debug)
		pf_dwarf_finish(dwarf->debug);
	for (unsigned part = 0; part < PF_DWARF_PARTS; part++)
		free(dwarf->sections[part].copy);
	free(dwarf->object);
	*dwarf = (struct pf_dwarf) { 0 };
}

int pf_dwarf_next(const struct pf_dwarf *dwarf, struct pf_dwarf_header *header)
{
	Dwarf_Unsigned length = 0, type_offset = 0, next = 0;
	Dwarf_Half version = 0, address_size = 0, offset_size = 0, extension = 0, kind = 0;
	Dwarf_Off abbreviations = 0;
	Dwarf_Sig8 signature = { { 0 } };
	Dwarf_Error error = NULL;
	int answer = dwarf_next_cu_header_d(dwarf->debug, 1, &length, &version, &abbreviations, &address_size,
					    &offset_size, &extension, &signature, &type_offset, &next, &kind, &error);

	*header = (struct pf_dwarf_header) { 0 };
	if (!pf_dwarf_ok(dwarf->debug, answer, &error))
		return answer == DW_DLV_ERROR ? PF_EFORMAT : 0;
	if (!pf_dwarf_ok(dwarf->debug, dwarf_siblingof_b(dwarf->debug, NULL, 1, &header->die, &error), &error))
		header->die = NULL;
	if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
		memcpy(&header->id, &signature, sizeof header->id);
	return 1;
}

struct pf_cursor pf_dwarf_cursor(const struct pf_dwarf *dwarf, enum pf_dwarf_part part, uint64_t offset)
{
	struct pf_cursor c = pf_cursor_over(dwarf->sections[part].at, dwarf->sections[part].size, 0);

	c.failed = !dwarf->sections[part].at;
	pf_cursor_bytes(&c, offset);
	return c;
}

bool pf_dwarf_ok(Dwarf_Debug debug, int answer, Dwarf_Error *error)
{
	if (answer == DW_DLV_ERROR && *error)
		dwarf_dealloc_error(debug, *error);
	*error = NULL;
	return answer == DW_DLV_OK;
}
