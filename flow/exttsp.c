/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See exttsp.h.  Chains of blocks are joined, the pair that gains most first; a chain may also be split, and the other
 * stand in between or the parts change places, so that an early join does not stand in the way of a better one.  What
 * nothing connects any more is put in the order of density, behind the chain of block 0.
 *
 * The hard case is a function of ten thousand blocks: chains that grow too long are joined at their ends alone, and
 * those that are longer yet are not joined at all; a split is judged by the arcs that it changes. */
#include "flow/exttsp.h"

#include <stdlib.h>
#include <string.h>

#define ONLY_WEIGHT 1.05 /* falling through then saves an instruction, too */
#define FORWARD_WEIGHT 0.1
#define BACKWARD_WEIGHT 0.1
#define FORWARD_REACH 1024
#define BACKWARD_REACH 640
#define LONGEST_SPLIT 128   /* blocks in a chain that is tried split */
#define LONGEST_JOINED 4096 /* blocks in two chains that are still joined */

static double arc_score(uint64_t from_end, uint64_t to, const struct pf_arc *arc)
{
	double weight = (double)arc->count;

	if (from_end == to)
		return arc->only ? ONLY_WEIGHT * weight : weight;
	if (from_end < to) {
		uint64_t distance = to - from_end;
		return distance < FORWARD_REACH ? weight * FORWARD_WEIGHT * (1 - (double)distance / FORWARD_REACH) : 0;
	}
	uint64_t distance = from_end - to;
	return distance < BACKWARD_REACH ? weight * BACKWARD_WEIGHT * (1 - (double)distance / BACKWARD_REACH) : 0;
}

/* The sum over a list of arcs, by the addresses that blocks have now. */
static double list_score(struct pf_chaining *c, uint32_t arc)
{
	double sum = 0;

	for (; arc != PF_CHAINING_NONE; arc = c->next_arc[arc]) {
		const struct pf_arc *a = &c->arcs[arc];

		sum += arc_score(c->address[a->from] + c->sizes[a->from], c->address[a->to], a);
		c->judged++;
	}
	return sum;
}

static void keep_better(struct pf_join *best, struct pf_join join)
{
	if (join.gain > best->gain)
		*best = join;
}

static void try_behind(struct pf_chaining *c, uint32_t x, uint32_t y, uint32_t arc, struct pf_join *best)
{
	const struct pf_chain *first = &c->chains[x], *second = &c->chains[y];
	uint64_t end;

	if (c->chain_of[0] == y)
		return;
	end = pf_chaining_place(c, first->nodes, 0, first->count, 0);
	pf_chaining_place(c, second->nodes, 0, second->count, end);
	keep_better(best, (struct pf_join) { .gain = list_score(c, arc), .how = PF_JOINT_X_Y, .x = x, .y = y });
}

/* Places X, split, and Y as HOW says. */
static void place_split(struct pf_chaining *c, const struct pf_chain *x, const struct pf_chain *y, enum pf_joint how,
			uint32_t split)
{
	uint64_t at = 0;

	if (how == PF_JOINT_Y_X2_X1)
		at = pf_chaining_place(c, y->nodes, 0, y->count, at);
	if (how == PF_JOINT_X1_Y_X2) {
		at = pf_chaining_place(c, x->nodes, 0, split, at);
		at = pf_chaining_place(c, y->nodes, 0, y->count, at);
	}
	at = pf_chaining_place(c, x->nodes, split, x->count, at);
	if (how != PF_JOINT_X1_Y_X2)
		at = pf_chaining_place(c, x->nodes, 0, split, at);
	if (how == PF_JOINT_X2_X1_Y)
		pf_chaining_place(c, y->nodes, 0, y->count, at);
}

static uint32_t index_of(const struct pf_chain *chain, uint32_t node)
{
	uint32_t i = 0;

	while (chain->nodes[i] != node)
		i++;
	return i;
}

