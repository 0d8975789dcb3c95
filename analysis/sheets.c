/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sheets.h: which sheets there are, in order, and those of words alone.  The hard case is memory that runs out on
 * the way: the sheets remember it, and what was made until then is released at the end. */
#include "analysis/sheets.h"
#include "analysis/costs.h"
#include "analysis/counted-sheet.h"
#include "analysis/gain-sheets.h"
#include "analysis/variant-sheet.h"

static void add_remark(struct pf_sheets *sheets, struct pf_sheet *sheet, const char *program, int v, const char *text)
{
	struct pf_cell *row = pf_sheet_row(sheets, sheet);

	if (!row)
		return;
	row[0] = pf_cell_words(program);
	row[1] = pf_cell_words(pf_variant_names[v]);
	row[2] = pf_cell_words(text);
}

/* What the measurement says that is no failure; no sheet when there is nothing. */
static void add_remarks(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet = NULL;

	for (size_t at = 0; at < results->comparison->program_count; at++)
		for (int v = 0; v < PF_VARIANTS; v++) {
			const struct pf_compared_program *program = &results->comparison->programs[at];
			const json_t *note;
			size_t i;

			json_array_foreach(program->variants[v].notes, i, note)
			{
				if (!sheet) {
					sheet = pf_sheets_add(sheets, "remarks", "Remarks of the measurement");
					if (!sheet)
						return;
					pf_sheet_column(sheet, "program", true);
					pf_sheet_column(sheet, "variant", true);
					pf_sheet_column(sheet, "remark", true);
				}
				add_remark(sheets, sheet, program->name, v, json_string_value(note));
			}
		}
}

static const char base_failed[] = "base; so nothing of this program counts";

static void add_failures(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet = pf_sheets_add(sheets, "failures", "What failed, and so is in no mean");

	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "variant", true);
	pf_sheet_column(sheet, "why", true);
	for (size_t i = 0; i < results->failure_count; i++) {
		const struct pf_failure *failure = &results->failures[i];
		const struct pf_compared_program *program = &results->comparison->programs[failure->program];
		struct pf_cell *row = pf_sheet_row(sheets, sheet);

		if (!row)
			return;
		row[0] = pf_cell_words(program->name);
		row[1] = pf_cell_words(failure->variant < 0 ? "all of it"
				       : program->variants[PF_VARIANT_BASE].error == failure->text
					   ? base_failed
					   : pf_variant_names[failure->variant]);
		row[2] = pf_cell_words(failure->text);
		row[2].mark = PF_CELL_FAILED;
	}
	if (!sheet->row_count)
		pf_sheet_note(sheet, "Nothing.");
}

int pf_sheets_make(struct pf_sheets *sheets, const struct pf_results *results, struct pf_error *error)
{
	*sheets = (struct pf_sheets) { 0 };
	if (results->comparison->program_count == 1)
		pf_sheets_variants(sheets, results);
	else
		pf_sheets_gains(sheets, results);
	pf_sheets_counted(sheets, results);
	pf_sheets_recordings(sheets, results);
	pf_sheets_costs(sheets, results);
	pf_sheets_runs(sheets, results);
	add_remarks(sheets, results);
	add_failures(sheets, results);
	for (size_t i = 0; i < sheets->count; i++)
		sheets->failed |= sheets->sheets[i].notes.failed;
	if (!sheets->failed)
		return PF_OK;
	pf_sheets_fini(sheets);
	return pf_fail(error, PF_ENOMEM, "compare: out of memory for the report.");
}
