/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source.h: the walk over units and their entries.  The hard case is size: gigabytes of DWARF of which a profile
 * touches a few units.  Every unit's header and first entry is read, the rest only where a sampled address lies that
 * has no function yet, and until there is none; only the functions that were touched are kept. */
#include "converter/source.h"
#include "converter/arguments.h"
#include "converter/dwarfobject.h"
#include "converter/folds.h"
#include "converter/lines.h"
#include "converter/origins.h"
#include "converter/owners.h"
#include "converter/ranges.h"
#include "converter/split.h"
#include "converter/touched.h"
#include "converter/unitbases.h"
#include "support/filename.h"
#include "support/search.h"

#define DEPTH_LIMIT PF_MAX_INLINE_DEPTH /* of entries: no profile is deeper, and no stack is too small for it */

struct walk {
	const struct pf_debug_files *files;
	struct pf_dwarf dwarf, supplement;
	struct pf_dwarf_unit unit; /* whose entries are read */
	struct pf_source *source;
	struct pf_origins *origins; /* of the unit */
	struct pf_owners owners;
	struct pf_folds folds;
	struct pf_range_array unit_ranges; /* of the unit, where there is code */
	struct pf_touched touched;
	size_t done_ranges; /* so many of the unit's first ranges have nothing that is left of what was touched */
	bool nesting;       /* functions are looked for inside of functions that did not run */
	bool no_memory;
};

/* Whether a sampled address that has no function yet lies in one of the ranges. */
static bool touches(struct walk *w, const struct pf_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (pf_touched_in(&w->touched, ranges[i].start, ranges[i].end))
			return true;
	}
	return false;
}

/* The same of the ranges of the unit, of which none is looked at again that has nothing. */
static bool is_sought(struct walk *w)
{
	const struct pf_range_array *ranges = &w->unit_ranges;

	while (w->done_ranges < ranges->count && !touches(w, &ranges->at[w->done_ranges], 1))
		w->done_ranges++;
	return w->done_ranges < ranges->count;
}

static void walk_children(struct walk *w, Dwarf_Die die, unsigned depth);

/* Position of the call that NODE's instance replaces, relative to the function that holds it. */
static void read_site(struct walk *w, Dwarf_Die die, const struct pf_source_node *parent, struct pf_position *site)
{
	uint64_t line, column, discriminator;
	const struct pf_origin *in = &w->source->origins.at[parent->origin];

	w->source->inlined++;
	/* Before DWARF 3 that is an extension, which -gstrict-dwarf forbids; a call that is of no line can be anywhere.
	 */
	w->source->inlined_nowhere += !pf_die_number(w->unit.dwarf, die, DW_AT_call_line, &line) && w->unit.version < 3;
	pf_die_number(w->unit.dwarf, die, DW_AT_call_column, &column);
	pf_die_number(w->unit.dwarf, die, DW_AT_GNU_discriminator, &discriminator);
	site->line = line ? (int32_t)((uint32_t)line - in->line) : 0;
	site->column = (uint32_t)column;
	site->discriminator = pf_discriminator_read((uint32_t)discriminator, w->unit.layers).block;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct pf_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool in_unit(const struct walk *w, uint64_t address)
{
	struct pf_search search = pf_search_over(w->unit_ranges.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, w->unit_ranges.at[search.middle].start <= address);
	return search.low > 0 && address < w->unit_ranges.at[search.low - 1].end;
}

/* Reads the ranges of the function DIE and leaves those that are its own: they begin in the code of its unit, and no
 * function came first.  False if nothing of them ran. */
static bool own_ranges(struct walk *w, Dwarf_Die die, struct pf_range_array *ranges)
{
	size_t kept = 0;

	if (!pf_ranges_read(&w->unit, die, ranges))
		w->no_memory = true;
	if (w->no_memory || !touches(w, ranges->at, ranges->count))
		return false;
	for (size_t i = 0; i < ranges->count; i++) {
		if (in_unit(w, ranges->at[i].start) &&
		    pf_owners_claim(&w->owners, ranges->at[i].start, ranges->at[i].end))
			ranges->at[kept++] = ranges->at[i];
	}
	ranges->count = kept;
	return touches(w, ranges->at, kept);
}

static bool covers(const struct pf_range *ranges, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++) {
		if (address >= ranges[i].start && address < ranges[i].end)
			return true;
	}
	return false;
}

/* Where a function of COUNT ranges begins that does not say it: at the one whose symbol has the shortest name, since
 * those of its parts are its own with more behind it (f.cold, f.__part.2).  Clang writes the first part last. */
