/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See dwarfobject.h.  libdwarf would read the file itself by libelf and believe its section headers; here it gets
 * its sections from us, by name, whole and already decompressed.  Hard case: libdwarf of 2021 reads a few bytes past
 * a damaged section, so a section at the very end of the file is handed out as a copy with zeroes behind it. */
#include "converter/dwarfobject.h"
#include "converter/dwarfversion.h"

#include <elf.h>

#define MARGIN PF_ELF_MARGIN

struct given_section {
	char name[32];
	const uint8_t *bytes;
	uint64_t size;
	uint8_t *copy; /* owned */
};

struct pf_dwarf {
	struct pf_elf *elf;
	PF_ARRAY(struct given_section) sections;
	pf_dwarf_interface interface;
	Dwarf_Debug debug;
};

static int get_section_info(void *object, pf_dwarf_index index, pf_dwarf_section *section, int *error)
{
	const struct pf_dwarf *d = object;

	(void)error;
	if (index >= d->sections.count)
		return DW_DLV_NO_ENTRY;
	*section = (pf_dwarf_section) { .PF_DWARF_SECTION(type) = index ? SHT_PROGBITS : SHT_NULL,
					.PF_DWARF_SECTION(size) = d->sections.at[index].size,
					.PF_DWARF_SECTION(name) = d->sections.at[index].name };
	return DW_DLV_OK;
}

static int load_section(void *object, pf_dwarf_index index, Dwarf_Small **bytes, int *error)
{
	const struct pf_dwarf *d = object;

	(void)error;
	if (index >= d->sections.count || !d->sections.at[index].bytes)
		return DW_DLV_NO_ENTRY;
	*bytes = (Dwarf_Small *)d->sections.at[index].bytes;
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
	return ((const struct pf_dwarf *)object)->sections.count;
}

#if PF_DWARF_ASKS_FILE_SIZE
/* What no section may be larger than; decompressed ones are larger than their file. */
static Dwarf_Unsigned get_file_size(void *object)
{
	const struct pf_dwarf *d = object;
	Dwarf_Unsigned size = 0;

	for (size_t i = 0; i < d->sections.count; i++)
		size += d->sections.at[i].size;
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

/* The sections that we let libdwarf see: it would parse others as well, whenever they are there. */
static const char *const wanted[] = { ".debug_info",     ".debug_abbrev",   ".debug_line",
				      ".debug_str",      ".debug_line_str", ".debug_ranges",
				      ".debug_rnglists", ".debug_addr",     ".debug_str_offsets" };

static int give_section(struct pf_dwarf *d, const char *name, struct pf_error *error)
{
	struct pf_elf_section *s = pf_elf_find(d->elf, name);
	struct given_section *given = s && s->type != SHT_NOBITS ? pf_array_push(&d->sections) : NULL;
	int status;

	if (!s || s->type == SHT_NOBITS)
		return PF_OK;
	if (!given)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", d->elf->path);
	strncpy(given->name, name, sizeof given->name - 1);
	status = pf_elf_contents(d->elf, s, &given->bytes, &given->size, error);
	if (status == PF_OK && !s->inflated && d->elf->size - s->offset - s->size < MARGIN) {
		given->copy = calloc(1, given->size + MARGIN);
		if (!given->copy)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", d->elf->path);
		memcpy(given->copy, given->bytes, given->size);
		given->bytes = given->copy;
	}
	return status;
}

static int give_sections(struct pf_dwarf *d, struct pf_error *error)
{
	int status = PF_OK;

	if (!pf_array_push(&d->sections))
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", d->elf->path);
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == PF_OK; i++)
		status = give_section(d, wanted[i], error);
	return status;
}

int pf_dwarf_open(struct pf_elf *elf, struct pf_dwarf **dwarf, struct pf_error *error)
{
	struct pf_dwarf *d = calloc(1, sizeof *d);
	Dwarf_Error problem = NULL;
	int status;

	*dwarf = NULL;
	if (!d)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", elf->path);
	d->elf = elf;
	d->interface =
	    (pf_dwarf_interface) { .PF_DWARF_INTERFACE(object) = d, .PF_DWARF_INTERFACE(methods) = &methods };
	status = give_sections(d, error);
	if (status == PF_OK &&
	    dwarf_object_init_b(&d->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &d->debug, &problem) != DW_DLV_OK) {
		d->debug = NULL;
		status =
		    pf_fail(error, PF_ENODEBUG, "%s: its debug information cannot be read (%s); rebuild it with -g",
			    elf->path, problem ? dwarf_errmsg(problem) : "none there");
	}
	if (status < 0)
		pf_dwarf_close(d);
	else
		*dwarf = d;
	return status;
}

int pf_dwarf_tie(struct pf_dwarf *dwarf, struct pf_dwarf *supplement, struct pf_error *error)
{
	Dwarf_Error problem = NULL;

	if (pf_dwarf_ok(dwarf->debug, dwarf_set_tied_dbg(dwarf->debug, supplement->debug, &problem), &problem))
		return PF_OK;
	return pf_fail(error, PF_ENODEBUG, "%s: libdwarf cannot use it together with %s", dwarf->elf->path,
		       supplement->elf->path);
}

void pf_dwarf_close(struct pf_dwarf *dwarf)
{
	if (!dwarf)
		return;
	if (dwarf->debug)
		pf_dwarf_finish(dwarf->debug);
	for (size_t i = 0; i < dwarf->sections.count; i++)
		free(dwarf->sections.at[i].copy);
	pf_array_fini(&dwarf->sections);
	free(dwarf);
}

Dwarf_Debug pf_dwarf_debug(const struct pf_dwarf *dwarf)
{
	return dwarf->debug;
}

bool pf_dwarf_ok(Dwarf_Debug debug, int answer, Dwarf_Error *error)
{
	if (answer == DW_DLV_ERROR && *error)
		dwarf_dealloc_error(debug, *error);
	*error = NULL;
	return answer == DW_DLV_OK;
}
