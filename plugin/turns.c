/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop that constants decide turns T times each time that it is entered, so its test runs T + 1 times as often as the
 * loop is entered.  What was recorded tells less: the profiled binary may have had no loop there at all, but its turns
 * one behind the other, or several at once in a vector, so that what ran eight times was seen once.
 *
 * The hard case is which count to start from.  A loop that turns often has many more samples than what leads to it, so
 * where it says about what its entries say it is believed, and where it says clearly less, turns were run together, and
 * the entries are.  That needs few turns, or a loop that is gone: of one that turns a hundred times, entries that a few
 * samples tell of would be multiplied, by an error that is larger than what vectors make.  If it ran even less often
 * than it was entered, the two do not speak of the same code. */
#include "plugin/turns.h"

#define MOST_PEELED 16 /* turns that GCC lays one behind the other: --param max-completely-peel-times */

/* What the class of the test at the end of block B ran, by what it says or by how often LOOP was entered; 0 if neither
 * is known, or they contradict each other. */
static uint64_t count_tests(const struct pf_looptests *l, uint32_t b, uint32_t loop)
{
	const struct pf_estimate_block *block = &l->estimate->blocks[b];
	const struct pf_group *group = &l->groups[block->leader];
	uint64_t entries, all;

	if (!pf_looptest_entries(l, loop, &entries) || entries == 0)
		return 0;
	all = entries * block->test_turns;
	if (!group->known)
		return all;
	if (group->count < entries - entries / 4)
		return 0;
	bool peeled = block->test_turns <= MOST_PEELED + 1 || group->count < 2 * entries;
	return peeled && group->count < all - all / 3 ? all : group->count;
}

static void settle(const struct pf_looptests *l, uint32_t b)
{
	struct pf_estimate *e = l->estimate;
	struct pf_estimate_block *block = &e->blocks[b];
	uint32_t loop = l->loops->innermost[b];
	struct pf_looptest test;
	uint64_t tests = loop == PF_NO_LOOP || !pf_looptest_find(l, b, loop, &test) ? 0 : count_tests(l, b, loop);
	uint64_t left = tests / (block->test_turns ? block->test_turns : 1);
	uint32_t body;

	if (tests == 0)
		return;
	e->edge_outcomes[test.out] = left;
	e->edge_outcomes[test.into] = tests - left;
	block->outcomes = tests;
	block->branch_seen = block->copied = true;
	block->partial = false;
	l->groups[block->leader].count = tests;
	l->groups[block->leader].known = true;
	body = e->graph->edges[test.into].to;
	if (!pf_looptest_has_one_way_in(e->graph, body))
		return;
	l->groups[e->blocks[body].leader].count = tests - left;
	l->groups[e->blocks[body].leader].known = true;
}

/* The outer loops first, on which the entries of the inner ones depend. */
void pf_turns_settle(struct pf_estimate *estimate, const struct pf_loops *loops, struct pf_group *groups)
{
	const struct pf_looptests l = { estimate, groups, loops };
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < loops->count; i++)
		deepest = loops->loops[i].depth > deepest ? loops->loops[i].depth : deepest;
	for (uint32_t depth = 1; depth <= deepest; depth++) {
		for (uint32_t b = 0; b < estimate->graph->block_count; b++) {
			uint32_t loop = loops->innermost[b];

			if (estimate->blocks[b].test_turns && loop != PF_NO_LOOP && loops->loops[loop].depth == depth)
				settle(&l, b);
		}
	}
}
