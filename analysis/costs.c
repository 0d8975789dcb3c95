/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheets that say what it costs: collecting, converting, compiling, size; and what all of it stands on: the noise
 * of the machine and the times as measured.  The hard case is what was not measured, which gets "-" and no row of its
 * own when there is nothing else in the row. */
#include "analysis/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pf_compared_variant *sound_variant(const struct pf_results *results, size_t at, int v)
{
	return results->programs[at].variants[v].sound ? &results->comparison->programs[at].variants[v] : NULL;
}

/* The columns of all variants that are anywhere there; returns how many. */
static size_t add_columns(struct pf_sheet *sheet, const struct pf_results *results, int *variants)
{
	size_t count = 0;

	for (int v = 0; v < PF_VARIANTS; v++)
		if (pf_sheets_has(results, v)) {
			pf_sheet_column(sheet, pf_variant_names[v], false);
			variants[count++] = v;
		}
	return count;
}

static enum pf_verdict overhead_verdict(const struct pf_estimate *overhead)
{
	enum pf_verdict verdict = pf_results_judge(overhead, -1);

	/* More time is worse: the other way round than a gain. */
	return verdict == PF_VERDICT_FASTER   ? PF_VERDICT_SLOWER
	       : verdict == PF_VERDICT_SLOWER ? PF_VERDICT_FASTER
					      : verdict;
}

static bool has_overhead(const struct pf_results *results, size_t at)
{
	for (int v = 0; v < PF_VARIANTS; v++)
		if (results->programs[at].variants[v].overhead.known)
			return true;
	return false;
}

static void put_overheads(struct pf_cell *row, const struct pf_results *results, size_t at, const int *variants,
			  size_t count)
{
	row[0] = pf_cell_words(results->comparison->programs[at].name);
	for (size_t i = 0; i < count; i++) {
		const struct pf_estimate *overhead = &results->programs[at].variants[variants[i]].overhead;
		const struct pf_compared_variant *variant = sound_variant(results, at, variants[i]);

		row[1 + i] = pf_cell_gain(overhead, 2, overhead_verdict(overhead));
		row[1 + i].few = overhead->known && variant && variant->collecting.count < PF_STATISTICS_FEW;
	}
}

static void add_overhead_mean(struct pf_sheets *sheets, struct pf_sheet *sheet, const struct pf_results *results,
			      const int *variants, size_t count)
{
	struct pf_cell *row = pf_sheet_row(sheets, sheet);

	if (!row)
		return;
	row[0] = pf_cell_words("geometric mean");
	for (size_t i = 0; i < count; i++) {
		const struct pf_estimate *mean = &results->overheads[variants[i]].ratio;

		row[1 + i] = pf_cell_gain(mean, 2, overhead_verdict(mean));
	}
}

static void add_overheads(struct pf_sheets *sheets, const struct pf_results *results)
{
	int variants[PF_VARIANTS];
	size_t count = 0;
	struct pf_sheet *sheet = NULL;

	for (int v = 0; v < PF_VARIANTS; v++)
		if (results->overheads[v].programs) {
			if (!sheet)
				sheet = pf_sheets_add(sheets, "overhead", "What collecting costs the training run");
			if (!sheet)
				return;
			if (!count)
				pf_sheet_column(sheet, "program", true);
			pf_sheet_column(sheet, pf_variant_names[v], false);
			variants[count++] = v;
		}
	if (!sheet)
		return;
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		struct pf_cell *row = has_overhead(results, at) ? pf_sheet_row(sheets, sheet) : NULL;

		if (row)
			put_overheads(row, results, at, variants, count);
	}
	if (sheet->row_count > 1)
		add_overhead_mean(sheets, sheet, results, variants, count);
	pf_sheet_note(sheet,
		      "User and system time of the training run while it collects / of the plain run - 1, the median "
		      "of the pairs.");
}

static bool has_tool(const struct pf_compared_variant *variant)
{
	return variant && (variant->convert_seconds >= 0 || variant->convert_peak_kb >= 0 ||
			   variant->recording_bytes >= 0 || variant->profile_bytes >= 0);
}

static void add_tool(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet = pf_sheets_add(sheets, "tool", "What the tool costs: from recording to profile");

	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "variant", true);
	pf_sheet_column(sheet, "convert", false);
	pf_sheet_column(sheet, "peak memory", false);
	pf_sheet_column(sheet, "recording", false);
	pf_sheet_column(sheet, "profile", false);
	for (size_t at = 0; at < results->comparison->program_count; at++)
		for (int v = 0; v < PF_VARIANTS; v++) {
			const struct pf_compared_variant *variant = sound_variant(results, at, v);
			struct pf_cell *row = has_tool(variant) ? pf_sheet_row(sheets, sheet) : NULL;

			if (!row)
				continue;
			row[0] = pf_cell_words(results->comparison->programs[at].name);
			row[1] = pf_cell_words(pf_variant_names[v]);
			row[2] = pf_cell_seconds(variant->convert_seconds);
			row[3] = pf_cell_bytes(variant->convert_peak_kb < 0 ? -1 : 1024 * variant->convert_peak_kb);
			row[4] = pf_cell_bytes(variant->recording_bytes);
			row[5] = pf_cell_bytes(variant->profile_bytes);
		}
	if (!sheet->row_count)
		pf_sheet_note(sheet, "Not measured.");
}