static uint64_t first_byte(const struct walk *w, const struct pf_range *ranges, size_t count)
{
	uint64_t first = ranges[0].start;
	size_t shortest = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct pf_elf_symbol *symbol = pf_elf_symbol_at(w->files->binary, ranges[i].start);

		if (symbol && strlen(symbol->name) < shortest) {
			first = ranges[i].start;
			shortest = strlen(symbol->name);
		}
	}
	return first;
}

/* Adds the instance DIE, whose ranges are those of function F from number FIRST on; its index, or UINT32_MAX if it has
 * no code. */
static uint32_t add_node(struct walk *w, struct pf_source_function *f, Dwarf_Die die, uint32_t parent, size_t first)
{
	struct pf_source_node node = { .parent = parent, .first_range = (uint32_t)first }, *new;

	node.range_count = (uint32_t)(f->ranges.count - first);
	if (node.range_count == 0)
		return UINT32_MAX;
	node.origin = pf_origins_of(w->origins, die);
	new = node.origin == UINT32_MAX ? NULL : pf_array_push(&f->nodes);
	if (!new) {
		w->no_memory = true;
		return UINT32_MAX;
	}
	if (!pf_die_address(&w->unit, die, DW_AT_entry_pc, &node.entry) ||
	    !covers(&f->ranges.at[first], node.range_count, node.entry))
		node.entry =
		    f->nodes.count > 1 ? f->ranges.at[first].start : first_byte(w, f->ranges.at, node.range_count);
	if (f->nodes.count > 1) {
		read_site(w, die, &f->nodes.at[parent], &node.site);
		node.depth = f->nodes.at[parent].depth + 1;
	}
	*new = node;
	return (uint32_t)(f->nodes.count - 1);
}

static uint32_t add_inlined(struct walk *w, struct pf_source_function *f, Dwarf_Die die, uint32_t parent)
{
	size_t first = f->ranges.count;

	if (!pf_ranges_read(&w->unit, die, &f->ranges)) {
		w->no_memory = true;
		return UINT32_MAX;
	}
	return add_node(w, f, die, parent, first);
}

/* Instances below DIE go to function number FUNCTION, under node PARENT.  A nested function is a function of its own.
 */
static void read_scope(struct walk *w, Dwarf_Die die, size_t function, uint32_t parent, unsigned depth);

static void read_function(struct walk *w, Dwarf_Die die, unsigned depth)
{
	struct pf_source_function *f = pf_array_push(&w->source->functions);
	size_t index = w->source->functions.count - 1;

	if (!f) {
		w->no_memory = true;
		return;
	}
	if (own_ranges(w, die, &f->ranges) && add_node(w, f, die, 0, 0) == 0) {
		pf_arguments_read(w->unit.dwarf, die, f->arguments);
		for (size_t i = 0; i < f->ranges.count; i++)
			pf_touched_take(&w->touched, f->ranges.at[i].start, f->ranges.at[i].end);
		read_scope(w, die, index, 0, depth + 1);
		return;
	}
	pf_array_fini(&f->nodes);
	pf_array_fini(&f->ranges);
	w->source->functions.count--;
	if (w->nesting)
		walk_children(w, die, depth + 1);
}

/* What stands in a function and can hold others: blocks, and types with methods. */
static bool is_scope(Dwarf_Half tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static void read_scope(struct walk *w, Dwarf_Die die, size_t function, uint32_t parent, unsigned depth)
{
	Dwarf_Die child = depth < DEPTH_LIMIT ? pf_die_child(w->unit.dwarf, die) : NULL;

	for (; child && !w->no_memory; pf_die_next(w->unit.dwarf, &child)) {
		Dwarf_Half tag = pf_die_tag(w->unit.dwarf, child);
		uint32_t node = parent;

		if (tag == DW_TAG_inlined_subroutine)
			node = add_inlined(w, &w->source->functions.at[function], child, parent);
		if (tag == DW_TAG_subprogram)
			read_function(w, child, depth + 1);
		else if (node != UINT32_MAX && (tag == DW_TAG_inlined_subroutine || is_scope(tag)))
			read_scope(w, child, function, node, depth + 1);
	}
	pf_die_release(w->unit.dwarf, child);
}

static void walk_children(struct walk *w, Dwarf_Die die, unsigned depth)
{
	Dwarf_Die child = depth < DEPTH_LIMIT ? pf_die_child(w->unit.dwarf, die) : NULL;

	for (; child && is_sought(w) && !w->no_memory; pf_die_next(w->unit.dwarf, &child)) {
		Dwarf_Half tag = pf_die_tag(w->unit.dwarf, child);

		if (tag == DW_TAG_subprogram)
			read_function(w, child, depth + 1);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module || (w->nesting && is_scope(tag)))
			walk_children(w, child, depth + 1);
	}
	pf_die_release(w->unit.dwarf, child);
}

