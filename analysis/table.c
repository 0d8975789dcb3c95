/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for a terminal: columns as wide as their widest cell, numbers to the right, the interval as a half width,
 * and a mark behind what is inside the noise.  The hard case is alignment: the "±" is two bytes and one place, so
 * widths are counted in characters. */
#include "analysis/beyond.h"
#include "analysis/render.h"

#include <stdlib.h>
#include <string.h>

#define NOTE_WIDTH 100

static void put_plain(struct pf_buffer *out, const char *character, size_t length)
{
	pf_buffer_bytes(out, character, length);
}

static void put_blanks(struct pf_buffer *out, size_t count)
{
	while (count--)
		pf_buffer_u8(out, ' ');
}

/* Places before the interval, of it, and whether any cell of the column has a mark. */
struct width {
	size_t value, brief, mark;
};

static const char *words_of(const struct pf_cell *cell)
{
	return cell->text ? cell->text : cell->value;
}

static const char *mark_of(const struct pf_cell *cell)
{
	if (cell->mark == PF_CELL_NOISE)
		return cell->few ? "~?" : "~";
	return cell->few ? "?" : "";
}

static void widen(size_t *width, const char *text)
{
	size_t needed = pf_render_width(text);

	if (needed > *width)
		*width = needed;
}

static struct width width_of(const struct pf_sheet *sheet, size_t column)
{
	struct width width = { 0 };
	size_t header = pf_render_width(sheet->columns[column]), all;

	for (size_t row = 0; row < sheet->row_count; row++) {
		const struct pf_cell *cell = &sheet->cells[row * sheet->column_count + column];

		widen(&width.value, words_of(cell));
		widen(&width.brief, cell->brief);
		widen(&width.mark, mark_of(cell));
	}
	all = width.value + (width.brief ? 1 + width.brief : 0) + width.mark;
	if (all < header)
		width.value += header - all;
	return width;
}

static size_t total(const struct width *width)
{
	return width->value + (width->brief ? 1 + width->brief : 0) + width->mark;
}

static void put_words(struct pf_buffer *out, const char *text, size_t width, bool last)
{
	pf_render_text(out, text, put_plain);
	if (!last)
		put_blanks(out, width - pf_render_width(text));
}

static void put_number(struct pf_buffer *out, const struct pf_cell *cell, const struct width *width)
{
	put_blanks(out, width->value - pf_render_width(words_of(cell)));
	pf_render_text(out, words_of(cell), put_plain);
	if (width->brief)
		put_blanks(out, 1 + width->brief - pf_render_width(cell->brief));
	pf_render_text(out, cell->brief, put_plain);
	pf_render_text(out, mark_of(cell), put_plain);
	put_blanks(out, width->mark - pf_render_width(mark_of(cell)));
}

static void put_header(struct pf_buffer *out, const struct pf_sheet *sheet, const struct width *widths)
{
	for (size_t c = 0; c < sheet->column_count; c++) {
		size_t spare = total(&widths[c]) - pf_render_width(sheet->columns[c]);
		bool words = c < sheet->text_columns, last = c + 1 == sheet->column_count;

		pf_buffer_printf(out, c ? "  " : "");
		/* A number's heading ends where the numbers end, not where their marks do. */
		put_blanks(out, words ? 0 : spare > widths[c].mark ? spare - widths[c].mark : 0);
		pf_buffer_printf(out, "%s", sheet->columns[c]);
		if (!last)
			put_blanks(out, words ? spare : spare > widths[c].mark ? widths[c].mark : spare);
	}
	pf_buffer_u8(out, '\n');
}

/* Takes back the blanks at the end of the line. */
static void trim(struct pf_buffer *out)
{
	while (!out->failed && out->size && out->data[out->size - 1] == ' ')
		out->size--;
}

static void put_sheet(struct pf_buffer *out, const struct pf_sheet *sheet)
{
	struct width widths[PF_SHEET_COLUMNS];

	for (size_t c = 0; c < sheet->column_count; c++)
		widths[c] = width_of(sheet, c);
	pf_buffer_printf(out, "\n%s\n", sheet->title);
	if (sheet->row_count)
		put_header(out, sheet, widths);
	for (size_t row = 0; row < sheet->row_count; row++) {
		const struct pf_cell *cells = sheet->cells + row * sheet->column_count;

		for (size_t c = 0; c < sheet->column_count; c++) {
			pf_buffer_printf(out, c ? "  " : "");
			if (c < sheet->text_columns)
				put_words(out, words_of(&cells[c]), total(&widths[c]), c + 1 == sheet->column_count);
			else
				put_number(out, &cells[c], &widths[c]);
		}
		trim(out);
		pf_buffer_u8(out, '\n');
	}
}

/* LINE as paragraphs of a terminal's width: the blanks are where it can break. */
static void put_wrapped(struct pf_buffer *out, const char *line)
{
	size_t used = 0;

	while (*line) {
		size_t length = strcspn(line, " ");
		char *word = strndup(line, length);

		if (!word) {
			out->failed = true;
			return;
		}
		if (used && used + 1 + pf_render_width(word) > NOTE_WIDTH) {
			pf_buffer_u8(out, '\n');
			used = 0;
		}
		pf_buffer_printf(out, used ? " " : "  ");
		pf_render_text(out, word, put_plain);
		used += 1 + pf_render_width(word);
		line += length + (line[length] == ' ');
		free(word);
	}
	pf_buffer_u8(out, '\n');
}

static void put_notes(struct pf_buffer *out, const struct pf_sheet *sheet)
{
	const char *line;

	for (size_t at = 0; at < sheet->notes.size; at += strlen(line) + 1) {
		line = (const char *)sheet->notes.data + at;
		put_wrapped(out, line);
	}
}

static void put_line(struct pf_buffer *out, const char *label, const char *text)
{
	pf_buffer_printf(out, "%s", label);
	pf_render_text(out, text, put_plain);
	pf_buffer_u8(out, '\n');
}

void pf_render_table(struct pf_buffer *out, const struct pf_sheets *sheets, const struct pf_results *results)
{
	char *verdict = pf_beyond_verdict(results), *summary = pf_render_summary(results);

	put_line(out, "", verdict ? verdict : "");
	put_line(out, "", summary ? summary : "");
	out->failed |= !summary || !verdict;
	free(verdict);
	free(summary);
	for (size_t i = 0; i < results->comparison->source_count; i++) {
		struct pf_provenance provenance;

		if (!pf_render_provenance(&provenance, results->comparison, i, out))
			continue;
		put_line(out, "files     ", provenance.files);
		put_line(out, "measured  ", provenance.dates);
		put_line(out, "machine   ", provenance.machine);
		put_line(out, "versions  ", provenance.versions);
		pf_provenance_fini(&provenance);
	}
	pf_buffer_printf(out,
			 "Marks: ~ inside the noise; ? fewer than %d pairs, the interval is a guess; - not measured.\n",
			 PF_STATISTICS_FEW);
	for (size_t i = 0; i < sheets->count; i++) {
		if (sheets->sheets[i].page_only)
			continue;
		put_sheet(out, &sheets->sheets[i]);
		put_notes(out, &sheets->sheets[i]);
	}
}
