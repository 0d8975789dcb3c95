/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Geometric means over groups of programs, instr's share of each, and where soft loses most.  The hard case is a group
 * in which some program lacks a variant: each mean says over how many programs it is, and a fraction is taken over
 * those that have both, numerator and denominator alike. */
#include "analysis/means.h"

#include <math.h>
#include <string.h>

/* What is averaged: the ratio of one program, its resampled logs, and those of base against itself. */
struct member {
	const struct pf_estimate *ratio;
	const double *logs, *null;
};

static size_t members_of(const struct pf_results *results, enum pf_measure measure, enum pf_group group, int v,
			 int other, struct member *members)
{
	size_t count = 0;

	for (size_t at = 0; at < results->comparison->program_count; at++) {
		const struct pf_variant_result *variants = results->programs[at].variants;
		const struct pf_gain *gain = &variants[v].gain[measure];

		if (gain->ratio.known && variants[other].gain[measure].ratio.known &&
		    pf_results_member(results, measure, group, at))
			members[count++] = (struct member) { &gain->ratio, gain->logs, gain->null };
	}
	return count;
}

static double mean_of(const struct member *members, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += log(members[i].ratio->value);
	return exp(sum / (double)count);
}

static double log_at(const struct member *member, size_t b)
{
	return member->logs ? member->logs[b] : log(member->ratio->value);
}

/* The b-th resample of the mean's log. */
static double mean_log_at(const struct member *members, size_t count, size_t b)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += log_at(&members[i], b);
	return sum / (double)count;
}

static size_t freedom_of(const struct member *members, size_t count)
{
	size_t freedom = 0;

	for (size_t i = 0; i < count; i++)
		freedom += members[i].ratio->freedom;
	return freedom;
}

static bool all_bounded(const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!members[i].ratio->bounded)
			return false;
	return true;
}

static struct pf_estimate exponential(struct pf_estimate logs, double value, bool bounded)
{
	return (
	    struct pf_estimate) { true, logs.bounded && bounded, value, exp(logs.low), exp(logs.high), logs.freedom };
}

/* How far the mean gets when each program is base against itself; UNKNOWN if that was not measured everywhere. */
static double null_reach(const struct pf_results *results, const struct member *members, size_t count, double unknown)
{
	for (size_t i = 0; i < count; i++)
		if (!members[i].null)
			return unknown;
	for (size_t b = 0; b < results->resamples; b++) {
		results->scratch[b] = 0;
		for (size_t i = 0; i < count; i++)
			results->scratch[b] += members[i].null[b] / (double)count;
	}
	return expm1(pf_statistics_reach(results->scratch, results->resamples));
}

/* The mean when the programs, too, are drawn anew. */
static struct pf_estimate spread_of(const struct pf_results *results, const struct member *members, size_t count,
				    double value)
{
	uint64_t state = pf_statistics_seed("programs", count);

	for (size_t b = 0; b < results->resamples; b++) {
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += log_at(&members[pf_statistics_draw(&state, count)], b);
		results->scratch[b] = sum / (double)count;
	}
	return exponential(pf_statistics_interval(0, results->scratch, results->resamples, count - 1), value, true);
}

static struct pf_mean mean_over(const struct pf_results *results, const struct member *members, size_t count,
				double noise_unknown)
{
	struct pf_mean mean = { .programs = count, .noise = noise_unknown };
	double value;

	if (!count)
		return mean;
	value = mean_of(members, count);
	for (size_t b = 0; b < results->resamples; b++)
		results->scratch[b] = mean_log_at(members, count, b);
	mean.ratio =
	    exponential(pf_statistics_interval(0, results->scratch, results->resamples, freedom_of(members, count)),
			value, all_bounded(members, count));
	mean.spread = spread_of(results, members, count, value);
	mean.noise = null_reach(results, members, count, noise_unknown);
	mean.verdict = pf_results_judge(&mean.ratio, mean.noise);
	return mean;
}

/* What stands for the noise where base was not measured against itself. */
static double unmeasured_noise(enum pf_measure measure)
{
	return measure == PF_MEASURE_INSTRUCTIONS ? PF_RESULTS_INSTRUCTION_NOISE : -1;
}