/* The source's own copy of SIZE bytes at TEXT. */
static const char *keep(struct walk *w, const char *text, size_t size)
{
	const char *kept = pf_source_keep(w->source, strndup(text, size));

	w->no_memory |= !kept;
	return kept;
}

/* Notes which source file UNIT was compiled from, in FOLDER unless it says another, and for which profile. */
static void note_compiled(struct walk *w, Dwarf_Die unit, const char *folder)
{
	struct pf_source_unit *compiled;
	struct pf_producer producer;
	const char *text;
	char *joined;

	producer = pf_producer_read(pf_die_string(w->unit.dwarf, unit, DW_AT_producer, &text) ? text : NULL);
	w->source->linked += producer.made >= PF_MADE_BY_LINK;
	w->source->linked_plainly += producer.made == PF_MADE_BY_LINK;
	if (!pf_origins_unit_file(w->unit.dwarf, unit, folder, &joined))
		return;
	if (joined && (!*joined || strlen(joined) > PF_MAX_COMPILED_NAME)) {
		free(joined);
		return;
	}
	joined = pf_source_keep(w->source, joined);
	compiled = joined ? pf_array_push(&w->source->compiled) : NULL;
	if (!compiled) {
		w->no_memory = true;
		return;
	}
	*compiled = (struct pf_source_unit) { joined, NULL, producer.hash, producer.made };
	if (producer.profile)
		compiled->profile = keep(w, producer.profile, producer.profile_size);
}

/* The ranges of UNIT at which the binary has code.  DWARF 2 has no lists of ranges: a unit whose code lies in several
 * sections tells one of them, so there any address can be its own. */
static void read_unit_ranges(struct walk *w, Dwarf_Die unit)
{
	struct pf_range_array *ranges = &w->unit_ranges;
	uint64_t list;
	bool indexed;
	size_t kept = 0;

	ranges->count = w->done_ranges = 0;
	if (w->unit.version == 2 && !pf_die_offset(w->unit.dwarf, unit, DW_AT_ranges, &list, &indexed)) {
		struct pf_range *all = pf_array_push(ranges);

		w->no_memory |= !all;
		if (all)
			all->end = UINT64_MAX;
		return;
	}
	w->no_memory |= !pf_ranges_read(&w->unit, unit, ranges);
	for (size_t i = 0; i < ranges->count; i++) {
		if (pf_owners_is_code(&w->owners, ranges->at[i].start))
			ranges->at[kept++] = ranges->at[i];
	}
	ranges->count = kept;
	pf_array_sort(ranges, compare_ranges);
}

/* A function can have others inside that are not its instances: GNU C's, Fortran's, the bodies of OpenMP's regions in
 * any language, methods of local classes and lambdas.  Few do, so it is there that what nobody else has is looked
 * for. */
static void read_entries(struct walk *w, Dwarf_Die unit)
{
	w->source->units_read++;
	w->nesting = false;
	walk_children(w, unit, 0);
	w->nesting = true;
	walk_children(w, unit, 0);
}

/* Confirms what may have been folded by the functions below DIE that have code, wherever that may be. */
static void find_bodies(struct walk *w, Dwarf_Die die, unsigned depth)
{
	Dwarf_Die child = w->folds.names.count > 0 && depth < DEPTH_LIMIT ? pf_die_child(w->unit.dwarf, die) : NULL;

	for (; child; pf_die_next(w->unit.dwarf, &child)) {
		Dwarf_Half tag = pf_die_tag(w->unit.dwarf, child);

		if (tag == DW_TAG_namespace || tag == DW_TAG_module)
			find_bodies(w, child, depth + 1);
		else if (tag == DW_TAG_subprogram && pf_die_has_code(w->unit.dwarf, child))
			pf_folds_confirm(&w->folds, pf_origins_name(w->origins, child));
	}
	pf_die_release(w->unit.dwarf, child);
}

static void note_missing(struct walk *w, const char *problem)
{
	if (w->source->units_missing++ > 0)
		return;
	w->source->missing = pf_source_keep(w->source, strdup(problem));
	w->no_memory |= !w->source->missing;
}

/* PATH, which can be NULL, is a file of its own that was read. */
static void note_split(struct walk *w, const char *path)
{
	char *name = path ? pf_source_keep(w->source, strdup(path)) : NULL;
	const char **new = name ? pf_array_push(&w->source->split) : NULL;

	if (new)
		*new = name;
	w->no_memory |= path && !new;
}

