/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See origins.h.  The hard case is a chain that goes on: instance, abstract instance in another unit or in the
 * supplementary file, its declaration in a class; each attribute is taken from the first that has it, and the file
 * number is looked up in the table of the unit in which it was written. */
#include "converter/origins.h"
#include "converter/lineprogram.h"
#include "support/filename.h"

#include <stdio.h>

#define CHAIN_LIMIT 8
#define DEPTH_LIMIT 100

struct identity {
	const char *linkage_name, *name, *file;
	uint32_t line, column;
	bool artificial; /* the compiler made it: nobody declared it */
};

/* An entry of the debug information. */
struct entry {
	struct pf_origin_file *file;
	Dwarf_Off offset;
};

static void release_table(const struct pf_origins *o, const struct pf_origin_file *file, struct pf_file_table *t)
{
	Dwarf_Debug debug = o->skeleton ? o->linked->debug : file->dwarf->debug;

	for (Dwarf_Signed k = 0; k < t->count; k++)
		dwarf_dealloc(debug, t->names[k], DW_DLA_STRING);
	if (t->names)
		dwarf_dealloc(debug, t->names, DW_DLA_LIST);
	*t = (struct pf_file_table) { 0 };
}

static size_t tables_kept(const struct pf_origin_file *file)
{
	return file->tables_read < PF_FILE_TABLES ? file->tables_read : PF_FILE_TABLES;
}

static void release_file(const struct pf_origins *o, struct pf_origin_file *file)
{
	for (size_t i = 0; i < tables_kept(file); i++)
		release_table(o, file, &file->tables[i]);
	pf_children_fini(&file->children);
}

void pf_origins_fini(struct pf_origins *o)
{
	release_file(o, &o->files[0]);
	release_file(o, &o->files[1]);
	pf_array_fini(&o->slots);
}

/* Whether the files of UNIT are numbered from 0: an assembler can write a table of an earlier DWARF than the compiler's
 * entries are of. */
static bool counts_from_zero(const struct pf_dwarf *dwarf, Dwarf_Die unit)
{
	struct pf_line_program program;
	uint64_t offset;
	bool indexed;

	return pf_die_offset(dwarf, unit, DW_AT_stmt_list, &offset, &indexed) &&
	       pf_line_program_open(&program, dwarf, offset) == PF_OK && program.version >= 5;
}

static void read_table(const struct pf_dwarf *dwarf, Dwarf_Die unit, struct pf_file_table *t)
{
	Dwarf_Error error = NULL;

	if (!pf_dwarf_ok(dwarf->debug, dwarf_srcfiles(unit, &t->names, &t->count, &error), &error)) {
		t->names = NULL;
		t->count = 0;
	}
	t->from_zero = counts_from_zero(dwarf, unit);
}

static struct pf_file_table *file_table(const struct pf_origins *o, struct pf_origin_file *file, Dwarf_Die die)
{
	Dwarf_Off unit = 0;
	Dwarf_Die unit_die = NULL;
	Dwarf_Error error = NULL;
	struct pf_file_table *t;

	if (!pf_dwarf_ok(file->dwarf->debug, dwarf_CU_dieoffset_given_die(die, &unit, &error), &error))
		return NULL;
	for (size_t i = 0; i < tables_kept(file); i++) {
		if (file->tables[i].unit == unit)
			return &file->tables[i];
	}
	if (!o->skeleton &&
	    !pf_dwarf_ok(file->dwarf->debug, dwarf_offdie_b(file->dwarf->debug, unit, 1, &unit_die, &error), &error))
		return NULL;
	t = &file->tables[file->tables_read++ % PF_FILE_TABLES];
	release_table(o, file, t);
	t->unit = unit;
	read_table(o->skeleton ? o->linked : file->dwarf, o->skeleton ? o->skeleton : unit_die, t);
	pf_die_release(file->dwarf, unit_die);
	return t;
}

static const char *file_name(const struct pf_origins *o, struct pf_origin_file *file, Dwarf_Die die, uint64_t number)
{
	struct pf_file_table *t = file_table(o, file, die);

	if (!t || (!t->from_zero && number == 0))
		return NULL;
	number -= t->from_zero ? 0 : 1;
	return number < (uint64_t)t->count ? t->names[number] : NULL;
}

/* Takes from DIE what *ID does not have yet. */
static void collect(const struct pf_origins *o, struct pf_origin_file *file, Dwarf_Die die, struct identity *id)
{
	uint64_t number;

	if (!id->linkage_name && !pf_die_string(file->dwarf, die, DW_AT_linkage_name, &id->linkage_name))
		pf_die_string(file->dwarf, die, DW_AT_MIPS_linkage_name, &id->linkage_name);
	if (!id->name)
		pf_die_string(file->dwarf, die, DW_AT_name, &id->name);
	if (!id->line && pf_die_number(file->dwarf, die, DW_AT_decl_line, &number) && number <= INT32_MAX)
		id->line = (uint32_t)number;
	if (!id->column && pf_die_number(file->dwarf, die, DW_AT_decl_column, &number) && number <= INT32_MAX)
		id->column = (uint32_t)number;
	if (!id->file && pf_die_number(file->dwarf, die, DW_AT_decl_file, &number))
		id->file = file_name(o, file, die, number);
	id->artificial |= pf_die_has(file->dwarf, die, DW_AT_artificial);
}

