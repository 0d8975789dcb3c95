/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pieces.h.  A profile says how often each way of a switch went, and not by which of its values.  What is left is
 * that each value of a way is as likely as each other.  So a default that starts below the first case and behind the
 * last one is nearly all there if the cases are close to each other.
 *
 * The hard case is a type of many values: 2^64 of them are a number that 64 bits do not hold, and the few between two
 * cases are a share that must not become none. */
#include "plugin/pieces.h"

#include <stdlib.h>

static double values_of(const struct pf_piece *piece)
{
	return (double)(piece->high - piece->low) + 1;
}

static int compare_cases(const void *a, const void *b)
{
	const struct pf_case *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* Appends LOW to HIGH, in two pieces if ZERO is within. */
static uint32_t add(struct pf_piece *pieces, uint32_t count, uint64_t low, uint64_t high, uint32_t way, uint64_t zero)
{
	if (low < zero && zero <= high) {
		pieces[count++] = (struct pf_piece) { low, zero - 1, way, 0 };
		low = zero;
	}
	pieces[count++] = (struct pf_piece) { low, high, way, 0 };
	return count;
}

uint32_t pf_pieces_cut(const struct pf_index *index, struct pf_case *cases, uint32_t count, struct pf_piece *pieces)
{
	uint64_t next = index->low; /* not yet in a piece */
	uint32_t made = 0;

	qsort(cases, count, sizeof *cases, compare_cases);
	for (uint32_t i = 0; i < count && cases[i].low <= index->high; i++) {
		uint64_t low = cases[i].low < next ? next : cases[i].low;
		uint64_t high = cases[i].high > index->high ? index->high : cases[i].high;

		if (high < low)
			continue;
		if (next < low)
			made = add(pieces, made, next, low - 1, 0, index->zero);
		made = add(pieces, made, low, high, cases[i].way, index->zero);
		if (high == index->high)
			return made;
		next = high + 1;
	}
	return add(pieces, made, next, index->high, 0, index->zero);
}

void pf_pieces_weigh(struct pf_piece *pieces, uint32_t count, struct pf_way *ways)
{
	for (uint32_t i = 0; i < count; i++)
		ways[pieces[i].way].values += values_of(&pieces[i]);
	for (uint32_t i = 0; i < count; i++) {
		const struct pf_way *way = &ways[pieces[i].way];

		pieces[i].weight = way->weight * values_of(&pieces[i]) / way->values;
	}
}

static void scale(struct pf_piece *pieces, uint32_t first, uint32_t end, double factor)
{
	for (uint32_t i = first; i < end; i++)
		pieces[i].weight *= pieces[i].way == 0 ? factor : 1;
}

static double weight_of(const struct pf_piece *pieces, uint32_t first, uint32_t end)
{
	double weight = 0;

	for (uint32_t i = first; i < end; i++)
		weight += pieces[i].way == 0 ? pieces[i].weight : 0;
	return weight;
}

void pf_pieces_divide(struct pf_piece *pieces, uint32_t count, double outside)
{
	uint32_t first = 0, end = count;

	while (first < count && pieces[first].way == 0)
		first++;
	while (end > first && pieces[end - 1].way == 0)
		end--;
	double all = weight_of(pieces, 0, count), gaps = weight_of(pieces, first, end);
	if (gaps <= 0 || gaps >= all)
		return;
	scale(pieces, first, end, (1 - outside) * all / gaps);
	scale(pieces, 0, first, outside * all / (all - gaps));
	scale(pieces, end, count, outside * all / (all - gaps));
}
