/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells and grids: how numbers are written.  The hard case is size: a ratio may be anything up to 1e18, and a cell has
 * a fixed place, so what is too large for plain digits goes scientific. */
#include "analysis/cells.h"
#include "support/array.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct pf_sheet *pf_sheets_add(struct pf_sheets *sheets, const char *id, const char *title)
{
	struct pf_sheet *sheet;

	if (!pf_array_reserve(&sheets->sheets, sheets->count, &sheets->room, 1, sizeof *sheet)) {
		sheets->failed = true;
		return NULL;
	}
	sheet = &sheets->sheets[sheets->count++];
	*sheet = (struct pf_sheet) { .id = id, .title = title };
	return sheet;
}

void pf_sheet_column(struct pf_sheet *sheet, const char *name, bool words)
{
	assert(sheet->column_count < PF_SHEET_COLUMNS && !sheet->row_count);
	sheet->columns[sheet->column_count++] = name;
	if (words)
		sheet->text_columns = sheet->column_count;
}

struct pf_cell *pf_sheet_row(struct pf_sheets *sheets, struct pf_sheet *sheet)
{
	size_t at = sheet->row_count * sheet->column_count;
	struct pf_cell *row;

	if (!pf_array_reserve(&sheet->cells, at, &sheet->cell_room, sheet->column_count, sizeof *row)) {
		sheets->failed = true;
		return NULL;
	}
	row = sheet->cells + at;
	memset(row, 0, sheet->column_count * sizeof *row);
	for (size_t i = 0; i < sheet->column_count; i++)
		strcpy(row[i].value, "-");
	sheet->row_count++;
	return row;
}

void pf_sheet_note(struct pf_sheet *sheet, const char *format, ...)
{
	char *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	if (line)
		pf_buffer_string(&sheet->notes, line);
	else
		sheet->notes.failed = true;
	free(line);
}

static void put_percent(char *into, size_t size, double share, int digits, const char *sign)
{
	double percent = 100 * share;

	if (fabs(percent) < 0.5 * pow(10, -digits))
		percent = 0; /* no "-0.0" */
	if (fabs(percent) < 1e6)
		snprintf(into, size, *sign ? "%+.*f" : "%.*f", digits, percent);
	else
		snprintf(into, size, *sign ? "%+.2e" : "%.2e", percent);
}

/* VALUE as "+1.5%" and its interval as "±0.3" and "[+1.2, +1.8]"; OFFSET is what is no gain. */
static struct pf_cell percent_cell(const struct pf_estimate *estimate, double offset, int digits, const char *sign)
{
	struct pf_cell cell = { .value = "-" };
	char text[32], other[32];
	double half;

	if (!estimate->known)
		return cell;
	put_percent(text, sizeof text - 1, estimate->value - offset, digits, sign);
	snprintf(cell.value, sizeof cell.value, "%.30s%%", text);
	if (!estimate->bounded)
		return cell;
	half = fmax(estimate->high - estimate->value, estimate->value - estimate->low);
	put_percent(text, sizeof text, half, digits, "");
	snprintf(cell.brief, sizeof cell.brief, "±%.16s", text);
	put_percent(text, sizeof text, estimate->low - offset, digits, sign);
	put_percent(other, sizeof other, estimate->high - offset, digits, sign);
	snprintf(cell.detail, sizeof cell.detail, "[%s, %s]", text, other);
	return cell;
}

struct pf_cell pf_cell_gain(const struct pf_estimate *ratio, int digits, enum pf_verdict verdict)
{
	static const enum pf_cell_mark marks[] = {
		[PF_VERDICT_NONE] = PF_CELL_PLAIN,  [PF_VERDICT_UNJUDGED] = PF_CELL_PLAIN,
		[PF_VERDICT_NOISE] = PF_CELL_NOISE, [PF_VERDICT_FASTER] = PF_CELL_GOOD,
		[PF_VERDICT_SLOWER] = PF_CELL_BAD,
	};
	struct pf_cell cell = percent_cell(ratio, 1, digits, "+");

	cell.mark = marks[verdict];
	return cell;
}

struct pf_cell pf_cell_fraction(const struct pf_estimate *fraction)
{
	return percent_cell(fraction, 0, 0, "");
}

struct pf_cell pf_cell_words(const char *text)
{
	return (struct pf_cell) { .text = text };
}

#define PREFIXES 6 /* of units: none, k, M, G, T, P */

/* Divides NUMBER by a thousand until it has three digits; how often that is. */
static size_t prefix_of(double *number)
{
	size_t prefix = 0;

	while (*number >= 999.5 && prefix < PREFIXES - 1) {
		*number /= 1000;
		prefix++;
	}
	return prefix;
}

struct pf_cell pf_cell_bytes(double bytes)
{
	static const char *const units[PREFIXES] = { "B", "kB", "MB", "GB", "TB", "PB" };
	struct pf_cell cell = { .value = "-" };
	size_t unit;

	if (bytes < 0)
		return cell;
	unit = prefix_of(&bytes);
	snprintf(cell.value, sizeof cell.value, unit && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
	return cell;
}

struct pf_cell pf_cell_seconds(double seconds)
{
	struct pf_cell cell = { .value = "-" };

	if (seconds >= 0)
		snprintf(cell.value, sizeof cell.value, seconds < 100 ? "%.2f s" : "%.0f s", seconds);
	return cell;
}

struct pf_cell pf_cell_count(double count)
{
	static const char *const units[PREFIXES] = { "", " k", " M", " G", " T", " P" };
	struct pf_cell cell = { .value = "-" };
	size_t unit;

	if (count < 0)
		return cell;
	unit = prefix_of(&count);
	snprintf(cell.value, sizeof cell.value, "%.*f%s", unit && count < 99.5 ? (count < 9.995 ? 2 : 1) : 0, count,
		 units[unit]);
	return cell;
}

void pf_cell_change(struct pf_cell *cell, double ratio)
{
	if (ratio >= 0 && ratio < 1e6)
		snprintf(cell->brief, sizeof cell->brief, "%+.1f%%", 100 * (ratio - 1));
	strcpy(cell->detail, cell->brief);
}

bool pf_sheets_has(const struct pf_results *results, int v)
{
	for (size_t at = 0; at < results->comparison->program_count; at++)
		if (results->comparison->programs[at].variants[v].present)
			return true;
	return false;
}

void pf_sheets_fini(struct pf_sheets *sheets)
{
	for (size_t i = 0; i < sheets->count; i++) {
		free(sheets->sheets[i].cells);
		pf_buffer_fini(&sheets->sheets[i].notes);
	}
	free(sheets->sheets);
	*sheets = (struct pf_sheets) { 0 };
}