/* Steps from DIE, which is E, to the entry that says more of it. */
static bool follow(struct pf_origins *o, Dwarf_Die die, struct entry *e)
{
	bool supplement;

	if (!pf_die_reference(e->file->dwarf, die, DW_AT_abstract_origin, &e->offset, &supplement) &&
	    !pf_die_reference(e->file->dwarf, die, DW_AT_specification, &e->offset, &supplement))
		return false;
	if (supplement)
		e->file = &o->files[1];
	return e->file->dwarf != NULL;
}

/* *E is left at the last entry of the chain. */
static struct identity identify(struct pf_origins *o, struct entry *e)
{
	struct identity id = { 0 };
	struct entry next = *e;
	bool more = true;

	for (int hop = 0; more && hop < CHAIN_LIMIT; hop++) {
		const struct pf_dwarf *dwarf = next.file->dwarf;
		Dwarf_Die die = NULL;
		Dwarf_Error error = NULL;

		if (!pf_dwarf_ok(dwarf->debug, dwarf_offdie_b(dwarf->debug, next.offset, 1, &die, &error), &error))
			break;
		*e = next;
		collect(o, e->file, die, &id);
		more = follow(o, die, &next);
		pf_die_release(dwarf, die);
	}
	return id;
}

/* A lambda's operator() has no line: it stands where its closure type does, the type around the entry at OFFSET.  What
 * the compiler made of a part of a member (the body of an OpenMP region) is in the type, too, but in a function first.
 */
static void take_line_of_type(const struct pf_origins *o, struct pf_origin_file *file, Dwarf_Off offset,
			      struct identity *id)
{
	const struct identity own = *id;
	Dwarf_Off at = 0, unit = 0;
	Dwarf_Die die = NULL;
	Dwarf_Error error = NULL;

	if (!pf_dwarf_ok(file->dwarf->debug, dwarf_offdie_b(file->dwarf->debug, offset, 1, &die, &error), &error))
		return;
	if (!pf_dwarf_ok(file->dwarf->debug, dwarf_CU_dieoffset_given_die(die, &unit, &error), &error))
		unit = offset;
	pf_die_release(file->dwarf, die);
	if (!pf_dwarf_ok(file->dwarf->debug, dwarf_offdie_b(file->dwarf->debug, unit, 1, &die, &error), &error))
		return;
	for (int depth = 0; die && at != offset && depth < DEPTH_LIMIT; depth++) {
		Dwarf_Half tag = pf_die_tag(file->dwarf, die);
		Dwarf_Die parent = die;

		if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
			id->line = id->column = 0;
			id->file = NULL;
			collect(o, file, die, id);
		} else if (tag == DW_TAG_subprogram) {
			*id = own;
		}
		die = pf_children_towards(&file->children, file->dwarf, parent, offset);
		pf_die_release(file->dwarf, parent);
		if (!die || !pf_dwarf_ok(file->dwarf->debug, dwarf_dieoffset(die, &at, &error), &error))
			break;
	}
	pf_die_release(file->dwarf, die);
}

bool pf_origins_unit_file(const struct pf_dwarf *dwarf, Dwarf_Die unit, const char *folder, char **joined)
{
	const char *own_folder, *name;

	*joined = NULL;
	if (pf_die_tag(dwarf, unit) != DW_TAG_compile_unit || !pf_die_string(dwarf, unit, DW_AT_name, &name) ||
	    *name == '<')
		return false;
	if (pf_die_string(dwarf, unit, DW_AT_comp_dir, &own_folder))
		folder = own_folder;
	*joined = pf_filename_join(folder, name);
	return true;
}

/* What the compiler made up (the initialisation of a file's variables, the destruction of a static array) has the same
 * name in each unit, and no file: it is the unit's, that of the entry at OFFSET.  The caller's to free, or NULL. */
static char *file_of_unit(const struct pf_origins *o, struct pf_origin_file *file, Dwarf_Off offset)
{
	const char *folder = NULL;
	char *name = NULL;
	Dwarf_Die die = NULL, unit = NULL;
	Dwarf_Error error = NULL;
	Dwarf_Off at = 0;

	if (!pf_dwarf_ok(file->dwarf->debug, dwarf_offdie_b(file->dwarf->debug, offset, 1, &die, &error), &error))
		return NULL;
	if (o->skeleton)
		pf_die_string(o->linked, o->skeleton, DW_AT_comp_dir, &folder);
	if (pf_dwarf_ok(file->dwarf->debug, dwarf_CU_dieoffset_given_die(die, &at, &error), &error) &&
	    pf_dwarf_ok(file->dwarf->debug, dwarf_offdie_b(file->dwarf->debug, at, 1, &unit, &error), &error)) {
		pf_origins_unit_file(file->dwarf, unit, folder, &name);
		pf_die_release(file->dwarf, unit);
	}
	pf_die_release(file->dwarf, die);
	return name;
}

