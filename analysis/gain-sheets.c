/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheets that say what was gained: by program, as part of instr's gain, on average, and where soft loses most.  The
 * hard case is a mean over unequal sets: the note below names each program that is missing from one. */
#include "analysis/gain-sheets.h"
#include "analysis/beyond.h"

#include <stdlib.h>
#include <string.h>

static const char *const measure_ids[PF_MEASURES] = { "cycles", "time", "instructions" };
static const int measure_digits[PF_MEASURES] = { 1, 1, 2 };

static bool is_measured(const struct pf_results *results, int m)
{
	for (int v = 0; v < PF_VARIANTS; v++)
		if (results->means[m][PF_GROUP_ALL][v].programs)
			return true;
	return false;
}

/* A column for each variant from FIRST on that any program has; returns how many, and which in VARIANTS. */
static size_t add_variant_columns(struct pf_sheet *sheet, const struct pf_results *results, int first, int *variants)
{
	size_t count = 0;

	for (int v = first; v < PF_VARIANTS; v++) {
		if (!pf_sheets_has(results, v))
			continue;
		pf_sheet_column(sheet, pf_variant_names[v], false);
		variants[count++] = v;
	}
	return count;
}

/* What stands where there is no number: why, in a word. */
static bool put_failure(struct pf_cell *cell, const struct pf_results *results, size_t at, int v)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];

	if (!program->error && !program->variants[PF_VARIANT_BASE].error && !program->variants[v].error)
		return false;
	strcpy(cell->value, "failed");
	cell->mark = PF_CELL_FAILED;
	return true;
}

/* In words, so that nobody takes a number for a difference: how often each verdict was given. */
static void note_verdicts(struct pf_sheet *sheet, const struct pf_results *results, int m, int v)
{
	static const char *const words[PF_MEASURES][2] = { { "faster", "slower" },
							   { "faster", "slower" },
							   { "fewer", "more" } };
	size_t counts[PF_VERDICT_SLOWER + 1] = { 0 };
	char unjudged[64] = "";

	for (size_t at = 0; at < results->comparison->program_count; at++)
		counts[results->programs[at].variants[v].gain[m].verdict]++;
	if (counts[PF_VERDICT_UNJUDGED])
		snprintf(unjudged, sizeof unjudged, ", not judged for want of pairs on %zu",
			 counts[PF_VERDICT_UNJUDGED]);
	pf_sheet_note(sheet, "%s: %s on %zu, %s on %zu, inside the noise on %zu%s, no number on %zu.",
		      pf_variant_names[v], words[m][0], counts[PF_VERDICT_FASTER], words[m][1],
		      counts[PF_VERDICT_SLOWER], counts[PF_VERDICT_NOISE], unjudged, counts[PF_VERDICT_NONE]);
}

static void add_gains(struct pf_sheets *sheets, const struct pf_results *results, int m)
{
	static const char *const titles[PF_MEASURES] = {
		"Cycles: what each variant gains over base",
		"Time: what each variant gains over base",
		"Instructions: what each variant gains over base",
	};
	static const char *const notes[PF_MEASURES] = {
		"Gain: base's cycles in user space / the variant's - 1, counted by the processor, the median of the "
		"pairs; with its 95% interval, by bootstrap.",
		"Gain: base's user time / the variant's - 1, the median of the pairs; with its 95% interval, by "
		"bootstrap.",
		"Gain: base's instructions / the variant's - 1, counted by callgrind; what is below 0.1% is called "
		"noise.",
	};
	struct pf_sheet *sheet = is_measured(results, m) ? pf_sheets_add(sheets, measure_ids[m], titles[m]) : NULL;
	int variants[PF_VARIANTS];
	size_t count;

	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "language", true);
	count = add_variant_columns(sheet, results, PF_VARIANT_FLAGS, variants);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		struct pf_cell *row = pf_sheet_row(sheets, sheet);

		if (!row)
			return;
		row[0] = pf_cell_words(results->comparison->programs[at].name);
		row[1] = pf_cell_words(results->comparison->programs[at].language);
		for (size_t i = 0; i < count; i++) {
			const struct pf_gain *gain = &results->programs[at].variants[variants[i]].gain[m];

			if (put_failure(&row[2 + i], results, at, variants[i]))
				continue;
			row[2 + i] = pf_cell_gain(&gain->ratio, measure_digits[m], gain->verdict);
			row[2 + i].few = gain->pairs && gain->pairs < PF_STATISTICS_FEW;
		}
	}
	for (size_t i = 0; i < count; i++)
		note_verdicts(sheet, results, m, variants[i]);
	pf_sheet_note(sheet, "%s", notes[m]);
}

