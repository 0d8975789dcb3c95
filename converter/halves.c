/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See halves.h.  The hard case is the number of blocks: with two, a program that does one thing after another would
 * have halves that differ however well it was recorded; with very many, neighbours would be on both sides. */
#include "converter/halves.h"

void pf_halves_span(struct pf_halves *h, uint64_t time)
{
	h->first = h->seen == 0 || time < h->first ? time : h->first;
	h->last = h->seen == 0 || time > h->last ? time : h->last;
	h->seen++;
}

unsigned pf_halves_deal(const struct pf_halves *h, uint64_t time)
{
	unsigned __int128 since = time > h->first ? time - h->first : 0;

	return (unsigned)(since * PF_HALVES_BLOCKS / ((unsigned __int128)(h->last - h->first) + 1)) & 1;
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
