/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The count distribution: how hot the hottest positions are that make up a given share of all counts.  Hard case:
 * counts near the top of 64 bits, so shares are taken from 128-bit sums. */
#include "profile/saturate.h"
#include "profile/model.h"

#include <stdlib.h>

static const uint32_t permilles[PF_CUTOFF_COUNT] = { 10,  100, 200, 300, 400, 500, 600, 700,
						     800, 900, 950, 990, 995, 999, 1000 };

static int by_descending_count(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* The counts above zero, in descending order; NULL when out of memory. */
static uint64_t *collect_counts(const struct pf_profile *profile, size_t *count)
{
	size_t records = 0;
	uint64_t *counts;

	for (uint32_t f = 0; f < profile->function_count; f++)
		records += profile->functions[f].record_count;
	counts = calloc(records + 1, sizeof *counts);
	*count = 0;
	for (uint32_t f = 0; counts && f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t r = 0; r < function->record_count; r++) {
			if (function->records[r].count)
				counts[(*count)++] = function->records[r].count;
		}
	}
	if (counts)
		qsort(counts, *count, sizeof *counts, by_descending_count);
	return counts;
}

static void fill_cutoffs(struct pf_summary *summary, const uint64_t *counts, size_t count)
{
	unsigned __int128 total = 0, sum = 0;
	size_t taken = 0;

	for (size_t i = 0; i < count; i++)
		total += counts[i];
	for (size_t c = 0; c < PF_CUTOFF_COUNT; c++) {
		struct pf_cutoff *cutoff = &summary->cutoffs[c];

		while (taken < count && sum * 1000 < total * permilles[c])
			sum += counts[taken++];
		/* Positions as hot as the last one cannot be told from it. */
		while (taken && taken < count && counts[taken] == counts[taken - 1])
			sum += counts[taken++];
		cutoff->permille = permilles[c];
		cutoff->minimum = taken ? counts[taken - 1] : 0;
		cutoff->positions = taken;
	}
}

int pf_profile_summarise(const struct pf_profile *profile, struct pf_summary *summary, struct pf_error *error)
{
	size_t count;
	uint64_t *counts = collect_counts(profile, &count);

	if (!counts)
		return pf_fail(error, PF_ENOMEM, "out of memory for the summary of a profile");
	*summary = (struct pf_summary) {
		.maximum = count ? counts[0] : 0,
		.positions = count,
		.function_count = profile->function_count,
	};
	for (size_t i = 0; i < count; i++)
		summary->total = pf_count_add(summary->total, counts[i]);
	fill_cutoffs(summary, counts, count);
	free(counts);
	return PF_OK;
}