static void add_fractions(struct pf_sheets *sheets, const struct pf_results *results, int m)
{
	static const char *const ids[PF_MEASURES] = { "fraction-cycles", "fraction-time", "fraction-instructions" };
	static const char *const titles[PF_MEASURES] = {
		"Part of instr's gain, by cycles",
		"Part of instr's gain, by time",
		"Part of instr's gain, by instructions",
	};
	struct pf_sheet *sheet;
	int variants[PF_VARIANTS];
	size_t count;

	if (!is_measured(results, m) || !pf_sheets_has(results, PF_VARIANT_INSTR))
		return;
	sheet = pf_sheets_add(sheets, ids[m], titles[m]);
	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "instr gains", false);
	count = add_variant_columns(sheet, results, PF_VARIANT_CLOCK, variants);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		const struct pf_variant_result *all = results->programs[at].variants;
		const struct pf_gain *instr = &all[PF_VARIANT_INSTR].gain[m];
		struct pf_cell *row = pf_sheet_row(sheets, sheet);

		if (!row)
			return;
		row[0] = pf_cell_words(results->comparison->programs[at].name);
		if (!put_failure(&row[1], results, at, PF_VARIANT_INSTR))
			row[1] = pf_cell_gain(&instr->ratio, measure_digits[m], instr->verdict);
		for (size_t i = 0; i < count; i++)
			if (!put_failure(&row[2 + i], results, at, variants[i]))
				row[2 + i] = pf_cell_fraction(&all[variants[i]].fraction[m]);
	}
	pf_sheet_note(sheet, "\"-\" where instr itself gains nothing, or nothing beyond the noise: there is no gain to "
			     "have a part of.");
}

/* Gains over the best variant without a profile, where there is another one than base. */
static void add_beyond(struct pf_sheets *sheets, const struct pf_results *results, int m)
{
	static const char *const ids[PF_MEASURES] = { "beyond-cycles", "beyond-time", "beyond-instructions" };
	static const char *const titles[PF_MEASURES] = {
		"Cycles: what a profile gains over the best without one",
		"Time: what a profile gains over the best without one",
		"Instructions: what a profile gains over the best without one",
	};
	struct pf_sheet *sheet;
	int variants[PF_VARIANTS];
	size_t count;

	if (!is_measured(results, m) ||
	    !(pf_sheets_has(results, PF_VARIANT_FLAGS) || pf_sheets_has(results, PF_VARIANT_O3)))
		return;
	sheet = pf_sheets_add(sheets, ids[m], titles[m]);
	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "the best", true);
	count = add_variant_columns(sheet, results, PF_VARIANT_INSTR, variants);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		int best = pf_beyond_best(results, at, (enum pf_measure)m);
		struct pf_cell *row = best < 0 ? NULL : pf_sheet_row(sheets, sheet);

		if (!row)
			continue;
		row[0] = pf_cell_words(results->comparison->programs[at].name);
		row[1] = pf_cell_words(pf_variant_names[best]);
		for (size_t i = 0; i < count; i++) {
			struct pf_estimate ratio = pf_beyond_ratio(results, at, (enum pf_measure)m, variants[i]);
			double noise = results->programs[at].variants[variants[i]].gain[m].noise;

			if (!put_failure(&row[2 + i], results, at, variants[i]))
				row[2 + i] = pf_cell_gain(&ratio, measure_digits[m], pf_results_judge(&ratio, noise));
		}
	}
	pf_sheet_note(sheet,
		      "The best of base, flags and O3. What flags gains is not the profile's: a profile implies the "
		      "same flags.");
}

static const char *const group_names[PF_GROUPS] = { "all", "C", "C++", "Fortran", "instr gains 5% or more" };

static void note_headroom(struct pf_sheet *sheet, const struct pf_results *results, int m)
{
	struct pf_buffer names = { 0 };

	for (size_t at = 0; at < results->comparison->program_count; at++)
		if (pf_results_member(results, (enum pf_measure)m, PF_GROUP_HEADROOM, at))
			pf_buffer_printf(&names, "%s%s", names.size ? ", " : "",
					 results->comparison->programs[at].name);
	if (names.size && !names.failed)
		pf_sheet_note(sheet, "instr gains 5%% or more on %.*s.", (int)names.size, (const char *)names.data);
	sheet->notes.failed |= names.failed;
	pf_buffer_fini(&names);
}

/* Names what a mean lacks: every program of the group without a number for V. */
static void note_missing(struct pf_sheet *sheet, const struct pf_results *results, int m, int v)
{
	struct pf_buffer names = { 0 };
	const struct pf_mean *mean = &results->means[m][PF_GROUP_ALL][v];

	for (size_t at = 0; at < results->comparison->program_count; at++)
		if (!results->programs[at].variants[v].gain[m].ratio.known)
			pf_buffer_printf(&names, "%s%s", names.size ? ", " : "",
					 results->comparison->programs[at].name);
	if (names.size && !names.failed)
		pf_sheet_note(sheet, "%s: means over %zu of %zu programs, without %.*s.", pf_variant_names[v],
			      mean->programs, results->comparison->program_count, (int)names.size,
			      (const char *)names.data);
	sheet->notes.failed |= names.failed;
	pf_buffer_fini(&names);
}