/* Length of the symbol behind the word `operator', if one that begins template arguments is in it. */
static size_t symbol_length(const char *name)
{
	static const char *const symbols[] = { "<=>", "<<=", "<<", "<=", "<" }; /* the longest that it can be */

	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		if (strncmp(name, symbols[i], strlen(symbols[i])) == 0)
			return strlen(symbols[i]);
	}
	return 0;
}

/* Length of the plain NAME without its template arguments, which GCC's own name of the function does not have.  Those
 * of a call operator stand right behind it, those of `operator<' behind a blank. */
static size_t plain_length(const char *name)
{
	size_t fixed = strncmp(name, "operator", 8) == 0 ? 8 + symbol_length(name + 8) : 0;
	const char *arguments = strchr(name + fixed, '<');

	while (arguments > name + fixed && arguments[-1] == ' ')
		arguments--;
	return arguments && arguments != name ? (size_t)(arguments - name) : strlen(name);
}

static uint32_t add_origin(struct pf_origins *o, struct entry e)
{
	struct identity id = identify(o, &e);
	struct pf_origin *new = pf_array_push(&o->source->origins);
	char *name, *file, *made_in;

	if (!id.line && id.name)
		take_line_of_type(o, e.file, e.offset, &id);
	name = new ? pf_source_keep(o->source, strdup(id.linkage_name ? id.linkage_name
						      : id.name       ? id.name
								      : ""))
		   : NULL;
	made_in = id.file || !id.artificial ? NULL : file_of_unit(o, e.file, e.offset);
	file = name ? pf_source_keep(o->source, strdup(id.file ? id.file : made_in ? made_in : "")) : NULL;
	free(made_in);
	if (!file)
		return UINT32_MAX;
	name[id.linkage_name ? pf_name_elide(name) : plain_length(name)] = 0;
	pf_filename_fold(file);
	*new = (struct pf_origin) { .name = name,
				    .file = file,
				    .line = id.line,
				    .column = id.column,
				    .undeclared = !id.line && !*file && !id.artificial };
	return (uint32_t)(o->source->origins.count - 1);
}

static struct pf_origin_slot *slot_of(struct pf_origin_slot *slots, size_t capacity, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

static bool grow(struct pf_origins *o)
{
	size_t capacity = o->slots.capacity ? o->slots.capacity * 2 : 256;
	struct pf_origin_slot *grown;

	if (o->used < o->slots.capacity / 2)
		return true;
	grown = calloc(capacity, sizeof *grown);
	if (!grown)
		return false;
	for (size_t i = 0; i < o->slots.capacity; i++) {
		if (o->slots.at[i].key)
			*slot_of(grown, capacity, o->slots.at[i].key) = o->slots.at[i];
	}
	free(o->slots.at);
	o->slots.at = grown;
	o->slots.capacity = capacity;
	return true;
}

const char *pf_origins_name(struct pf_origins *o, Dwarf_Die die)
{
	struct entry e = { .file = &o->files[0] };
	Dwarf_Error error = NULL;
	struct identity id = { 0 };

	if (pf_die_string(e.file->dwarf, die, DW_AT_linkage_name, &id.linkage_name))
		return id.linkage_name;
	if (pf_dwarf_ok(e.file->dwarf->debug, dwarf_dieoffset(die, &e.offset, &error), &error))
		id = identify(o, &e);
	return id.linkage_name ? id.linkage_name : id.name ? id.name : "";
}

uint32_t pf_origins_of(struct pf_origins *o, Dwarf_Die die)
{
	struct entry e = { .file = &o->files[0] };
	Dwarf_Error error = NULL;
	struct pf_origin_slot *slot;
	bool supplement = false, shared;
	const char *own;

	/* Instances share the entry that they are instances of, but the variants of a constructor or destructor (D0,
	 * D2) are functions with names of their own. */
	shared = !pf_die_string(e.file->dwarf, die, DW_AT_linkage_name, &own) &&
		 pf_die_reference(e.file->dwarf, die, DW_AT_abstract_origin, &e.offset, &supplement) &&
		 (!supplement || o->files[1].dwarf);
	if (shared && supplement)
		e.file = &o->files[1];
	if (!shared && !pf_dwarf_ok(e.file->dwarf->debug, dwarf_dieoffset(die, &e.offset, &error), &error))
		e.offset = 0;
	if (!grow(o))
		return UINT32_MAX;
	slot = slot_of(o->slots.at, o->slots.capacity, e.offset << 1 | (e.file == &o->files[1]));
	if (!slot->key) {
		uint32_t origin = add_origin(o, e);

		if (origin == UINT32_MAX)
			return UINT32_MAX;
		*slot = (struct pf_origin_slot) { .key = e.offset << 1 | (e.file == &o->files[1]), .origin = origin };
		o->used++;
	}
	return slot->origin;
}
