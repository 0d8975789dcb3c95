/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See spread.h.  A recording's gain comes about as its variant's does: medians of pairs, and workloads that count the
 * same.  The hard case is a recording that has less than the others, timed on fewer workloads, or not counted: the
 * spread of different things would be none, so there is no spread then. */
#include "analysis/spread.h"

#include <math.h>
#include <stdlib.h>

/* The ratio of one recording by a paired measure; 0 where there is none, negative when out of memory. */
static double paired_ratio(const struct pf_compared_recording *recording, enum pf_measure measure)
{
	double sum = 0;

	for (size_t i = 0; i < recording->reference_count; i++) {
		const struct pf_compared_pairs *pairs = pf_results_pairs(&recording->references[i], measure);
		double *ratios = calloc(pairs->count + 1, sizeof *ratios);
		bool good =
		    ratios && pairs->count && pf_statistics_ratios(pairs->base, pairs->own, pairs->count, ratios);

		if (good)
			sum += log(pf_statistics_median(ratios, pairs->count));
		free(ratios);
		if (!good)
			return ratios ? 0 : -1;
	}
	return exp(sum / (double)recording->reference_count);
}

/* The ratio by instructions, on the workloads where base was counted; 0 where there is none. */
static double instruction_ratio(const struct pf_compared_variant *base, const struct pf_compared_recording *recording)
{
	double sum = 0;
	size_t counted = 0;

	for (size_t i = 0; i < recording->reference_count; i++) {
		if (base->references[i].instructions <= 0)
			continue;
		if (recording->references[i].instructions <= 0)
			return 0;
		sum += log(base->references[i].instructions / recording->references[i].instructions);
		counted++;
	}
	return counted ? exp(sum / (double)counted) : 0;
}

static double ratio_of(const struct pf_compared_variant *base, const struct pf_compared_recording *recording, int m)
{
	return m == PF_MEASURE_INSTRUCTIONS ? instruction_ratio(base, recording)
					    : paired_ratio(recording, (enum pf_measure)m);
}

bool pf_spread_compute(struct pf_results *results, size_t at)
{
	const struct pf_compared_program *program = &results->comparison->programs[at];

	for (int v = 0; v < PF_VARIANTS; v++)
		for (int m = 0; m < PF_MEASURES; m++) {
			const struct pf_compared_variant *variant = &program->variants[v];
			struct pf_gain *gain = &results->programs[at].variants[v].gain[m];
			double low = INFINITY, high = 0;

			if (!gain->ratio.known || !variant->recording_count)
				continue;
			for (size_t i = 0; i < variant->recording_count; i++) {
				double ratio =
				    ratio_of(&program->variants[PF_VARIANT_BASE], &variant->recordings[i], m);

				if (ratio < 0)
					return false;
				low = fmin(low, ratio);
				high = fmax(high, ratio);
			}
			if (low > 0) {
				gain->recordings = variant->recording_count;
				gain->lowest = low;
				gain->highest = high;
			}
		}
	return true;
}
