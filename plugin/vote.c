/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mode vote.  Statements of one block ran equally often, yet the profiled binary may have hoisted, sunk, merged
 * or copied some of them.  Those that stayed agree with each other; the strays are scattered, so the heaviest group of
 * agreeing counts is the block's.  A maximum (what GCC's own reader takes) is decided by the worst stray. */
#include "plugin/vote.h"
#include "plugin/match.h"

#include <stdlib.h>

static int by_count(const void *left, const void *right)
{
	const struct pf_vote *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return a->weight < b->weight ? -1 : a->weight > b->weight;
}

static uint64_t weighted_median(const struct pf_vote *votes, size_t first, size_t last, uint64_t weight)
{
	uint64_t seen = 0;

	for (size_t i = first; i < last; i++) {
		seen += votes[i].weight;
		if (seen * 2 >= weight)
			return votes[i].count;
	}
	return votes[last - 1].count;
}

bool pf_vote_mode(struct pf_vote *votes, size_t count, uint64_t *mode)
{
	size_t best_first = 0, best_last = 0;
	uint64_t best = 0, weight = 0;

	if (count == 0)
		return false;
	qsort(votes, count, sizeof *votes, by_count);
	for (size_t first = 0, last = 0; first < count; first++) {
		while (last < count && pf_counts_agree(votes[first].count, votes[last].count))
			weight += votes[last++].weight;
		if (weight > best) {
			best = weight;
			best_first = first;
			best_last = last;
		}
		weight -= votes[first].weight;
	}
	*mode = weighted_median(votes, best_first, best_last, best);
	return true;
}

size_t pf_vote_settled(struct pf_vote *votes, size_t count)
{
	size_t settled = 0;

	for (size_t i = 0; i < count; i++) {
		struct pf_vote vote = votes[i];

		if (vote.movable)
			continue;
		votes[i] = votes[settled];
		votes[settled++] = vote;
	}
	return settled;
}
