/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See statement.h.  The hard case: a position's instructions stand in several machine blocks for two opposite reasons.
 * Copies (unrolling, tail duplication, jump threading, loop headers) each run for different executions of the
 * statement, so their counts add up.  Parts (the statement itself has control flow, or some of its instructions were
 * hoisted, sunk or if-converted) run for the same executions, so one of them is right and the others are not.
 * Copies look alike: they have the same instructions.  So blocks of equal instructions are added up to a candidate,
 * and among the candidates the instructions vote: the count that most of them have wins, those within an eighth of it
 * counting as agreement; a draw goes to the larger count, since hoisting and header copies make counts too small more
 * often than too large. */
#include "converter/statement.h"

#include <stdlib.h>

uint64_t pf_statement_sign(uint64_t signature, uint16_t mnemonic)
{
	return (signature ^ mnemonic) * 0x100000001b3u + 0x9e3779b9u;
}

static int compare_signatures(const void *a, const void *b)
{
	const struct pf_piece *x = a, *y = b;

	return x->signature < y->signature ? -1 : x->signature > y->signature;
}

/* Adds up the copies; the number of candidates. */
static size_t add_copies(struct pf_piece *pieces, size_t count)
{
	size_t kept = 0;

	if (count > 1)
		qsort(pieces, count, sizeof *pieces, compare_signatures);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && pieces[kept - 1].signature == pieces[i].signature)
			pieces[kept - 1].weight += pieces[i].weight;
		else
			pieces[kept++] = pieces[i];
	}
	return kept;
}

/* Instructions of the candidates that agree with COUNT. */
static uint64_t votes(const struct pf_piece *pieces, size_t count, uint64_t weight)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t apart = pieces[i].weight > weight ? pieces[i].weight - weight : weight - pieces[i].weight;

		if (apart <= weight / 8)
			sum += pieces[i].instructions;
	}
	return sum;
}

uint64_t pf_statement_count(struct pf_piece *pieces, size_t count)
{
	uint64_t best = 0, best_votes = 0;

	count = add_copies(pieces, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t found = votes(pieces, count, pieces[i].weight);

		if (found > best_votes || (found == best_votes && pieces[i].weight > best)) {
			best = pieces[i].weight;
			best_votes = found;
		}
	}
	return best;
}
