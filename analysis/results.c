/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See results.h: what all who compute results, or show them, ask of them.  The hard case is a verdict without noise or
 * without an interval: with neither nothing is judged. */
#include "analysis/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum pf_verdict pf_results_judge(const struct pf_estimate *ratio, double noise)
{
	if (!ratio->known)
		return PF_VERDICT_NONE;
	if (!ratio->bounded && noise < 0)
		return PF_VERDICT_UNJUDGED;
	if (ratio->bounded && ratio->low <= 1 && ratio->high >= 1)
		return PF_VERDICT_NOISE;
	if (fabs(log(ratio->value)) <= log1p(noise < 0 ? 0 : noise))
		return PF_VERDICT_NOISE;
	return ratio->value > 1 ? PF_VERDICT_FASTER : PF_VERDICT_SLOWER;
}

bool pf_results_member(const struct pf_results *results, enum pf_measure measure, enum pf_group group, size_t at)
{
	static const char *const languages[PF_GROUPS] = { NULL, "C", "C++", "Fortran", NULL };
	const struct pf_estimate *instr = &results->programs[at].variants[PF_VARIANT_INSTR].gain[measure].ratio;

	if (languages[group])
		return strcmp(results->comparison->programs[at].language, languages[group]) == 0;
	return group == PF_GROUP_ALL || (instr->known && instr->value >= 1 + PF_RESULTS_HEADROOM);
}

const struct pf_compared_pairs *pf_results_pairs(const struct pf_compared_reference *reference, enum pf_measure measure)
{
	return measure == PF_MEASURE_CYCLES ? &reference->counted[PF_COUNTER_CYCLES] : &reference->seconds;
}

const struct pf_compared_pairs *pf_results_noise(const struct pf_compared_program *program, enum pf_measure measure)
{
	return measure == PF_MEASURE_CYCLES ? &program->noise_cycles : &program->noise;
}

void pf_results_fail(struct pf_results *results, size_t program, int variant, const char *text)
{
	results->failures[results->failure_count++] = (struct pf_failure) { program, variant, text };
}

void pf_results_fini(struct pf_results *results)
{
	size_t count = results->programs ? results->comparison->program_count : 0;

	for (size_t at = 0; at < count; at++)
		for (int v = 0; v < PF_VARIANTS; v++) {
			struct pf_variant_result *result = &results->programs[at].variants[v];

			for (int m = 0; m < PF_MEASURES; m++) {
				free(result->gain[m].logs);
				free(result->gain[m].null);
			}
			free(result->overhead_logs);
		}
	free(results->programs);
	free(results->failures);
	free(results->scratch);
	*results = (struct pf_results) { 0 };
}