/* What one of the three build sheets shows of a variant; -1 when it is not known. */
enum build_kind { BUILD_SECONDS, BUILD_TEXT, BUILD_HOT, BUILD_KINDS };

static double build_value(const struct pf_compared_variant *variant, int kind)
{
	if (!variant)
		return -1;
	return kind == BUILD_SECONDS ? variant->build_seconds
	       : kind == BUILD_TEXT  ? variant->text_bytes
				     : variant->hot_bytes;
}

static bool has_build(const struct pf_results *results, size_t at, int kind)
{
	for (int v = 0; v < PF_VARIANTS; v++)
		if (build_value(sound_variant(results, at, v), kind) >= 0)
			return true;
	return false;
}

static void put_build(struct pf_cell *cell, double value, double base, int kind)
{
	*cell = kind == BUILD_SECONDS ? pf_cell_seconds(value) : pf_cell_bytes(value);
	if (kind != BUILD_HOT && value >= 0 && base > 0)
		pf_cell_change(cell, value / base);
}

static void add_build(struct pf_sheets *sheets, const struct pf_results *results, int kind)
{
	static const char *const ids[BUILD_KINDS] = { "compile", "text", "hot" };
	static const char *const titles[BUILD_KINDS] = { "Compile time", "Size of the code", "Size of the hot code" };
	struct pf_sheet *sheet = pf_sheets_add(sheets, ids[kind], titles[kind]);
	int variants[PF_VARIANTS];
	size_t count;

	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	count = add_columns(sheet, results, variants);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		double base = build_value(sound_variant(results, at, PF_VARIANT_BASE), kind);
		struct pf_cell *row = has_build(results, at, kind) ? pf_sheet_row(sheets, sheet) : NULL;

		if (!row)
			continue;
		row[0] = pf_cell_words(results->comparison->programs[at].name);
		for (size_t i = 0; i < count; i++) {
			double value = build_value(sound_variant(results, at, variants[i]), kind);

			put_build(&row[1 + i], value, variants[i] == PF_VARIANT_BASE ? -1 : base, kind);
		}
	}
	if (kind == BUILD_SECONDS)
		pf_sheet_note(sheet, "One build each, so there is no interval: small differences say nothing.");
	else if (kind == BUILD_HOT)
		pf_sheet_note(sheet, "All functions without the parts that the compiler put apart as cold.");
}

static bool has_noise(const struct pf_results *results, enum pf_measure measure)
{
	for (size_t at = 0; at < results->comparison->program_count; at++)
		if (results->programs[at].noise[measure].ratio.known)
			return true;
	return false;
}

/* By TIME the sheet is there in any case, to say that there is none. */
static void add_noise(struct pf_sheets *sheets, const struct pf_results *results, enum pf_measure measure)
{
	static const char *const ids[PF_MEASURES_PAIRED] = { "noise-cycles", "noise" };
	static const char *const titles[PF_MEASURES_PAIRED] = {
		"Noise of the machine, by cycles: base against itself",
		"Noise of the machine: base against itself",
	};
	struct pf_sheet *sheet = measure == PF_MEASURE_TIME || has_noise(results, measure)
				     ? pf_sheets_add(sheets, ids[measure], titles[measure])
				     : NULL;

	if (!sheet)
		return;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "pairs", false);
	pf_sheet_column(sheet, "median", false);
	pf_sheet_column(sheet, "lowest", false);
	pf_sheet_column(sheet, "highest", false);
	pf_sheet_column(sheet, "reach", false);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		const struct pf_compared_program *program = &results->comparison->programs[at];
		const struct pf_noise *noise = &results->programs[at].noise[measure];
		struct pf_estimate low = { .known = true, .value = noise->low };
		struct pf_estimate high = { .known = true, .value = noise->high };
		struct pf_estimate reach = { .known = true, .value = 1 + noise->reach };
		struct pf_cell *row = noise->ratio.known ? pf_sheet_row(sheets, sheet) : NULL;

		if (!row)
			continue;
		row[0] = pf_cell_words(program->name);
		snprintf(row[1].value, sizeof row[1].value, "%zu", pf_results_noise(program, measure)->count);
		row[2] = pf_cell_gain(&noise->ratio, 2, PF_VERDICT_NONE);
		row[3] = pf_cell_gain(&low, 2, PF_VERDICT_NONE);
		row[4] = pf_cell_gain(&high, 2, PF_VERDICT_NONE);
		row[5] = pf_cell_gain(&reach, 2, PF_VERDICT_NONE);
		memmove(row[5].value, row[5].value + 1, strlen(row[5].value)); /* a size, either way */
	}
	pf_sheet_note(sheet, "%s",
		      sheet->row_count ? "Reach: how far from 0, either way, the median of as many pairs of the "
					 "same binary gets in 95 of 100 series. What is not beyond it, is inside "
					 "the noise."
				       : "Not measured: verdicts stand on the intervals alone.");
}

