/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorted by decisions, the newest first, the paths that end with a sequence are a range, and a sum of counts is a
 * difference of two.
 *
 * The hard case is the long past that was seen three times and went one way: chance looks like certainty.  Each longer
 * past therefore starts from what the shorter one says, and it stays at that while chance could have made the
 * difference: of all pasts there are so many that some always differ. */
#include "flow/history.h"
#include "support/array.h"
#include "support/search.h"

#define SURE 4.0 /* standard deviations; one of 16,000 pasts differs so by chance */

/* Compares the first LENGTH decisions; a path that has fewer is less. */
static int compare_begin(const struct pf_history_path *path, const uint32_t *decisions, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		uint32_t own = i < path->length ? path->decisions[i] : 0;

		if (own != decisions[i])
			return own < decisions[i] ? -1 : 1;
	}
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	const struct pf_history_path *x = a, *y = b;
	int order = compare_begin(x, y->decisions, y->length);

	return order ? order : x->length > y->length;
}

static void turn_round(uint32_t *to, const uint32_t *decisions, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		to[i] = decisions[length - 1 - i];
}

int pf_history_init(struct pf_history *history, const struct pf_history_path *paths, size_t count)
{
	history->paths = calloc(count + 1, sizeof *history->paths);
	history->before = calloc(count + 1, sizeof *history->before);
	history->count = count;
	if (!history->paths || !history->before) {
		pf_history_fini(history);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		history->paths[i].count = paths[i].count;
		history->paths[i].length = paths[i].length;
		turn_round(history->paths[i].decisions, paths[i].decisions, paths[i].length);
	}
	if (count > 1)
		qsort(history->paths, count, sizeof *history->paths, compare_paths);
	for (size_t i = 0; i < count; i++) {
		uint64_t sum = history->before[i], own = history->paths[i].count;

		history->before[i + 1] = own > UINT64_MAX - sum ? UINT64_MAX : sum + own;
	}
	return 0;
}

void pf_history_fini(struct pf_history *history)
{
	free(history->paths);
	free(history->before);
	*history = (struct pf_history) { 0 };
}

/* The first path that begins with something greater than the sequence, or if LEAST with the sequence itself. */
static size_t bound(const struct pf_history *history, const uint32_t *decisions, uint32_t length, bool least)
{
	struct pf_search search = pf_search_over(history->count);

	while (pf_search_goes_on(&search)) {
		int order = compare_begin(&history->paths[search.middle], decisions, length);

		pf_search_step(&search, order < 0 || (order == 0 && !least));
	}
	return search.low;
}

uint64_t pf_history_count(const struct pf_history *history, const uint32_t *decisions, uint32_t length)
{
	uint32_t newest_first[PF_HISTORY_DECISIONS];

	if (length > PF_HISTORY_DECISIONS || !history->count)
		return 0;
	turn_round(newest_first, decisions, length);
	return history->before[bound(history, newest_first, length, false)] -
	       history->before[bound(history, newest_first, length, true)];
}

/* Whether COUNTS, TOTAL in all, tell anything but what GIVEN says and chance. */
static bool is_sure(const double *counts, double total, const double *given, uint32_t way_count)
{
	for (uint32_t i = 0; i < way_count; i++) {
		double above = counts[i] - total * given[i];

		if (above * above > SURE * SURE * (total * given[i] * (1 - given[i]) + 1))
			return true;
	}
	return false;
}

/* One more decision of the past; false if the sequence with it never ran. */
static bool refine(const struct pf_history *history, const uint32_t *past, uint32_t length, const uint32_t *ways,
		   uint32_t way_count, double prior, double *given)
{
	uint32_t sequence[PF_HISTORY_DECISIONS];
	double counts[PF_HISTORY_WAYS], total = 0;

	memcpy(sequence, past, length * sizeof *past);
	for (uint32_t i = 0; i < way_count; i++) {
		sequence[length] = ways[i];
		total += counts[i] = (double)pf_history_count(history, sequence, length + 1);
	}
	if (total <= 0 || !is_sure(counts, total, given, way_count))
		return total > 0;
	for (uint32_t i = 0; i < way_count; i++)
		given[i] = (counts[i] + prior * given[i]) / (total + prior);
	return true;
}

void pf_history_predict(const struct pf_history *history, const uint32_t *past, uint32_t length, const uint32_t *ways,
			uint32_t way_count, double prior, double *given)
{
	for (uint32_t n = 1; n <= length && way_count <= PF_HISTORY_WAYS && n < PF_HISTORY_DECISIONS; n++) {
		if (!refine(history, past + length - n, n, ways, way_count, prior, given))
			break;
	}
}
