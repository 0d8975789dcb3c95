/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See inspect.h.  GCC writes its options into each compile unit's DW_AT_producer, plugins and profiles too, so a build
 * that passed something else on than it was told shows in the result.  Hard cases: units that no option of ours could
 * reach (assembly, LTO's own), options given twice, where the last one counts, and units whose entries are in .dwo
 * files. */
#include "analysis/inspect.h"
#include "analysis/libraries.h"
#include "converter/die.h"
#include "converter/dwarfobject.h"
#include "converter/elf.h"
#include "converter/split.h"
#include "profile/model.h"
#include "support/array.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

static char *copy_string(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
	const char *value;

	return strdup(pf_die_string(dwarf, die, name, &value) ? value : "");
}

static int add_unit(struct pf_inspection *in, const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	struct pf_unit *u;

	if (!pf_array_reserve(&in->units, in->count, &in->capacity, 1, sizeof *in->units))
		return PF_ENOMEM;
	u = &in->units[in->count++];
	u->name = copy_string(dwarf, die, DW_AT_name);
	u->producer = copy_string(dwarf, die, DW_AT_producer);
	return u->name && u->producer ? PF_OK : PF_ENOMEM;
}

static bool is_unit(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	Dwarf_Half tag = die ? pf_die_tag(dwarf, die) : 0;

	return tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
}

/* A unit that was split tells of itself in its .dwo file, which the build has left where the compiler wrote it. */
static int add_whole_unit(struct pf_inspection *in, const struct pf_dwarf *dwarf, const struct pf_dwarf_header *header)
{
	struct pf_debug_files files = { .binary = dwarf->elf, .debug = dwarf->elf };
	struct pf_skeleton skeleton;
	struct pf_split split;
	int status;

	if (!pf_split_named(dwarf, header->die, header->id, &skeleton))
		return add_unit(in, dwarf, header->die);
	status = pf_split_open(&files, &skeleton, &split, NULL);
	if (status < 0)
		return status == PF_ENOMEM ? status : PF_OK;
	status = add_unit(in, &split.dwarf, split.unit);
	pf_split_close(&split);
	return status;
}

static int read_units(struct pf_inspection *in, const struct pf_dwarf *dwarf)
{
	struct pf_dwarf_header header;
	int status = PF_OK;

	while (status == PF_OK && pf_dwarf_next(dwarf, &header) > 0) {
		if (is_unit(dwarf, header.die))
			status = add_whole_unit(in, dwarf, &header);
		pf_die_release(dwarf, header.die);
	}
	return status;
}

static int read_debug(struct pf_inspection *in, struct pf_elf *elf, struct pf_error *error)
{
	struct pf_dwarf dwarf;
	int status = pf_dwarf_open(elf, &dwarf, NULL);

	if (status < 0)
		return status == PF_ENOMEM ? pf_fail(error, status, "%s: out of memory", elf->path) : PF_OK;
	status = read_units(in, &dwarf);
	pf_dwarf_close(&dwarf);
	return status == PF_OK ? PF_OK : pf_fail(error, status, "%s: out of memory", elf->path);
}

static bool is_cold(const char *name)
{
	return strstr(name + pf_name_elide(name), ".cold") != NULL;
}

static int read_sizes(struct pf_inspection *in, struct pf_elf *elf, struct pf_error *error)
{
	uint64_t end = 0; /* of what is counted: aliases count once */
	int status;

	for (size_t i = 0; i < elf->sections.count; i++) {
		const struct pf_elf_section *s = &elf->sections.at[i];

		if ((s->flags & SHF_EXECINSTR) && s->type != SHT_NOBITS)
			in->text_bytes += s->size;
	}
	status = pf_elf_load_symbols(elf, elf, error);
	for (size_t i = 0; status == PF_OK && i < elf->symbols.count; i++) {
		const struct pf_elf_symbol *s = &elf->symbols.at[i];
		uint64_t from = s->address > end ? s->address : end;

		if (!s->sized || is_cold(s->name) || s->size > UINT64_MAX - s->address || s->address + s->size <= from)
			continue;
		end = s->address + s->size;
		in->hot_bytes += end - from;
	}
	return status;
}

/* Says what is no executable in this tool's words.  Libtool leaves scripts that run the real program in .libs. */
static int check_kind(const char *path, struct pf_error *error)
{
	char start[4] = "";
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(start, 1, sizeof start, file) : 0;

	if (file)
		fclose(file);
	if (got >= 2 && memcmp(start, "#!", 2) == 0)
		return pf_fail(error, PF_EFORMAT,
			       "%s is a script; name the executable that it runs (libtool puts it in .libs; or "
			       "configure with --disable-shared)",
			       path);
	if (got < sizeof start || memcmp(start, "\177ELF", 4) != 0)
		return pf_fail(error, PF_EFORMAT, "%s is no executable that a compiler made", path);
	return PF_OK;
}

static int inspect_file(const char *path, struct pf_inspection *in, struct pf_error *error)
{
	struct pf_elf elf;
	int status = pf_elf_open(path, &elf, error);

	if (status < 0)
		return status;
	status = read_sizes(in, &elf, error);
	if (status == PF_OK)
		status = read_debug(in, &elf, error);
	pf_elf_close(&elf);
	return status;
}

int pf_inspect_program(const char *path, const char *folder, struct pf_inspection *in, struct pf_error *error)
{
	struct pf_libraries libraries = { 0 };
	int status = check_kind(path, error);

	*in = (struct pf_inspection) { 0 };
	if (status == PF_OK)
		status = inspect_file(path, in, error);
	if (status == PF_OK)
		status = pf_libraries_find(path, folder, &libraries, error);
	for (size_t i = 0; status == PF_OK && i < libraries.paths.count; i++)
		status = inspect_file(libraries.paths.at[i], in, error);
	pf_libraries_fini(&libraries);
	if (status < 0)
		pf_inspection_fini(in);
	return status;
}

void pf_inspection_fini(struct pf_inspection *in)
{
	for (size_t i = 0; i < in->count; i++) {
		free(in->units[i].name);
		free(in->units[i].producer);
	}
	free(in->units);
	*in = (struct pf_inspection) { 0 };
}

/* The next word of *TEXT, which moves behind it; its length, 0 at the end. */
static size_t next_word(const char **text, const char **word)
{
	size_t length;

	*text += strspn(*text, " \t\n");
	length = strcspn(*text, " \t\n");
	*word = *text;
	*text += length;
	return length;
}

/* The last word of OPTIONS that begins with -LETTER and is a level of it; its length. */
static size_t last_level(const char *options, const char *prefix, const char **level)
{
	const char *word;
	size_t length, found = 0;

	while ((length = next_word(&options, &word)) > 0) {
		if (strncmp(word, prefix, strlen(prefix)) == 0) {
			*level = word;
			found = length;
		}
	}
	return found;
}

static bool has_word(const char *options, const char *wanted, size_t size)
{
	const char *word;
	size_t length;

	while ((length = next_word(&options, &word)) > 0) {
		if (length == size && memcmp(word, wanted, size) == 0)
			return true;
	}
	return false;
}

/* -O is -O1. */
static bool same_level(const char *a, size_t a_length, const char *b, size_t b_length)
{
	if (a_length == 2)
		a = "-O1", a_length = 3;
	if (b_length == 2)
		b = "-O1", b_length = 3;
	return a_length == b_length && memcmp(a, b, a_length) == 0;
}

/* The first of FLAGS that PRODUCER lacks; its length, 0 if it has all. */
static size_t find_lacking(const char *producer, const char *flags, const char **flag)
{
	const char *got;
	size_t length, got_length = last_level(producer, "-O", &got), want_length = last_level(flags, "-O", flag);

	if (want_length > 0 && (got_length == 0 || !same_level(*flag, want_length, got, got_length)))
		return want_length;
	while ((length = next_word(&flags, flag)) > 0) {
		if (strncmp(*flag, "-f", 2) == 0 || strncmp(*flag, "-m", 2) == 0) {
			if (!has_word(producer, *flag, length))
				return length;
		} else if (strncmp(*flag, "-g", 2) == 0 && last_level(producer, "-g", &got) == 0) {
			return length;
		}
	}
	return 0;
}

size_t pf_inspect_flags(const struct pf_inspection *in, const char *flags, size_t *total, struct pf_unlike *example)
{
	size_t with = 0;

	*total = 0;
	*example = (struct pf_unlike) { 0 };
	for (size_t i = 0; i < in->count; i++) {
		const char *producer = in->units[i].producer, *flag;
		size_t length;

		if (strncmp(producer, "GNU C", 5) != 0 && strncmp(producer, "GNU Fortran", 11) != 0)
			continue;
		++*total;
		length = find_lacking(producer, flags, &flag);
		if (length == 0) {
			with++;
			continue;
		}
		example->unit = in->units[i].name;
		snprintf(example->flag, sizeof example->flag, "%.*s", (int)length, flag);
	}
	return with;
}

const char *pf_inspect_language(const struct pf_inspection *in)
{
	static const struct {
		const char *producer, *language;
	} known[] = { { "GNU C++", "C++" }, { "GNU Fortran", "Fortran" }, { "GNU C", "C" } };
	enum { KNOWN = sizeof known / sizeof known[0] };
	size_t counts[KNOWN] = { 0 }, best = KNOWN - 1;

	for (size_t i = 0; i < in->count; i++) {
		for (size_t k = 0; k < KNOWN; k++) {
			if (strncmp(in->units[i].producer, known[k].producer, strlen(known[k].producer)) == 0) {
				counts[k]++;
				break;
			}
		}
	}
	for (size_t k = 0; k < KNOWN; k++) {
		if (counts[k] > counts[best])
			best = k;
	}
	return known[best].language;
}
