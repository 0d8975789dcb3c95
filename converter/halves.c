/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See halves.h.  The hard case is a program that goes in rounds: blocks in turn would put one kind of work here and the
 * other there wherever a round is two blocks, and the halves of the best recording would have nothing in common.  So
 * which of two neighbours comes first is by the sequence of Rudin and Shapiro, which correlates with no period, times
 * a row of Walsh's matrix, another for each deal. */
#include "converter/halves.h"

#include "profile/saturate.h"
#include "support/error.h"

#include <stdlib.h>

#define MOST_DEALS 16u /* more hardly change what their mean says */
/* Bursts, over all deals: of large recordings the work is a few times that of adding them up. */
#define MOST_DEALT 16384u

void pf_halves_span(struct pf_halves *h, uint64_t time)
{
	h->first = h->seen == 0 || time < h->first ? time : h->first;
	h->last = h->seen == 0 || time > h->last ? time : h->last;
	h->seen++;
}

static unsigned is_odd(unsigned bits)
{
	return (unsigned)__builtin_popcount(bits) & 1;
}

static unsigned block_of(const struct pf_halves *h, uint64_t time)
{
	unsigned __int128 since = time > h->first ? time - h->first : 0;

	return (unsigned)(since * PF_HALVES_BLOCKS / ((unsigned __int128)(h->last - h->first) + 1));
}

static unsigned side_of(unsigned block, unsigned deal)
{
	unsigned pair = block / 2;

	return (block ^ is_odd(pair & pair >> 1) ^ is_odd(pair & deal)) & 1;
}

unsigned pf_halves_deal(const struct pf_halves *h, uint64_t time)
{
	return side_of(block_of(h, time), h->deal);
}

unsigned pf_halves_sides(const struct pf_halves *h, uint64_t time)
{
	unsigned block = block_of(h, time), sides = 0;

	for (unsigned deal = 0; deal < PF_HALVES_TOLD; deal++)
		sides |= side_of(block, deal) << deal;
	return sides;
}

unsigned pf_halves_deals(uint64_t bursts)
{
	uint64_t deals = bursts > 0 ? MOST_DEALT / bursts : MOST_DEALS;

	return deals < 1 ? 1 : deals < MOST_DEALS ? (unsigned)deals : MOST_DEALS;
}

double pf_halves_overlap(const uint64_t *one, const uint64_t *other, size_t count)
{
	double sum_one = 0, sum_other = 0, overlap = 0;

	for (size_t i = 0; i < count; i++) {
		sum_one += (double)one[i];
		sum_other += (double)other[i];
	}
	for (size_t i = 0; i < count && sum_one > 0 && sum_other > 0; i++) {
		double p = (double)one[i] / sum_one, q = (double)other[i] / sum_other;

		overlap += p < q ? p : q;
	}
	return overlap;
}

void pf_dealt_add(struct pf_dealt *d, unsigned sides, uint64_t weight)
{
	d->all = pf_count_add(d->all, weight);
	for (unsigned k = 0; k < PF_HALVES_TOLD; k++)
		d->first[k] = pf_count_add(d->first[k], sides >> k & 1 ? 0 : weight);
}

void pf_dealt_join(struct pf_dealt *d, const struct pf_dealt *other)
{
	d->all = pf_count_add(d->all, other->all);
	for (unsigned k = 0; k < PF_HALVES_TOLD; k++)
		d->first[k] = pf_count_add(d->first[k], other->first[k]);
}

int pf_dealt_overlap(const struct pf_dealt *things, size_t count, double *overlap)
{
	uint64_t *halves = calloc(2 * count + 1, sizeof *halves);
	double sum = 0;

	if (!halves)
		return PF_ENOMEM;
	for (unsigned k = 0; k < PF_HALVES_TOLD; k++) {
		for (size_t i = 0; i < count; i++) {
			halves[i] = things[i].first[k];
			halves[count + i] = things[i].all - things[i].first[k];
		}
		sum += pf_halves_overlap(halves, halves + count, count);
	}
	free(halves);
	*overlap = sum / PF_HALVES_TOLD;
	return PF_OK;
}
