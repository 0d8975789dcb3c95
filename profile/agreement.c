/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See agreement.h.  The hard case is merging, when the bursts are long gone.  The halves of one recording are apart by
 * chance, which is independent of the chance in another; so the distances add up like errors of a mean in which each
 * recording has as much weight as looks: the squares of looks times distance.  Kept as integers, so that any order of
 * merging gives the same. */
#include "profile/agreement.h"
#include "profile/saturate.h"

#include <math.h>

#define ONE 1000

struct pf_agreement pf_agreement_of(uint64_t looks, double overlap, double alone)
{
	double distance = overlap > 0 ? overlap < 1 ? 1 - overlap : 0 : 1;
	double apart = (double)looks * floor(distance * ONE + 0.5);
	double square = apart * apart, singly = (double)looks * floor(alone * ONE + 0.5);

	return (struct pf_agreement) { .looks = looks,
				       .square = square < 1.8e19 ? (uint64_t)square : PF_COUNT_SATURATED,
				       .alone = singly < 1.8e19 ? (uint64_t)singly : PF_COUNT_SATURATED };
}

void pf_agreement_add(struct pf_agreement *a, const struct pf_agreement *b)
{
	a->looks = pf_count_add(a->looks, b->looks);
	a->square = pf_count_add(a->square, b->square);
	a->alone = pf_count_add(a->alone, b->alone);
}

uint32_t pf_agreement_unseen(const struct pf_agreement *a)
{
	double unseen = a->looks > 0 ? (double)a->alone / (double)a->looks : 0;

	return unseen < ONE ? (uint32_t)(unseen + 0.5) : ONE;
}

uint32_t pf_agreement_permille(const struct pf_agreement *a)
{
	double apart = a->looks > 0 ? sqrt((double)a->square) / (double)a->looks : 0;

	if (a->looks == 0)
		return PF_AGREEMENT_UNKNOWN;
	return apart < ONE ? ONE - (uint32_t)(apart + 0.5) : 0;
}
