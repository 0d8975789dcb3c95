/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See beyond.h.  The hard case is honesty in one sentence: a gain inside the noise is called none, and what comes of
 * the flags is not called the profile's. */
#include "analysis/beyond.h"
#include "support/buffer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pf_gain *gain_of(const struct pf_results *results, size_t at, enum pf_measure measure, int v)
{
	return &results->programs[at].variants[v].gain[measure];
}

int pf_beyond_best(const struct pf_results *results, size_t at, enum pf_measure measure)
{
	static const int plain[] = { PF_VARIANT_FLAGS, PF_VARIANT_O3 };
	int best = -1;
	double highest = 1;

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		const struct pf_estimate *ratio = &gain_of(results, at, measure, plain[i])->ratio;

		if (ratio->known && best < 0)
			best = PF_VARIANT_BASE;
		if (ratio->known && ratio->value > highest) {
			best = plain[i];
			highest = ratio->value;
		}
	}
	return best;
}

struct pf_estimate pf_beyond_ratio(const struct pf_results *results, size_t at, enum pf_measure measure, int v)
{
	int best = pf_beyond_best(results, at, measure);
	const struct pf_gain *own = gain_of(results, at, measure, v), *other;
	struct pf_estimate ratio = { 0 };

	if (best < 0 || !own->ratio.known)
		return ratio;
	if (best == PF_VARIANT_BASE)
		return own->ratio;
	other = gain_of(results, at, measure, best);
	ratio = (struct pf_estimate) { .known = true, .value = own->ratio.value / other->ratio.value };
	if (!own->ratio.bounded || !other->ratio.bounded)
		return ratio;
	for (size_t b = 0; b < results->resamples; b++)
		results->scratch[b] = own->logs[b] - other->logs[b];
	ratio = pf_statistics_interval(ratio.value, results->scratch, results->resamples, own->ratio.freedom);
	ratio.low = exp(ratio.low);
	ratio.high = exp(ratio.high);
	return ratio;
}

static bool has_gain(const struct pf_results *results, enum pf_measure measure, int v)
{
	return results->means[measure][PF_GROUP_ALL][v].programs > 0;
}

enum pf_measure pf_beyond_measure(const struct pf_results *results)
{
	for (int m = 0; m < PF_MEASURES; m++)
		for (int v = PF_VARIANT_FLAGS; v < PF_VARIANTS; v++)
			if (has_gain(results, (enum pf_measure)m, v))
				return (enum pf_measure)m;
	return PF_MEASURES;
}

/* What pathfdo makes of a recording, of the best kind first. */
static const int recorded[] = { PF_VARIANT_LBR, PF_VARIANT_SOFT, PF_VARIANT_CLOCK, PF_VARIANT_O3_SOFT };

/* The variant that a report speaks of first; -1 if none is. */
static int foremost_of(const struct pf_results *results)
{
	enum pf_measure measure = pf_beyond_measure(results);

	for (size_t i = 0; measure < PF_MEASURES && i < sizeof recorded / sizeof *recorded; i++)
		if (has_gain(results, measure, recorded[i]))
			return recorded[i];
	return -1;
}

/* In percent, by the first measure that the program itself has; NAN if it has none. */
static double foremost_gain(const struct pf_results *results, size_t at)
{
	for (int m = 0; m < PF_MEASURES; m++)
		for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
			const struct pf_estimate *ratio = &gain_of(results, at, (enum pf_measure)m, recorded[i])->ratio;

			if (ratio->known)
				return 100 * (ratio->value - 1);
		}
	return NAN;
}

struct pf_foremost pf_beyond_least(const struct pf_results *results)
{
	struct pf_foremost least = { .gain = INFINITY };

	for (size_t at = 0; at < results->comparison->program_count && !isnan(least.gain); at++) {
		double gain = foremost_gain(results, at);

		if (isnan(gain) || gain < least.gain) {
			least.gain = gain;
			snprintf(least.program, sizeof least.program, "%s", results->comparison->programs[at].name);
		}
	}
	return least;
}

/* "13.1% faster than X", "no different from X beyond the noise": with the tables' numbers. */
static void put_change(struct pf_buffer *out, double ratio, enum pf_verdict verdict, enum pf_measure measure,
		       const char *than)
{
	static const char *const words[PF_MEASURES][2] = {
		[PF_MEASURE_CYCLES] = { "faster by cycles than", "slower by cycles than" },
		[PF_MEASURE_TIME] = { "faster than", "slower than" },
		[PF_MEASURE_INSTRUCTIONS] = { "better by instructions than", "worse by instructions than" },
	};

	if (verdict == PF_VERDICT_NOISE)
		pf_buffer_printf(out, "no different from %s beyond the noise", than);
	else
		pf_buffer_printf(out, "%.1f%% %s %s", 100 * fabs(ratio - 1), words[measure][ratio < 1], than);
}

/* What V gains over the best without a profile: of the only program, or the geometric mean. */
static void put_beyond(struct pf_buffer *out, const struct pf_results *results, enum pf_measure measure, int v)
{
	size_t count = 0, last = 0;
	double sum = 0;

	for (size_t at = 0; at < results->comparison->program_count; at++) {
		struct pf_estimate ratio = pf_beyond_ratio(results, at, measure, v);

		if (!ratio.known)
			continue;
		sum += log(ratio.value);
		last = at;
		count++;
	}
	if (!count)
		return;
	pf_buffer_printf(out, ", ");
	if (count == 1) {
		struct pf_estimate ratio = pf_beyond_ratio(results, last, measure, v);
		char best[60];

		if (pf_beyond_best(results, last, measure) == PF_VARIANT_BASE) {
			pf_buffer_printf(out, "which is the best without a profile");
			return;
		}
		snprintf(best, sizeof best, "%s, the best without a profile",
			 pf_variant_names[pf_beyond_best(results, last, measure)]);
		put_change(out, ratio.value, pf_results_judge(&ratio, gain_of(results, last, measure, v)->noise),
			   measure, best);
	} else {
		char best[80];

		snprintf(best, sizeof best, "the best without a profile on the %zu programs that have one", count);
		put_change(out, exp(sum / (double)count), PF_VERDICT_UNJUDGED, measure, best);
	}
}

static void put_variant(struct pf_buffer *out, const struct pf_results *results, enum pf_measure measure, int v)
{
	const struct pf_mean *mean = &results->means[measure][PF_GROUP_ALL][v];

	pf_buffer_printf(out, "%s%s is ", out->size ? " " : "", pf_variant_names[v]);
	put_change(out, mean->ratio.value, mean->verdict, measure, "base");
	put_beyond(out, results, measure, v);
	if (mean->fraction.known)
		pf_buffer_printf(out, "; that is %.0f%% of what instr gains over base", 100 * mean->fraction.value);
	pf_buffer_printf(out, results->comparison->program_count > 1 ? " (geometric mean of %zu)." : ".",
			 mean->programs);
}

char *pf_beyond_verdict(const struct pf_results *results)
{
	enum pf_measure measure = pf_beyond_measure(results);
	int foremost = foremost_of(results);
	struct pf_buffer out = { 0 };

	if (foremost < 0)
		return strdup("No variant with a recorded profile was measured.");
	put_variant(&out, results, measure, foremost);
	if (foremost != PF_VARIANT_O3_SOFT && has_gain(results, measure, PF_VARIANT_O3_SOFT))
		put_variant(&out, results, measure, PF_VARIANT_O3_SOFT);
	pf_buffer_u8(&out, 0);
	if (out.failed) {
		pf_buffer_fini(&out);
		return NULL;
	}
	return (char *)out.data;
}