void pf_sheets_costs(struct pf_sheets *sheets, const struct pf_results *results)
{
	bool several = results->comparison->program_count > 1;

	if (several)
		add_overheads(sheets, results);
	add_tool(sheets, results);
	for (int kind = 0; several && kind < BUILD_KINDS; kind++)
		add_build(sheets, results, kind);
	for (int m = 0; m < PF_MEASURES_PAIRED; m++)
		add_noise(sheets, results, (enum pf_measure)m);
}

/* Median, lowest and highest of SECONDS; a zero-pair list leaves the cells as they are.  False when out of memory. */
static bool put_times(struct pf_cell *median, struct pf_cell *lowest, struct pf_cell *highest, const double *seconds,
		      size_t pairs)
{
	double *sorted = calloc(pairs + 1, sizeof *sorted);

	if (!sorted)
		return false;
	if (pairs) {
		memcpy(sorted, seconds, pairs * sizeof *sorted);
		*median = pf_cell_seconds(pf_statistics_median(sorted, pairs));
		*lowest = pf_cell_seconds(sorted[0]);
		*highest = pf_cell_seconds(sorted[pairs - 1]);
	}
	free(sorted);
	return true;
}

static void add_run_rows(struct pf_sheets *sheets, struct pf_sheet *sheet, const struct pf_results *results, size_t at,
			 int v)
{
	const struct pf_compared_variant *variant = sound_variant(results, at, v);

	for (size_t i = 0; variant && i < variant->reference_count; i++) {
		const struct pf_compared_reference *reference = &variant->references[i];
		struct pf_cell *row = pf_sheet_row(sheets, sheet), unused;

		if (!row)
			return;
		row[0] = pf_cell_words(results->comparison->programs[at].name);
		row[1] = pf_cell_words(pf_variant_names[v]);
		snprintf(row[2].value, sizeof row[2].value, "%zu", i + 1);
		snprintf(row[3].value, sizeof row[3].value, "%zu", reference->seconds.count);
		if (!put_times(&row[4], &row[5], &row[6], reference->seconds.own, reference->seconds.count) ||
		    !put_times(&row[7], &unused, &unused, reference->seconds.base, reference->seconds.count))
			sheets->failed = true;
		if (reference->instructions > 0)
			snprintf(row[8].value, sizeof row[8].value, "%.0f", reference->instructions);
	}
}

static void add_programs(struct pf_sheets *sheets, const struct pf_results *results)
{
	struct pf_sheet *sheet = pf_sheets_add(sheets, "programs", "The programs");

	if (!sheet)
		return;
	sheet->page_only = true;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "language", true);
	pf_sheet_column(sheet, "stands for", true);
	pf_sheet_column(sheet, "source", true);
	pf_sheet_column(sheet, "measured in", true);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		const struct pf_compared_program *program = &results->comparison->programs[at];
		struct pf_cell *row = pf_sheet_row(sheets, sheet);

		if (!row)
			return;
		row[0] = pf_cell_words(program->name);
		row[1] = pf_cell_words(program->language);
		row[2] = pf_cell_words(program->stands_for);
		row[3] = pf_cell_words(program->package);
		row[4] = pf_cell_words(results->comparison->sources[program->source].file);
	}
}

void pf_sheets_runs(struct pf_sheets *sheets, const struct pf_results *results)
{
	static const char *const numbers[] = { "reference", "pairs",         "median",      "lowest",
					       "highest",   "base's median", "instructions" };
	struct pf_sheet *sheet;

	add_programs(sheets, results);
	sheet = pf_sheets_add(sheets, "runs", "All runs: user time and instructions");
	if (!sheet)
		return;
	sheet->page_only = true;
	pf_sheet_column(sheet, "program", true);
	pf_sheet_column(sheet, "variant", true);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		pf_sheet_column(sheet, numbers[i], false);
	for (size_t at = 0; at < results->comparison->program_count; at++)
		for (int v = 0; v < PF_VARIANTS; v++)
			add_run_rows(sheets, sheet, results, at, v);
}