/* Reads the entries that SKELETON, the unit being read, has elsewhere; all of them only if it was TOUCHED. */
static void read_split(struct walk *w, Dwarf_Die die, const struct pf_skeleton *skeleton, bool touched)
{
	struct pf_dwarf_unit linked = w->unit;
	struct pf_origins *outer = w->origins;
	struct pf_origins origins = { .source = w->source, .linked = &w->dwarf, .skeleton = die };
	struct pf_split split;
	struct pf_error problem;
	int status = pf_split_open(w->files, skeleton, &split, &problem);

	w->no_memory |= status == PF_ENOMEM;
	if (status < 0) {
		w->source->units_elsewhere++;
		if (touched)
			note_missing(w, problem.text);
		return;
	}
	note_split(w, split.file.path);
	origins.files[0].dwarf = &split.dwarf;
	w->unit = pf_unit_of_split(&split.dwarf, split.unit, &linked);
	w->origins = &origins;
	note_compiled(w, split.unit, skeleton->folder);
	if (touched)
		read_entries(w, split.unit);
	find_bodies(w, split.unit, 0);
	linked.layers = w->unit.layers;
	w->unit = linked;
	w->origins = outer;
	pf_origins_fini(&origins);
	pf_split_close(&split);
}

/* Reads the unit whose first entry is DIE and whose header has ID (0: none). */
static void read_unit(struct walk *w, Dwarf_Die die, uint64_t id)
{
	size_t first = w->source->functions.count;
	struct pf_skeleton skeleton;
	bool touched;

	w->unit = pf_unit_of(&w->dwarf, die);
	read_unit_ranges(w, die);
	touched = is_sought(w);
	if (pf_split_named(&w->dwarf, die, id, &skeleton)) {
		read_split(w, die, &skeleton, touched);
	} else {
		note_compiled(w, die, NULL);
		if (touched)
			read_entries(w, die);
		find_bodies(w, die, 0);
	}
	if (w->source->functions.count == first)
		return;
	switch (pf_lines_read(&w->unit, die, &w->owners, w->source, first)) {
	case PF_OK:
		break;
	case PF_ENOMEM:
		w->no_memory = true;
		break;
	default:
		w->source->units_damaged++;
	}
}

/* Goes over all units.  A header that libdwarf cannot read ends the walk: it cannot find the next one. */
static void read_units(struct walk *w)
{
	struct pf_dwarf_header header;
	int answer;

	while (!w->no_memory && (answer = pf_dwarf_next(&w->dwarf, &header)) != 0) {
		w->source->units_damaged += answer < 0 || !header.die;
		if (answer < 0)
			return;
		w->source->units++;
		if (header.die)
			read_unit(w, header.die, header.id);
		pf_die_release(&w->dwarf, header.die);
	}
}

static int judge(const struct pf_source *source, const char *path, struct pf_error *error)
{
	if (source->units == 0 || source->units_damaged == source->units)
		return pf_fail(error, PF_ENODEBUG, "%s: its debug information is damaged; rebuild it with -g", path);
	if (source->functions.count == 0 && source->units_missing > 0)
		return pf_fail(error, PF_ENODEBUG,
			       "%s: was built with -gsplit-dwarf, and %s; keep the .dwo files where the compiler wrote "
			       "them or beside the program, or pack them as %s.dwp (llvm-dwp)",
			       path, source->missing, pf_filename_base(path));
	return PF_OK;
}

static int read_all(struct walk *w, struct pf_error *error)
{
	struct pf_origins origins = { .source = w->source };

	origins.files[0].dwarf = &w->dwarf;
	origins.files[1].dwarf = w->dwarf.supplement;
	w->origins = &origins;
	if (pf_owners_init(&w->owners, w->files->binary) < 0 ||
	    pf_folds_find(&w->folds, w->files, w->touched.at, w->touched.count) < 0)
		w->no_memory = true;
	else
		read_units(w);
	w->no_memory |= pf_folds_settle(&w->folds, w->source) < 0;
	pf_folds_fini(&w->folds);
	pf_origins_fini(&origins);
	pf_owners_fini(&w->owners);
	pf_array_fini(&w->unit_ranges);
	if (w->no_memory)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory while reading its debug information",
			       w->files->debug->path);
	return judge(w->source, w->files->debug->path, error);
}

int pf_source_walk(const struct pf_debug_files *files, const uint64_t *touched, size_t count, struct pf_source *source,
		   struct pf_error *error)
{
	struct walk w = { .files = files, .source = source };
	int status = pf_dwarf_open(files->debug, &w.dwarf, error);

	*source = (struct pf_source) { 0 };
	if (status == PF_OK && pf_touched_init(&w.touched, touched, count) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory for %zu addresses", files->debug->path, count);
	if (status == PF_OK && files->supplement) {
		status = pf_dwarf_open(files->supplement, &w.supplement, error);
		w.dwarf.supplement = &w.supplement;
	}
	if (status == PF_OK)
		status = read_all(&w, error);
	pf_dwarf_close(&w.dwarf);
	pf_dwarf_close(&w.supplement);
	pf_touched_fini(&w.touched);
	if (status < 0)
		pf_source_fini(source);
	return status;
}
