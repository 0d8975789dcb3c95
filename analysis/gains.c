/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From pairs of times to gains and verdicts, program by program.  The resamples of all variants of a program draw the
 * same rounds, so that a fraction (soft's gain of instr's) keeps what the two have in common.  The hard case is what to
 * leave out: a variant that failed, whose base failed, that was timed on some workloads only or took no measurable time
 * has no gain at all, and a line in the list of failures instead. */
#include "analysis/gains.h"

#include <math.h>
#include <stdlib.h>

static const char *const not_all[PF_MEASURES_PAIRED] = {
	[PF_MEASURE_CYCLES] = "The cycles of some of its references were counted and of some not; none of them counts.",
	[PF_MEASURE_TIME] = "Some of its references were timed and some were not; none of its times counts.",
};
static const char *const nothing[PF_MEASURES_PAIRED] = {
	[PF_MEASURE_CYCLES] = "A run took no cycles that were counted, so there is no ratio by cycles.",
	[PF_MEASURE_TIME] = "A run took no measurable time, so there is no ratio; give it a longer workload.",
};
static const char not_all_counted[] =
    "Instructions were not counted on all references where those of base were; none of its counts counts.";
static const char no_collection_time[] = "A training run took no measurable time, so there is no overhead to tell.";
static const char *const no_noise[PF_MEASURES_PAIRED] = {
	[PF_MEASURE_CYCLES] = "A run of base took no cycles that were counted, so their noise is not known.",
	[PF_MEASURE_TIME] = "A run of base took no measurable time, so the noise is not known.",
};

/* Adds log(medians[b]) / parts to each of LOGS. */
static void add_logs(double *logs, const double *medians, size_t count, size_t parts)
{
	for (size_t b = 0; b < count; b++)
		logs[b] += log(medians[b]) / (double)parts;
}

/* VALUE with the interval that resampled logs give, which stay in their order; the scratch array is sorted. */
static struct pf_estimate interval_of(const struct pf_results *results, double value, const double *logs,
				      size_t freedom)
{
	struct pf_estimate estimate;

	for (size_t b = 0; b < results->resamples; b++)
		results->scratch[b] = logs[b];
	estimate = pf_statistics_interval(value, results->scratch, results->resamples, freedom);
	estimate.low = exp(estimate.low);
	estimate.high = exp(estimate.high);
	return estimate;
}

/* Pairs of base against itself, both ways round: which of the two is called the first is chance. */
static double *two_sided_noise(const struct pf_compared_pairs *noise)
{
	size_t count = noise->count;
	double *ratios = calloc(2 * count + 1, sizeof *ratios);

	if (ratios && (!pf_statistics_ratios(noise->own, noise->base, count, ratios) ||
		       !pf_statistics_ratios(noise->base, noise->own, count, ratios + count))) {
		free(ratios);
		return NULL;
	}
	return ratios;
}

/* What base against itself would have shown with as many pairs as REFERENCES have.  False when out of memory. */
static bool resample_null(struct pf_results *results, size_t at, const struct pf_compared_variant *variant,
			  enum pf_measure measure, struct pf_gain *gain)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];
	const struct pf_compared_pairs *noise = pf_results_noise(program, measure);
	bool done = true;
	double *ratios;

	if (!results->programs[at].noise[measure].ratio.known)
		return true;
	ratios = two_sided_noise(noise);
	gain->null = calloc(results->resamples, sizeof *gain->null);
	for (size_t i = 0; i < variant->reference_count && done; i++) {
		done = ratios && gain->null &&
		       pf_statistics_resample(
			   ratios, 2 * noise->count, pf_results_pairs(&variant->references[i], measure)->count,
			   pf_statistics_seed(program->name, 1000 + i), results->scratch, results->resamples);
		if (done)
			add_logs(gain->null, results->scratch, results->resamples, variant->reference_count);
	}
	free(ratios);
	if (!done)
		return false;
	for (size_t b = 0; b < results->resamples; b++)
		results->scratch[b] = gain->null[b];
	gain->noise = expm1(pf_statistics_reach(results->scratch, results->resamples));
	return true;
}

/* The workloads that count the same, each by the median of its pairs' ratios.  False when out of memory. */
static bool resample_gain(struct pf_results *results, size_t at, const struct pf_compared_variant *variant,
			  enum pf_measure measure, struct pf_gain *gain, const char **problem)
{
	const char *name = results->comparison->programs[at].name;
	double sum = 0;
	size_t freedom = 0;
	bool done = true;