static bool has_gain(const struct pf_results *results, int m, size_t at)
{
	for (int v = 0; v < PF_VARIANTS; v++)
		if (results->programs[at].variants[v].gain[m].ratio.known)
			return true;
	return false;
}

/* Programs of the group that have any number at all. */
static size_t group_size(const struct pf_results *results, int m, int g)
{
	size_t count = 0;

	for (size_t at = 0; at < results->comparison->program_count; at++)
		count +=
		    has_gain(results, m, at) && pf_results_member(results, (enum pf_measure)m, (enum pf_group)g, at);
	return count;
}

/* The group's name and size; NULL if nobody is in it. */
static struct pf_cell *add_group_row(struct pf_sheets *sheets, struct pf_sheet *sheet, const struct pf_results *results,
				     int m, int g)
{
	size_t members = group_size(results, m, g);
	struct pf_cell *row = members ? pf_sheet_row(sheets, sheet) : NULL;

	if (row) {
		row[0] = pf_cell_words(group_names[g]);
		snprintf(row[1].value, sizeof row[1].value, "%zu", members);
	}
	return row;
}

static void add_spread(struct pf_cell *cell, const struct pf_mean *mean, int digits)
{
	struct pf_cell spread = pf_cell_gain(&mean->spread, digits, PF_VERDICT_NONE);
	size_t length = strlen(cell->detail);

	if (*spread.detail)
		snprintf(cell->detail + length, sizeof cell->detail - length, "%sprograms %s", length ? "; " : "",
			 spread.detail);
}

static void add_means(struct pf_sheets *sheets, const struct pf_results *results, int m)
{
	static const char *const ids[PF_MEASURES] = { "mean-cycles", "mean-time", "mean-instructions" };
	static const char *const titles[PF_MEASURES] = {
		"Geometric means of the gains, by cycles",
		"Geometric means of the gains, by time",
		"Geometric means of the gains, by instructions",
	};
	struct pf_sheet *sheet = pf_sheets_add(sheets, ids[m], titles[m]);
	int variants[PF_VARIANTS];
	size_t count;

	if (!sheet)
		return;
	pf_sheet_column(sheet, "programs", true);
	pf_sheet_column(sheet, "number", false);
	count = add_variant_columns(sheet, results, PF_VARIANT_FLAGS, variants);
	for (int g = 0; g < PF_GROUPS; g++) {
		struct pf_cell *row = add_group_row(sheets, sheet, results, m, g);

		for (size_t i = 0; row && i < count; i++) {
			const struct pf_mean *mean = &results->means[m][g][variants[i]];

			row[2 + i] = pf_cell_gain(&mean->ratio, measure_digits[m], mean->verdict);
			add_spread(&row[2 + i], mean, measure_digits[m]);
		}
	}
	if (m < PF_MEASURES_PAIRED)
		pf_sheet_note(sheet,
			      "The interval is the noise of these measurements; one marked \"programs\", on the pages, "
			      "holds for other programs of the kind.");
	note_headroom(sheet, results, m);
	for (size_t i = 0; i < count; i++)
		note_missing(sheet, results, m, variants[i]);
}

static void add_mean_fractions(struct pf_sheets *sheets, const struct pf_results *results, int m)
{
	static const char *const ids[PF_MEASURES] = { "mean-fraction-cycles", "mean-fraction-time",
						      "mean-fraction-instructions" };
	static const char *const titles[PF_MEASURES] = {
		"Part of instr's mean gain, by cycles",
		"Part of instr's mean gain, by time",
		"Part of instr's mean gain, by instructions",
	};
	struct pf_sheet *sheet = pf_sheets_add(sheets, ids[m], titles[m]);
	int variants[PF_VARIANTS];
	size_t count;

	if (!sheet)
		return;
	pf_sheet_column(sheet, "programs", true);
	pf_sheet_column(sheet, "number", false);
	count = add_variant_columns(sheet, results, PF_VARIANT_CLOCK, variants);
	for (int g = 0; g < PF_GROUPS; g++) {
		struct pf_cell *row = add_group_row(sheets, sheet, results, m, g);

		for (size_t i = 0; row && i < count; i++)
			row[2 + i] = pf_cell_fraction(&results->means[m][g][variants[i]].fraction);
	}
	pf_sheet_note(sheet, "A part is the mean gain over instr's mean gain, of the programs that have both.");
}

