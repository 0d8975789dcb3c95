/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See lines.h.  The hard cases are several rows at one address (GCC's location views): only the last one, which has an
 * extent, describes the instruction; the rows of what the linker left out, which lie over other functions; and tables
 * that are damaged and can still be read.  Each row's address counts from the one before it, so damage moves all that
 * follow; but of compiled code a function that has rows has one at its entry, and no sequence goes backwards or ends
 * within one.  Code that was written by hand may begin with data, and assemblers end sequences where they like. */
#include "converter/lines.h"
#include "converter/die.h"
#include "converter/dwarfobject.h"
#include "support/search.h"

struct piece {
	uint64_t start, end;
	size_t function;
	bool opened; /* a row is at its start, or need not be */
	bool lined;  /* a row is in it */
};

struct pieces {
	struct piece *at;
	size_t count, capacity;
	bool compiled; /* not written in assembly language */
};

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int compare_rows(const void *a, const void *b)
{
	const struct pf_source_row *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The address ranges of the unit's functions. */
static int list_pieces(const struct pf_source *source, size_t first, struct pieces *pieces)
{
	for (size_t i = first; i < source->functions.count; i++) {
		const struct pf_source_function *f = &source->functions.at[i];

		for (uint32_t k = 0; k < f->nodes.at[0].range_count; k++) {
			struct piece *new = pf_array_push(pieces);

			if (!new)
				return PF_ENOMEM;
			*new = (struct piece) {
				.start = f->ranges.at[k].start,
				.end = f->ranges.at[k].end,
				.function = i,
				.opened = f->ranges.at[k].start != f->nodes.at[0].entry,
			};
		}
	}
	pf_array_sort(pieces, compare_pieces);
	return PF_OK;
}

static struct piece *find_piece(const struct pieces *pieces, uint64_t address)
{
	struct pf_search search = pf_search_over(pieces->count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, pieces->at[search.middle].start <= address);
	return search.low > 0 && address < pieces->at[search.low - 1].end ? &pieces->at[search.low - 1] : NULL;
}

static uint64_t line_address(Dwarf_Debug debug, Dwarf_Line line, bool *good)
{
	Dwarf_Error error = NULL;
	Dwarf_Addr address = 0;

	*good &= pf_dwarf_ok(debug, dwarf_lineaddr(line, &address, &error), &error);
	return address;
}

static bool describe(const struct pf_dwarf_unit *unit, Dwarf_Line line, struct pf_source_row *row)
{
	Dwarf_Debug debug = unit->linked->debug;
	Dwarf_Unsigned number = 0, column = 0, isa = 0, discriminator = 0;
	Dwarf_Bool prologue = 0, epilogue = 0;
	Dwarf_Error error = NULL;

	if (!pf_dwarf_ok(debug, dwarf_lineno(line, &number, &error), &error) ||
	    !pf_dwarf_ok(debug, dwarf_lineoff_b(line, &column, &error), &error) ||
	    !pf_dwarf_ok(debug, dwarf_prologue_end_etc(line, &prologue, &epilogue, &isa, &discriminator, &error),
			 &error))
		return false;
	row->line = (uint32_t)number;
	row->column = (uint32_t)column;
	row->discriminator = pf_discriminator_read((uint32_t)discriminator, unit->layers);
	return number > 0 && number <= INT32_MAX;
}

/* libdwarf of 2021 says it of rows at which an epilogue begins (LLVM), too. */
static bool ends_sequence(Dwarf_Debug debug, Dwarf_Line line)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool last = 0, prologue = 0, epilogue = 0;
	Dwarf_Unsigned isa = 0, discriminator = 0;

	return !pf_dwarf_ok(debug, dwarf_lineendsequence(line, &last, &error), &error) ||
	       !pf_dwarf_ok(debug, dwarf_prologue_end_etc(line, &prologue, &epilogue, &isa, &discriminator, &error),
			    &error) ||
	       (last && !epilogue);
}

/* The row that LINE opens, up to where the next line of its sequence stands. */
static int add_row(const struct pf_dwarf_unit *unit, struct pf_source *source, const struct pieces *pieces,
		   Dwarf_Line line, Dwarf_Line next)
{
	Dwarf_Debug debug = unit->linked->debug;
	bool good = true;
	struct pf_source_row row = { .start = line_address(debug, line, &good) }, *new;
	const struct piece *piece = good ? find_piece(pieces, row.start) : NULL;

	if (!piece)
		return PF_OK;
	row.end = line_address(debug, next, &good);
	if (!good || row.end <= row.start || !describe(unit, line, &row))
		return PF_OK;
	row.end = row.end > piece->end ? piece->end : row.end;
	new = pf_array_push(&source->functions.at[piece->function].rows);
	if (!new)
		return PF_ENOMEM;
	*new = row;
	return PF_OK;
}

/* Whether a sequence of code that comes from PREVIOUS can have a row at ADDRESS. */
static bool check_row(const struct pieces *pieces, uint64_t previous, uint64_t address)
{
	struct piece *piece = find_piece(pieces, address);

	if (piece) {
		piece->opened |= address == piece->start;
		piece->lined = true;
	}
	return address >= previous;
}

static bool check_end(const struct pieces *pieces, const struct pf_owners *owners, uint64_t previous, uint64_t address)
{
	const struct piece *piece = find_piece(pieces, address);

	return address >= previous && (address == previous || pf_owners_is_code(owners, address - 1)) &&
	       (!piece || address == piece->start);
}

static bool all_opened(const struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++) {
		if (pieces->at[i].lined && !pieces->at[i].opened)
			return false;
	}
	return true;
}