	gain->logs = calloc(results->resamples, sizeof *gain->logs);
	for (size_t i = 0; i < variant->reference_count && done && !*problem; i++) {
		const struct pf_compared_pairs *pairs = pf_results_pairs(&variant->references[i], measure);
		double *ratios = calloc(pairs->count, sizeof *ratios);

		done = ratios && gain->logs;
		if (done && !pf_statistics_ratios(pairs->base, pairs->own, pairs->count, ratios))
			*problem = nothing[measure];
		else if (done)
			done = pf_statistics_resample(ratios, pairs->count, pairs->count, pf_statistics_seed(name, i),
						      results->scratch, results->resamples);
		if (done && !*problem) {
			add_logs(gain->logs, results->scratch, results->resamples, variant->reference_count);
			sum += log(pf_statistics_median(ratios, pairs->count));
			freedom = gain->pairs > 1 ? freedom + pairs->count - 1 : 0;
		}
		free(ratios);
	}
	if (done && !*problem) {
		gain->ratio = interval_of(results, exp(sum / (double)variant->reference_count), gain->logs, freedom);
	}
	return done;
}

static size_t fewest_pairs(const struct pf_compared_variant *variant, enum pf_measure measure, size_t *measured)
{
	size_t fewest = SIZE_MAX;

	*measured = 0;
	for (size_t i = 0; i < variant->reference_count; i++) {
		size_t pairs = pf_results_pairs(&variant->references[i], measure)->count;

		*measured += pairs > 0;
		fewest = pairs < fewest ? pairs : fewest;
	}
	return fewest;
}

/* False when out of memory. */
static bool compute_pairs(struct pf_results *results, size_t at, int v, enum pf_measure measure)
{
	const struct pf_compared_variant *variant = &results->comparison->programs[at].variants[v];
	struct pf_gain *gain = &results->programs[at].variants[v].gain[measure];
	const char *problem = NULL;
	size_t measured, pairs = fewest_pairs(variant, measure, &measured);

	gain->noise = -1;
	if (!measured)
		return true;
	gain->pairs = pairs;
	if (measured < variant->reference_count)
		problem = not_all[measure];
	else if (!resample_gain(results, at, variant, measure, gain, &problem) ||
		 (!problem && !resample_null(results, at, variant, measure, gain)))
		return false;
	if (problem)
		pf_results_fail(results, at, v, problem);
	gain->verdict = pf_results_judge(&gain->ratio, gain->noise);
	return true;
}

/* Counted exactly, on those references where base was counted. */
static void compute_instructions(struct pf_results *results, size_t at, int v)
{
	const struct pf_compared_variant *base = &results->comparison->programs[at].variants[PF_VARIANT_BASE];
	const struct pf_compared_variant *variant = &results->comparison->programs[at].variants[v];
	struct pf_gain *gain = &results->programs[at].variants[v].gain[PF_MEASURE_INSTRUCTIONS];
	size_t counted = 0, wanted = 0;
	double sum = 0;

	gain->noise = PF_RESULTS_INSTRUCTION_NOISE;
	for (size_t i = 0; i < base->reference_count; i++) {
		double before = base->references[i].instructions, after = variant->references[i].instructions;

		wanted += before > 0;
		if (before <= 0 || after <= 0)
			continue;
		sum += log(before / after);
		counted++;
	}
	if (counted && counted < wanted) {
		pf_results_fail(results, at, v, not_all_counted);
	} else if (counted) {
		gain->ratio = (struct pf_estimate) { .known = true, .value = exp(sum / (double)counted) };
		gain->verdict = pf_results_judge(&gain->ratio, gain->noise);
	}
}

/* False when out of memory. */
static bool compute_overhead(struct pf_results *results, size_t at, int v)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];
	const struct pf_compared_variant *variant = &program->variants[v];
	struct pf_variant_result *result = &results->programs[at].variants[v];
	size_t pairs = variant->collecting.count;
	double *ratios = calloc(pairs + 1, sizeof *ratios);
	bool done = true;

	if (!ratios)
		return false;
	if (!pairs) {
		free(ratios);
		return true;
	}
	if (!pf_statistics_ratios(variant->collecting.own, variant->collecting.base, pairs, ratios)) {
		pf_results_fail(results, at, v, no_collection_time);
	} else {
		result->overhead_logs = calloc(results->resamples, sizeof *result->overhead_logs);
		done = result->overhead_logs &&
		       pf_statistics_resample(ratios, pairs, pairs, pf_statistics_seed(program->name, 2000),
					      results->scratch, results->resamples);
		if (done) {
			add_logs(result->overhead_logs, results->scratch, results->resamples, 1);
			result->overhead =
			    interval_of(results, pf_statistics_median(ratios, pairs), result->overhead_logs, pairs - 1);
		}
	}
	free(ratios);
	return done;
}

