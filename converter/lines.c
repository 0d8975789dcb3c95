/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See lines.h.  The hard cases are several rows at one address (GCC's location views): only the last one, which has an
 * extent, describes the instruction; the rows of what the linker left out, which lie over other functions; and tables
 * that are damaged and can still be read.  Each row's address counts from the one before it, so damage moves all that
 * follow; but of compiled code a function that has rows has one at its entry, and no sequence goes backwards or ends
 * within one.  Code that was written by hand may begin with data, and assemblers end sequences where they like.  And
 * where the linker made one of two functions of a unit, gold leads the rows of both to the code that is left. */
#include "converter/lines.h"
#include "converter/die.h"
#include "converter/lineprogram.h"
#include "support/filename.h"
#include "support/search.h"

#include <stdlib.h>
#include <string.h>

struct piece {
	uint64_t start, end;
	size_t function;
	bool opened; /* a row is at its start, or need not be */
	bool lined;  /* a row is in it */
	/* Numbers of the sequence whose rows it has, and of the last whose rows it does not want. */
	uint32_t sequence, refused;
	uint32_t off;              /* lines from its function's declaration to the first of these rows */
	struct pf_range has_lines; /* the first and the last of them */
};

struct pieces {
	struct piece *at;
	size_t count, capacity;
	bool compiled;         /* not written in assembly language */
	struct pf_range near;  /* for all addresses in it, the piece is */
	struct piece *nearest; /* this one; NULL: none */
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

/* The files of a line table, as libdwarf reads its head. */
struct files {
	Dwarf_Debug debug;
	char **names;
	Dwarf_Signed count;
	uint32_t *known; /* of each its place in the source's files, 0 until a row asks for it */
	bool from_zero;
};

static void release_files(struct files *f)
{
	for (Dwarf_Signed i = 0; i < f->count; i++)
		dwarf_dealloc(f->debug, f->names[i], DW_DLA_STRING);
	if (f->names)
		dwarf_dealloc(f->debug, f->names, DW_DLA_LIST);
	free(f->known);
}

/* The place of the table's file NUMBER in the source's files; 0 if the table has no such file. */
static int place_file(struct files *f, uint32_t number, struct pf_source *source, uint32_t *place)
{
	Dwarf_Signed index = (Dwarf_Signed)number - !f->from_zero;
	const char **new;
	char *name;

	*place = 0;
	if (index < 0 || index >= f->count)
		return PF_OK;
	if (!f->known[index]) {
		name = pf_source_keep(source, strdup(f->names[index]));
		new = name ? pf_array_push(&source->files) : NULL;
		if (!new)
			return PF_ENOMEM;
		pf_filename_fold(name);
		*new = name;
		f->known[index] = (uint32_t)source->files.count;
	}
	*place = f->known[index];
	return PF_OK;
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

/* Rows come nearly in the order of their addresses: mostly the answer is the one of the row before. */
static struct piece *find_piece(struct pieces *pieces, uint64_t address)
{
	struct pf_search search = pf_search_over(pieces->count);
	struct piece *before;

	if (address >= pieces->near.start && address < pieces->near.end)
		return pieces->nearest;
	while (pf_search_goes_on(&search))
		pf_search_step(&search, pieces->at[search.middle].start <= address);
	before = search.low > 0 ? &pieces->at[search.low - 1] : NULL;
	pieces->near.start = before ? before->start : 0;
	pieces->near.end = search.low < pieces->count ? pieces->at[search.low].start : UINT64_MAX;
	if (before && address >= before->end) {
		pieces->near.start = before->end;
		before = NULL;
	} else if (before && before->end < pieces->near.end) {
		pieces->near.end = before->end;
	}
	pieces->nearest = before;
	return before;
}

/* Lines from the declaration of F to ROW, which is in FILE; far from it in another file. */
static uint32_t lines_off(const struct pf_source *source, const struct pf_source_function *f,
			  const struct pf_line_row *row, uint32_t file)
{
	const struct pf_origin *origin = &source->origins.at[f->nodes.at[0].origin];
	const char *name = file ? source->files.at[file - 1] : "";

	if (strcmp(pf_filename_base(name), pf_filename_base(origin->file)) != 0)
		return UINT32_MAX;
	return row->line > origin->line ? row->line - origin->line : origin->line - row->line;
}

static void drop_piece(struct pf_source_function *f, const struct piece *piece)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->rows.count; i++) {
		if (f->rows.at[i].start < piece->start || f->rows.at[i].start >= piece->end)
			f->rows.at[kept++] = f->rows.at[i];
	}
	f->rows.count = kept;
}

/* Whether PIECE takes ROW, in FILE, of sequence number SEQUENCE.  Of two that are of the same code it has the one that
 * begins nearer to where its function is declared. */
static bool takes(struct piece *piece, struct pf_source *source, const struct pf_line_row *row, uint32_t file,
		  uint32_t sequence)
{
	struct pf_source_function *f = &source->functions.at[piece->function];
	uint32_t off;

	if (sequence == piece->sequence || sequence == piece->refused)
		return sequence == piece->sequence;
	off = lines_off(source, f, row, file);
	if (piece->sequence && row->address >= piece->has_lines.start && row->address <= piece->has_lines.end) {
		if (off >= piece->off) {
			piece->refused = sequence;
			return false;
		}
		drop_piece(f, piece);
		piece->sequence = 0;
	}
	if (!piece->sequence)
		piece->has_lines = (struct pf_range) { row->address, row->address };
	piece->sequence = sequence;
	piece->off = off;
	return true;
}

/* Adds ROW of sequence number SEQUENCE, whose instructions reach up to END, unless it is of no function that is
 * wanted. */
static int add_row(struct pf_source *source, struct pieces *pieces, struct files *files, const struct pf_line_row *row,
		   uint64_t end, uint32_t sequence, bool layers)
{
	struct piece *piece = find_piece(pieces, row->address);
	struct pf_source_row *new;
	uint32_t file;

	if (!piece || end <= row->address || row->line == 0 || row->line > INT32_MAX)
		return PF_OK;
	if (place_file(files, row->file, source, &file) < 0)
		return PF_ENOMEM;
	if (!takes(piece, source, row, file, sequence))
		return PF_OK;
	if (row->address < piece->has_lines.start)
		piece->has_lines.start = row->address;
	if (row->address > piece->has_lines.end)
		piece->has_lines.end = row->address;
	new = pf_array_push(&source->functions.at[piece->function].rows);
	if (!new)
		return PF_ENOMEM;
	*new = (struct pf_source_row) { .start = row->address,
					.end = end > piece->end ? piece->end : end,
					.line = row->line,
					.column = row->column,
					.file = file,
					.discriminator = pf_discriminator_read(row->discriminator, layers) };
	return PF_OK;
}

/* Whether a sequence of code that comes from PREVIOUS can have a row at ADDRESS. */
static bool check_row(struct pieces *pieces, uint64_t previous, uint64_t address)
{
	struct piece *piece = find_piece(pieces, address);

	if (piece) {
		piece->opened |= address == piece->start;
		piece->lined = true;
	}
	return address >= previous;
}

static bool check_end(struct pieces *pieces, const struct pf_owners *owners, uint64_t previous, uint64_t address)
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

/* A row says where the one before it ends, if that was of the same sequence. */
static int add_rows(const struct pf_dwarf_unit *unit, const struct pf_owners *owners, struct pf_source *source,
		    struct pieces *pieces, struct files *files, struct pf_line_program *program)
{
	struct pf_line_row row, previous = { .ends = true };
	bool code = false, good = true;
	uint32_t sequence = 0;
	int more;

	while (good && (more = pf_line_program_next(program, &row)) > 0) {
		uint64_t reached = previous.ends ? row.address : previous.address;

		sequence += previous.ends;
		if (previous.ends)
			code = pf_owners_is_code(owners, row.address);
		else if (code && add_row(source, pieces, files, &previous, row.address, sequence, unit->layers) < 0)
			return PF_ENOMEM;
		if (code && pieces->compiled)
			good = row.ends ? check_end(pieces, owners, reached, row.address)
					: check_row(pieces, reached, row.address);
		previous = row;
	}
	return good && more == 0 && all_opened(pieces) ? PF_OK : PF_EFORMAT;
}

static void drop_rows(struct pf_source *source, size_t first)
{
	for (size_t i = first; i < source->functions.count; i++)
		source->functions.at[i].rows.count = 0;
}

/* PF_ENOMEM, PF_EFORMAT (no message).  FILES is the caller's, to release_files, in any case. */
static int read_files(const struct pf_dwarf *dwarf, Dwarf_Die die, struct files *files)
{
	Dwarf_Error error = NULL;
	int answer;

	files->debug = dwarf->debug;
	answer = dwarf_srcfiles(die, &files->names, &files->count, &error);
	if (!pf_dwarf_ok(dwarf->debug, answer, &error)) {
		files->names = NULL;
		files->count = 0;
		return answer == DW_DLV_NO_ENTRY ? PF_OK : PF_EFORMAT;
	}
	files->known = calloc((size_t)files->count + 1, sizeof *files->known);
	return files->known ? PF_OK : PF_ENOMEM;
}

static int open_program(const struct pf_dwarf_unit *unit, Dwarf_Die die, struct pf_line_program *program,
			struct files *files)
{
	uint64_t offset;
	bool indexed;
	int status;

	if (!pf_die_offset(unit->linked, die, DW_AT_stmt_list, &offset, &indexed))
		return PF_EFORMAT;
	status = read_files(unit->linked, die, files);
	if (status == PF_OK)
		status = pf_line_program_open(program, unit->linked, offset);
	files->from_zero = status == PF_OK && program->version >= 5;
	return status;
}

int pf_lines_read(const struct pf_dwarf_unit *unit, Dwarf_Die die, const struct pf_owners *owners,
		  struct pf_source *source, size_t first)
{
	struct pf_line_program program;
	struct pieces pieces = { 0 };
	struct files files = { 0 };
	uint64_t language = 0;
	int status = list_pieces(source, first, &pieces);

	pf_die_number(unit->linked, die, DW_AT_language, &language);
	pieces.compiled = language != DW_LANG_Mips_Assembler;
	if (status == PF_OK)
		status = open_program(unit, die, &program, &files);
	if (status == PF_OK)
		status = add_rows(unit, owners, source, &pieces, &files, &program);
	if (status == PF_EFORMAT)
		drop_rows(source, first);
	for (size_t i = first; i < source->functions.count; i++)
		pf_array_sort(&source->functions.at[i].rows, compare_rows);
	pf_array_fini(&pieces);
	release_files(&files);
	return status;
}
