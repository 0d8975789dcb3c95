/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See counted-sheet.h.  The hard case is an event that hardly comes: of base's zero misses nothing is a part, so there
 * the number stands alone. */
#include "analysis/counted-sheet.h"

#include <stdlib.h>
#include <string.h>

static bool is_counted(const struct pf_compared_reference *reference)
{
	for (int c = 0; c < PF_COUNTERS; c++)
		if (reference->counted[c].count > 0)
			return true;
	return false;
}

static struct pf_sheet *add_sheet(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet =
	    pf_sheets_add(sheets, "counted", "What the processor counted: the median run, and its change from base");

	if (!sheet)
		return NULL;
	sheet->page_only = results->comparison->program_count > 1;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "variant", true);
	pf_sheet_column(sheet, "reference", false);
	pf_sheet_column(sheet, "pairs", false);
	for (int c = 0; c < PF_COUNTERS; c++)
		pf_sheet_column(sheet, pf_counter_words[c], false);
	pf_sheet_note(sheet, "In user space, in all processes of the command. Base is here its second run of each "
			     "round, so its change is noise.");
	return sheet;
}

/* The median of PAIRS' own runs, and of their ratios to base's.  False when out of memory. */
static bool put_counts(struct pf_cell *cell, const struct pf_compared_pairs *pairs)
{
	double *values = calloc(pairs->count + 1, sizeof *values);

	if (!values)
		return false;
	*cell = pf_cell_count(-1);
	if (pairs->count > 0) {
		memcpy(values, pairs->own, pairs->count * sizeof *values);
		*cell = pf_cell_count(pf_statistics_median(values, pairs->count));
		if (pf_statistics_ratios(pairs->own, pairs->base, pairs->count, values))
			pf_cell_change(cell, pf_statistics_median(values, pairs->count));
	}
	free(values);
	return true;
}

static void add_row(struct pf_sheets *sheets, struct pf_sheet *sheet, const struct pf_compared_program *program, int v,
		    size_t reference)
{
	const struct pf_compared_reference *r = &program->variants[v].references[reference];
	struct pf_cell *row = pf_sheet_row(sheets, sheet);

	if (!row)
		return;
	row[0] = pf_cell_words(program->name);
	row[1] = pf_cell_words(pf_variant_names[v]);
	snprintf(row[2].value, sizeof row[2].value, "%zu", reference + 1);
	snprintf(row[3].value, sizeof row[3].value, "%zu", r->counted[PF_COUNTER_CYCLES].count);
	for (int c = 0; c < PF_COUNTERS; c++)
		sheets->failed |= !put_counts(&row[4 + c], &r->counted[c]);
}

void pf_sheets_counted(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet = NULL;

	for (size_t at = 0; at < results->comparison->program_count; at++)
		for (int v = 0; v < PF_VARIANTS; v++) {
			const struct pf_compared_program *program = &results->comparison->programs[at];
			const struct pf_compared_variant *variant = &program->variants[v];

			if (!results->programs[at].variants[v].sound)
				continue;
			for (size_t i = 0; i < variant->reference_count; i++) {
				if (!is_counted(&variant->references[i]))
					continue;
				if (!sheet)
					sheet = add_sheet(sheets, results);
				if (!sheet)
					return;
				add_row(sheets, sheet, program, v, i);
			}
		}
}