/* Means over the programs that have both the variant and instr, one gain over the other. */
static void mean_fraction(const struct pf_results *results, enum pf_measure measure, enum pf_group group, int v,
			  struct pf_mean *mean)
{
	struct member own[PF_COMPARISON_PROGRAMS], instr[PF_COMPARISON_PROGRAMS];
	size_t count = members_of(results, measure, group, v, PF_VARIANT_INSTR, own);
	double unknown = unmeasured_noise(measure), value;

	members_of(results, measure, group, PF_VARIANT_INSTR, v, instr);
	mean->fraction_programs = count;
	if (!count || mean_over(results, instr, count, unknown).verdict != PF_VERDICT_FASTER)
		return;
	value = (mean_of(own, count) - 1) / (mean_of(instr, count) - 1);
	for (size_t b = 0; b < results->resamples; b++) {
		double gain = mean_log_at(own, count, b), whole = mean_log_at(instr, count, b);

		results->scratch[b] = whole > 0 ? expm1(gain) / expm1(whole) : copysign(INFINITY, gain);
	}
	mean->fraction = pf_statistics_interval(value, results->scratch, results->resamples, freedom_of(own, count));
	mean->fraction.bounded &= all_bounded(own, count) && all_bounded(instr, count);
}

static void compute_overheads(struct pf_results *results)
{
	for (int v = 0; v < PF_VARIANTS; v++) {
		struct member members[PF_COMPARISON_PROGRAMS];
		size_t count = 0;

		for (size_t at = 0; at < results->comparison->program_count; at++) {
			const struct pf_variant_result *result = &results->programs[at].variants[v];

			if (result->overhead.known)
				members[count++] = (struct member) { &result->overhead, result->overhead_logs, NULL };
		}
		results->overheads[v] = mean_over(results, members, count, -1);
	}
}

static struct pf_loss loss_of(const struct pf_results *results, enum pf_measure measure, size_t at)
{
	const struct pf_gain *soft = &results->programs[at].variants[PF_VARIANT_SOFT].gain[measure];
	const struct pf_gain *instr = &results->programs[at].variants[PF_VARIANT_INSTR].gain[measure];
	struct pf_loss loss = { .program = at };
	bool bounded = soft->ratio.bounded && instr->ratio.bounded;

	if (!soft->ratio.known || !instr->ratio.known)
		return loss;
	loss.ratio = (struct pf_estimate) { .known = true, .value = soft->ratio.value / instr->ratio.value };
	if (bounded) {
		for (size_t b = 0; b < results->resamples; b++)
			results->scratch[b] = soft->logs[b] - instr->logs[b];
		loss.ratio =
		    exponential(pf_statistics_interval(0, results->scratch, results->resamples, soft->ratio.freedom),
				loss.ratio.value, true);
	}
	loss.verdict = pf_results_judge(&loss.ratio, soft->noise);
	return loss;
}

/* Keeps the worst, the worst first. */
static void compute_losses(struct pf_results *results, enum pf_measure measure)
{
	struct pf_loss *losses = results->losses[measure];
	size_t *count = &results->loss_count[measure];

	for (size_t at = 0; at < results->comparison->program_count; at++) {
		struct pf_loss loss = loss_of(results, measure, at);
		size_t place = *count;

		if (!loss.ratio.known || loss.ratio.value >= 1)
			continue;
		while (place > 0 && losses[place - 1].ratio.value > loss.ratio.value)
			place--;
		if (place == PF_RESULTS_LOSSES)
			continue;
		*count += *count < PF_RESULTS_LOSSES;
		memmove(losses + place + 1, losses + place, (*count - 1 - place) * sizeof *losses);
		losses[place] = loss;
	}
}

void pf_means_compute(struct pf_results *results)
{
	for (int m = 0; m < PF_MEASURES; m++) {
		enum pf_measure measure = (enum pf_measure)m;
		double unknown = unmeasured_noise(measure);

		for (int g = 0; g < PF_GROUPS; g++)
			for (int v = PF_VARIANT_FLAGS; v < PF_VARIANTS; v++) {
				struct pf_mean *mean = &results->means[m][g][v];
				struct member members[PF_COMPARISON_PROGRAMS];
				size_t count = members_of(results, measure, (enum pf_group)g, v, v, members);

				*mean = mean_over(results, members, count, unknown);
				if (v != PF_VARIANT_INSTR)
					mean_fraction(results, measure, (enum pf_group)g, v, mean);
			}
		compute_losses(results, measure);
	}
	compute_overheads(results);
}
