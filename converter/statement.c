/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See statement.h and doc/counts.md.  The hard case: a position's instructions stand in several machine blocks for two
 * opposite reasons.  Copies (unrolling, tail duplication, jump threading, peeling, loop headers) each run for other
 * executions of the statement, so their counts add up.  Parts (the statement has control flow of its own, or some of
 * its instructions were hoisted or sunk) run for the same executions, so they must not be added.
 *
 * Two things tell copies.  They look alike: their instructions have the same mnemonics and constants, so like blocks
 * are added up to a candidate.  (Likeness by two thirds of the instructions takes `x < low` and `x > high` of one macro
 * for copies.)  And copies that the compiler simplified differently, for what is known where they stand, mostly exclude
 * each other: a loop's versions, a tail that was duplicated, a jump that was threaded.  What no execution passes both
 * of adds up even if it is parts, the arms of a condition: the statement ran at least as often as both together.  So
 * candidates that exclude each other are added, heaviest first, and the largest sum is the count.  Copies that follow
 * each other in a turn of the loop and do not look alike are lost.
 *
 * A vote of the instructions among the candidates, the obvious alternative, measured worse against gcov (bzip2's
 * compress.c .226 instead of .127): the reader votes once more, over the statements of a block, and that is where
 * hoisted strays are outvoted. */
#include "converter/statement.h"
#include "converter/traffic.h"

void pf_statement_add(struct pf_piece *piece, uint16_t likeness)
{
	uint16_t *bucket = &piece->histogram[likeness * 0x9e3779b1u >> 28];

	piece->instructions++;
	*bucket += *bucket < UINT16_MAX;
}

/* Larger pieces first: they are what the smaller ones are compared with. */
static int compare_pieces(const void *a, const void *b)
{
	const struct pf_piece *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	return x->weight > y->weight ? -1 : x->weight < y->weight;
}

static bool alike(const struct pf_piece *large, const struct pf_piece *small)
{
	uint32_t common = 0;

	for (int i = 0; i < PF_PIECE_BUCKETS; i++)
		common += large->histogram[i] < small->histogram[i] ? large->histogram[i] : small->histogram[i];
	return common == large->instructions;
}

/* Adds up the copies: numbers the candidates that they are. */
static void add_copies(struct pf_piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		pieces[i].candidate = (uint32_t)i;
		pieces[i].sum = pieces[i].weight;
		while (k < i && (pieces[k].candidate != k || !alike(&pieces[k], &pieces[i])))
			k++;
		if (k < i) {
			pieces[i].candidate = (uint32_t)k;
			pieces[k].sum = pf_sum(pieces[k].sum, pieces[i].weight);
		}
	}
	for (size_t i = 0; i < count; i++)
		pieces[i].sum = pieces[pieces[i].candidate].sum;
}

/* Heavier candidates first, the pieces of each together. */
static int compare_candidates(const void *a, const void *b)
{
	const struct pf_piece *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	if (x->candidate != y->candidate)
		return x->candidate < y->candidate ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

/* Whether all of the SECOND pieces exclude all of the FIRST. */
static bool exclude(const struct pf_apart *apart, const struct pf_piece *first, size_t first_count,
		    const struct pf_piece *second, size_t second_count)
{
	for (size_t i = 0; i < first_count; i++) {
		for (size_t k = 0; k < second_count; k++) {
			if (!pf_apart_are(apart, first[i].block, second[k].block))
				return false;
		}
	}
	return true;
}

static void sort(struct pf_piece *pieces, size_t count, int (*compare)(const void *a, const void *b))
{
	if (count > 1)
		qsort(pieces, count, sizeof *pieces, compare);
}

/* What is added is kept in front. */
uint64_t pf_statement_count(struct pf_piece *pieces, size_t count, const struct pf_apart *apart)
{
	uint64_t total = 0;
	size_t added = 0, end;

	sort(pieces, count, compare_pieces);
	add_copies(pieces, count);
	sort(pieces, count, compare_candidates);
	for (size_t first = 0; first < count; first = end) {
		for (end = first; end < count && pieces[end].candidate == pieces[first].candidate; end++)
			;
		if (!exclude(apart, pieces, added, pieces + first, end - first))
			continue;
		total = pf_sum(total, pieces[first].sum);
		memmove(pieces + added, pieces + first, (end - first) * sizeof *pieces);
		added += end - first;
	}
	return total;
}