/* False when out of memory. */
static bool compute_noise(struct pf_results *results, size_t at, enum pf_measure measure)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];
	struct pf_noise *noise = &results->programs[at].noise[measure];
	size_t count = pf_results_noise(program, measure)->count;
	double *ratios = two_sided_noise(pf_results_noise(program, measure));
	bool done;

	if (!ratios || program->variants[PF_VARIANT_BASE].error) {
		free(ratios);

		if (count && !program->variants[PF_VARIANT_BASE].error)
			pf_results_fail(results, at, PF_VARIANT_BASE, no_noise[measure]);
		return true;
	}
	done = pf_statistics_resample(ratios, 2 * count, count, pf_statistics_seed(program->name, 3000),
				      results->scratch, results->resamples);
	if (done) {
		for (size_t b = 0; b < results->resamples; b++)
			results->scratch[b] = log(results->scratch[b]);
		noise->reach = expm1(pf_statistics_reach(results->scratch, results->resamples));
		done = pf_statistics_resample(ratios, count, count, pf_statistics_seed(program->name, 3001),
					      results->scratch, results->resamples);
	}
	if (done) {
		double middle = pf_statistics_median(ratios, count); /* sorts them */

		noise->low = ratios[0];
		noise->high = ratios[count - 1];
		noise->ratio = pf_statistics_interval(middle, results->scratch, results->resamples, count - 1);
	}
	free(ratios);
	return done;
}

/* (variant - 1) / (instr - 1): with the interval of the resamples, which share their rounds. */
static void compute_fraction(struct pf_results *results, size_t at, int v, enum pf_measure measure)
{
	struct pf_variant_result *variants = results->programs[at].variants;
	const struct pf_gain *instr = &variants[PF_VARIANT_INSTR].gain[measure], *gain = &variants[v].gain[measure];
	struct pf_estimate *fraction = &variants[v].fraction[measure];

	if (instr->verdict != PF_VERDICT_FASTER || !gain->ratio.known)
		return;
	fraction->known = true;
	fraction->value = (gain->ratio.value - 1) / (instr->ratio.value - 1);
	if (!gain->logs || !instr->logs || !gain->ratio.bounded || !instr->ratio.bounded)
		return;
	for (size_t b = 0; b < results->resamples; b++)
		results->scratch[b] = instr->logs[b] > 0 ? expm1(gain->logs[b]) / expm1(instr->logs[b])
							 : copysign(INFINITY, gain->logs[b]);
	*fraction = pf_statistics_interval(fraction->value, results->scratch, results->resamples,
					   gain->ratio.freedom < instr->ratio.freedom ? gain->ratio.freedom
										      : instr->ratio.freedom);
}

/* False when out of memory. */
static bool compute_variants(struct pf_results *results, size_t at)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];
	bool base_failed = program->variants[PF_VARIANT_BASE].error != NULL, done = true;

	for (int v = 0; v < PF_VARIANTS && done; v++) {
		const struct pf_compared_variant *variant = &program->variants[v];

		if (variant->error)
			pf_results_fail(results, at, v, variant->error);
		if (!variant->present || variant->error || base_failed)
			continue;
		results->programs[at].variants[v].sound = true;
		done = compute_overhead(results, at, v);
		if (v == PF_VARIANT_BASE || !done)
			continue;
		for (int m = 0; m < PF_MEASURES_PAIRED && done; m++)
			done = compute_pairs(results, at, v, (enum pf_measure)m);
		compute_instructions(results, at, v);
	}
	for (int v = PF_VARIANT_FLAGS; v < PF_VARIANTS && done; v++)
		for (int m = 0; m < PF_MEASURES; m++)
			if (v != PF_VARIANT_INSTR)
				compute_fraction(results, at, v, (enum pf_measure)m);
	return done;
}

bool pf_gains_compute(struct pf_results *results, size_t at)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];

	for (int m = 0; m < PF_MEASURES_PAIRED; m++)
		results->programs[at].noise[m].reach = -1;
	if (program->error) {
		pf_results_fail(results, at, -1, program->error);
		return true;
	}
	for (int m = 0; m < PF_MEASURES_PAIRED; m++)
		if (!compute_noise(results, at, (enum pf_measure)m))
			return false;
	return compute_variants(results, at);
}
