/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See evaluate.h.  The hard case is memory: the resamples of all programs and variants are kept until the means over
 * them are known. */
#include "analysis/evaluate.h"
#include "analysis/gains.h"
#include "analysis/means.h"
#include "analysis/spread.h"

#include <assert.h>
#include <stdlib.h>

int pf_evaluate(struct pf_results *results, const struct pf_comparison *comparison, unsigned resamples,
		struct pf_error *error)
{
	size_t count = comparison->program_count;
	bool done;

	assert(resamples > 0);
	*results = (struct pf_results) { .comparison = comparison, .resamples = resamples };
	results->programs = calloc(count, sizeof *results->programs);
	/* At worst a program complains of its noise, and each variant of each measure and of overhead. */
	results->failures =
	    calloc(count, (PF_MEASURES_PAIRED + (PF_MEASURES + 1) * PF_VARIANTS) * sizeof *results->failures);
	results->scratch = calloc(resamples, sizeof *results->scratch);
	done = results->programs && results->failures && results->scratch;
	for (size_t at = 0; at < count && done; at++)
		done = pf_gains_compute(results, at) && pf_spread_compute(results, at);
	if (!done) {
		pf_results_fini(results);
		return pf_fail(error, PF_ENOMEM, "compare: out of memory for the resamples of %zu programs.", count);
	}
	pf_means_compute(results);
	return PF_OK;
}