/* Both gains, and one against the other. */
static void put_loss(struct pf_cell *row, const struct pf_results *results, int m, const struct pf_loss *loss)
{
	static const char *const words[] = {
		[PF_VERDICT_NONE] = "-",
		[PF_VERDICT_UNJUDGED] = "not judged: too few pairs",
		[PF_VERDICT_NOISE] = "inside the noise",
		[PF_VERDICT_FASTER] = "-",
		[PF_VERDICT_SLOWER] = "a loss",
	};
	const struct pf_variant_result *variants = results->programs[loss->program].variants;
	const struct pf_gain *soft = &variants[PF_VARIANT_SOFT].gain[m], *instr = &variants[PF_VARIANT_INSTR].gain[m];

	row[0] = pf_cell_words(measure_ids[m]);
	row[1] = pf_cell_words(results->comparison->programs[loss->program].name);
	row[2] = pf_cell_words(words[loss->verdict]);
	row[3] = pf_cell_gain(&instr->ratio, measure_digits[m], instr->verdict);
	row[4] = pf_cell_gain(&soft->ratio, measure_digits[m], soft->verdict);
	row[5] = pf_cell_gain(&loss->ratio, measure_digits[m], loss->verdict);
}

static void add_losses(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet;

	if (!pf_sheets_has(results, PF_VARIANT_SOFT) || !pf_sheets_has(results, PF_VARIANT_INSTR))
		return;
	sheet = pf_sheets_add(sheets, "losses", "Where soft loses most against instr");
	if (!sheet)
		return;
	pf_sheet_column(sheet, "by", true);
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "that is", true);
	pf_sheet_column(sheet, "instr gains", false);
	pf_sheet_column(sheet, "soft gains", false);
	pf_sheet_column(sheet, "soft to instr", false);
	for (int m = 0; m < PF_MEASURES; m++)
		for (size_t i = 0; i < results->loss_count[m]; i++) {
			struct pf_cell *row = pf_sheet_row(sheets, sheet);

			if (!row)
				return;
			put_loss(row, results, m, &results->losses[m][i]);
		}
	if (!sheet->row_count)
		pf_sheet_note(sheet, "Nowhere: soft is as good as instr, or better, on all programs that have both.");
}

static struct pf_sheet *add_recordings_sheet(struct pf_sheets *sheets)
{
	struct pf_sheet *sheet = pf_sheets_add(sheets, "recordings", "How much the gain depends on the recording");

	if (!sheet)
		return NULL;
	pf_sheet_column(sheet, "by", true);
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "variant", true);
	pf_sheet_column(sheet, "recordings", false);
	pf_sheet_column(sheet, "mean gain", false);
	pf_sheet_column(sheet, "lowest", false);
	pf_sheet_column(sheet, "highest", false);
	pf_sheet_note(sheet, "Each recording of the same training run was converted, built and measured by itself.");
	return sheet;
}

static struct pf_cell ratio_cell(double ratio, int m)
{
	const struct pf_estimate estimate = { .known = true, .value = ratio };

	return pf_cell_gain(&estimate, measure_digits[m], PF_VERDICT_NONE);
}

/* Lowest and highest of several recordings; no sheet where no variant has several. */
void pf_sheets_recordings(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet = NULL;

	for (int m = 0; m < PF_MEASURES; m++)
		for (size_t at = 0; at < results->comparison->program_count; at++)
			for (int v = 0; v < PF_VARIANTS; v++) {
				const struct pf_gain *gain = &results->programs[at].variants[v].gain[m];
				struct pf_cell *row;

				if (!gain->recordings)
					continue;
				if (!sheet)
					sheet = add_recordings_sheet(sheets);
				row = sheet ? pf_sheet_row(sheets, sheet) : NULL;
				if (!row)
					return;
				row[0] = pf_cell_words(measure_ids[m]);
				row[1] = pf_cell_words(results->comparison->programs[at].name);
				row[2] = pf_cell_words(pf_variant_names[v]);
				snprintf(row[3].value, sizeof row[3].value, "%zu", gain->recordings);
				row[4] = pf_cell_gain(&gain->ratio, measure_digits[m], gain->verdict);
				row[5] = ratio_cell(gain->lowest, m);
				row[6] = ratio_cell(gain->highest, m);
			}
}

void pf_sheets_gains(struct pf_sheets *sheets, const struct pf_results *results)
{
	for (int m = 0; m < PF_MEASURES; m++) {
		add_gains(sheets, results, m);
		add_beyond(sheets, results, m);
		add_fractions(sheets, results, m);
	}
	for (int m = 0; m < PF_MEASURES; m++) {
		if (!is_measured(results, m))
			continue;
		add_means(sheets, results, m);
		if (pf_sheets_has(results, PF_VARIANT_INSTR))
			add_mean_fractions(sheets, results, m);
	}
	add_losses(sheets, results);
}