static int add_rows(const struct pf_dwarf_unit *unit, const struct pf_owners *owners, struct pf_source *source,
		    const struct pieces *pieces, Dwarf_Line_Context context)
{
	Dwarf_Debug debug = unit->linked->debug;
	Dwarf_Line *lines = NULL;
	Dwarf_Signed count = 0;
	Dwarf_Error error = NULL;
	uint64_t previous = 0;
	bool fresh = true, code = false, good = true;

	if (!pf_dwarf_ok(debug, dwarf_srclines_from_linecontext(context, &lines, &count, &error), &error))
		return PF_EFORMAT;
	for (Dwarf_Signed i = 0; i < count && good; i++) {
		uint64_t address = line_address(debug, lines[i], &good);
		bool ends = ends_sequence(debug, lines[i]);

		if (fresh) {
			code = pf_owners_is_code(owners, address);
			previous = address;
		}
		fresh = ends;
		if (code && pieces->compiled)
			good &=
			    ends ? check_end(pieces, owners, previous, address) : check_row(pieces, previous, address);
		previous = address;
		if (code && !ends && i + 1 < count &&
		    add_row(unit, source, pieces, lines[i], lines[i + 1]) == PF_ENOMEM)
			return PF_ENOMEM;
	}
	return good && all_opened(pieces) ? PF_OK : PF_EFORMAT;
}

static void drop_rows(struct pf_source *source, size_t first)
{
	for (size_t i = first; i < source->functions.count; i++)
		source->functions.at[i].rows.count = 0;
}

int pf_lines_read(const struct pf_dwarf_unit *unit, Dwarf_Die die, const struct pf_owners *owners,
		  struct pf_source *source, size_t first)
{
	Dwarf_Debug debug = unit->linked->debug;
	Dwarf_Line_Context context = NULL;
	Dwarf_Unsigned version = 0;
	Dwarf_Small tables = 0;
	Dwarf_Error error = NULL;
	struct pieces pieces = { 0 };
	uint64_t language = 0;
	int status = list_pieces(source, first, &pieces);

	pf_die_number(unit->linked, die, DW_AT_language, &language);
	pieces.compiled = language != DW_LANG_Mips_Assembler;
	if (status == PF_OK &&
	    !pf_dwarf_ok(debug, dwarf_srclines_b(die, &version, &tables, &context, &error), &error)) {
		context = NULL;
		status = PF_EFORMAT;
	}
	if (status == PF_OK)
		status = add_rows(unit, owners, source, &pieces, context);
	if (context)
		dwarf_srclines_dealloc_b(context);
	if (status == PF_EFORMAT)
		drop_rows(source, first);
	for (size_t i = first; i < source->functions.count; i++)
		pf_array_sort(&source->functions.at[i].rows, compare_rows);
	pf_array_fini(&pieces);
	return status;
}
