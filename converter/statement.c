/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See statement.h and doc/counts.md.  The hard case: a position's instructions stand in several machine blocks for two
 * opposite reasons.  Copies (unrolling, tail duplication, jump threading, peeling, loop headers) each run for other
 * executions of the statement, so their counts add up.  Parts (the statement has control flow of its own, or some of
 * its instructions were hoisted or sunk) run for the same executions, so they must not be added.
 *
 * Copies look alike: their instructions have the same mnemonics and constants.  So like blocks are added up to a
 * candidate, and the largest candidate is the count.  (Likeness by two thirds of the instructions takes `x < low` and
 * `x > high` of one macro for copies.)  A vote of the instructions among the candidates, the obvious alternative,
 * measured worse against gcov (bzip2's compress.c .226 instead of .127): the reader votes once more, over the
 * statements of a block, and that is where hoisted strays are outvoted. */
#include "converter/statement.h"

#include <stdbool.h>
#include <stdlib.h>

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

/* Adds up the copies; the number of candidates. */
static size_t add_copies(struct pf_piece *pieces, size_t count)
{
	size_t kept = 0;

	if (count > 1)
		qsort(pieces, count, sizeof *pieces, compare_pieces);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < kept && !alike(&pieces[k], &pieces[i]))
			k++;
		if (k < kept)
			pieces[k].weight += pieces[i].weight;
		else
			pieces[kept++] = pieces[i];
	}
	return kept;
}

uint64_t pf_statement_count(struct pf_piece *pieces, size_t count)
{
	uint64_t best = 0;

	count = add_copies(pieces, count);
	for (size_t i = 0; i < count; i++)
		best = pieces[i].weight > best ? pieces[i].weight : best;
	return best;
}
