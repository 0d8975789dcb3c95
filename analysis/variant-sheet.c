/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See variant-sheet.h.  The hard case is what was not measured at all: a column of dashes says nothing, so each column
 * is there only where it has a number. */
#include "analysis/variant-sheet.h"
#include "analysis/beyond.h"

#include <stdio.h>
#include <string.h>

enum column { CYCLES, TIME, INSTRUCTIONS, BEYOND, FRACTION, TEXT, HOT, BUILD, COLLECTING, COLUMNS };

static struct pf_cell size_cell(double value, double base)
{
	struct pf_cell cell = pf_cell_bytes(value);

	if (value >= 0 && base > 0)
		pf_cell_change(&cell, value / base);
	return cell;
}

static struct pf_cell gain_cell(const struct pf_variant_result *result, enum pf_measure measure, int digits)
{
	const struct pf_gain *gain = &result->gain[measure];
	struct pf_cell cell = pf_cell_gain(&gain->ratio, digits, gain->verdict);

	cell.few = gain->pairs && gain->pairs < PF_STATISTICS_FEW;
	return cell;
}

static struct pf_cell beyond_cell(const struct pf_results *results, enum pf_measure measure, int v)
{
	struct pf_estimate beyond = { 0 };
	double noise = results->programs[0].variants[v].gain[measure].noise;

	if (v != PF_VARIANT_FLAGS && v != PF_VARIANT_O3)
		beyond = pf_beyond_ratio(results, 0, measure, v);
	return pf_cell_gain(&beyond, 1, pf_results_judge(&beyond, noise));
}

static struct pf_cell cell_of(const struct pf_results *results, int v, enum column column)
{
	const struct pf_variant_result *result = &results->programs[0].variants[v];
	const struct pf_compared_variant *all = results->comparison->programs[0].variants;
	const struct pf_compared_variant *variant = &all[v], *base = &all[PF_VARIANT_BASE];
	enum pf_measure measure = pf_beyond_measure(results);
	bool other = v != PF_VARIANT_BASE;

	switch (column) {
	case CYCLES:
		return gain_cell(result, PF_MEASURE_CYCLES, 1);
	case TIME:
		return gain_cell(result, PF_MEASURE_TIME, 1);
	case INSTRUCTIONS:
		return gain_cell(result, PF_MEASURE_INSTRUCTIONS, 2);
	case BEYOND:
		return measure == PF_MEASURES ? pf_cell_bytes(-1) : beyond_cell(results, measure, v);
	case FRACTION:
		return measure == PF_MEASURES ? pf_cell_bytes(-1) : pf_cell_fraction(&result->fraction[measure]);
	case TEXT:
		return size_cell(variant->text_bytes, other ? base->text_bytes : -1);
	case HOT:
		return size_cell(variant->hot_bytes, other ? base->hot_bytes : -1);
	case BUILD:
		return pf_cell_seconds(variant->build_seconds);
	default:
		return pf_cell_gain(&result->overhead, 2, PF_VERDICT_NONE);
	}
}

static bool is_empty(const struct pf_results *results, enum column column)
{
	for (int v = 0; v < PF_VARIANTS; v++)
		if (results->programs[0].variants[v].sound && strcmp(cell_of(results, v, column).value, "-") != 0)
			return false;
	return true;
}

static void put_row(struct pf_cell *row, const struct pf_results *results, int v, const enum column *columns,
		    size_t count)
{
	row[0] = pf_cell_words(pf_variant_names[v]);
	for (size_t i = 0; i < count; i++) {
		if (results->programs[0].variants[v].sound) {
			row[1 + i] = cell_of(results, v, columns[i]);
		} else if (i == 0) {
			strcpy(row[1].value, "failed");
			row[1].mark = PF_CELL_FAILED;
		}
	}
}

void pf_sheets_variants(struct pf_sheets *sheets, const struct pf_results *results)
{
	static const char *const names[COLUMNS] = { "cycles",          "time", "instructions", "over the best plain",
						    "of instr's gain", "code", "hot code",     "build",
						    "collecting" };
	struct pf_sheet *sheet = pf_sheets_add(sheets, "variants", "What each variant gains and costs");
	enum column columns[COLUMNS];
	size_t count = 0;

	if (!sheet)
		return;
	pf_sheet_column(sheet, "variant", true);
	for (enum column c = 0; c < COLUMNS; c++) {
		if (is_empty(results, c))
			continue;
		pf_sheet_column(sheet, names[c], false);
		columns[count++] = c;
	}
	for (int v = 0; v < PF_VARIANTS && count; v++) {
		struct pf_cell *row =
		    results->comparison->programs[0].variants[v].present ? pf_sheet_row(sheets, sheet) : NULL;

		if (row)
			put_row(row, results, v, columns, count);
	}
	pf_sheet_note(
	    sheet,
	    "Gain: base's cycles, user time, or instructions, / the variant's - 1. The best plain: the best of base, "
	    "flags and O3, which have no profile. Collecting: what the training run takes longer.");
}