/* X split at SPLIT, where the arc ends that shall fall through: the ways of joining in which it does. */
static void try_split(struct pf_chaining *c, uint32_t x, uint32_t y, uint32_t arc, uint32_t split,
		      const enum pf_joint how[2], struct pf_join *best)
{
	const struct pf_chain *whole = &c->chains[x];
	double before;

	if (split == 0 || split == whole->count)
		return;
	pf_chaining_place(c, whole->nodes, 0, whole->count, 0);
	before = list_score(c, whole->first_arc);
	for (int i = 0; i < 2; i++) {
		if (how[i] != PF_JOINT_X1_Y_X2 && c->chain_of[0] == x)
			continue;
		place_split(c, whole, &c->chains[y], how[i], split);
		keep_better(best,
			    (struct pf_join) { .gain = list_score(c, whole->first_arc) + list_score(c, arc) - before,
					       .how = how[i],
					       .x = x,
					       .y = y,
					       .split = split });
	}
}

/* A split is worth its price where an arc comes to fall through: from within X to the first block of Y, or from the
 * last block of Y into X. */
static void try_splits(struct pf_chaining *c, uint32_t x, uint32_t y, uint32_t arc, struct pf_join *best)
{
	static const enum pf_joint ahead[] = { PF_JOINT_X1_Y_X2, PF_JOINT_X2_X1_Y };
	static const enum pf_joint behind[] = { PF_JOINT_X1_Y_X2, PF_JOINT_Y_X2_X1 };
	const struct pf_chain *split = &c->chains[x], *other = &c->chains[y];

	if (split->count > LONGEST_SPLIT || other->count > LONGEST_SPLIT || c->chain_of[0] == y)
		return;
	for (uint32_t i = arc; i != PF_CHAINING_NONE; i = c->next_arc[i]) {
		const struct pf_arc *a = &c->arcs[i];

		if (a->to == other->nodes[0])
			try_split(c, x, y, arc, index_of(split, a->from) + 1, ahead, best);
		if (a->from == other->nodes[other->count - 1])
			try_split(c, x, y, arc, index_of(split, a->to), behind, best);
	}
}

static struct pf_join judge(struct pf_chaining *c, uint32_t a, uint32_t b, uint32_t arc)
{
	struct pf_join best = { .x = a, .y = b };

	if (c->chains[a].count + c->chains[b].count > LONGEST_JOINED)
		return best;
	try_behind(c, a, b, arc, &best);
	try_behind(c, b, a, arc, &best);
	try_splits(c, a, b, arc, &best);
	try_splits(c, b, a, arc, &best);
	return best;
}

/* Sets the score; takes the order so far where that is at least as good. */
static int compare_with_given(uint32_t count, const uint64_t *sizes, const struct pf_arc *arcs, uint32_t arc_count,
			      uint32_t *order, struct pf_exttsp_result *result)
{
	uint32_t *given = calloc(count, sizeof *given);
	double score = -1;

	for (uint32_t i = 0; given && i < count; i++)
		given[i] = i;
	if (given)
		score = pf_exttsp_score(count, sizes, arcs, arc_count, given);
	result->score = pf_exttsp_score(count, sizes, arcs, arc_count, order);
	result->kept = score >= result->score;
	if (result->kept) {
		result->score = score;
		memcpy(order, given, count * sizeof *order);
	}
	free(given);
	return score < 0 || result->score < 0 ? -1 : 0;
}

int pf_exttsp_order(uint32_t block_count, const uint64_t *sizes, const uint64_t *counts, const struct pf_arc *arcs,
		    uint32_t arc_count, uint32_t *order, struct pf_exttsp_result *result)
{
	struct pf_chaining chaining;
	int status;

	*result = (struct pf_exttsp_result) { 0 };
	if (block_count == 0)
		return 0;
	if (pf_chaining_init(&chaining, block_count, sizes, counts, arcs, arc_count) < 0)
		return -1;
	chaining.judge = judge;
	status = pf_chaining_run(&chaining);
	if (status == 0)
		status = pf_chaining_order(&chaining, 0, order);
	result->judged = chaining.judged;
	pf_chaining_fini(&chaining);
	return status < 0 ? -1 : compare_with_given(block_count, sizes, arcs, arc_count, order, result);
}

double pf_exttsp_score(uint32_t block_count, const uint64_t *sizes, const struct pf_arc *arcs, uint32_t arc_count,
		       const uint32_t *order)
{
	uint64_t *address = pf_chaining_addresses(block_count, sizes, order);
	double sum = 0;

	if (!address)
		return -1;
	for (uint32_t i = 0; i < arc_count; i++)
		sum += arc_score(address[arcs[i].from] + sizes[arcs[i].from], address[arcs[i].to], &arcs[i]);
	free(address);
	return sum;
}
