/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop's test stands at its top here.  In machine code it stands at its end, and once more in front of the loop for
 * the first turn, where it is often not needed, as what comes before has decided it, or is known under another
 * discriminator.  The outcomes of the copy at the end lack each entry's first turn then: of a loop that turns twice, a
 * half.
 *
 * The body's statements have both copies' turns.  So there are two ways to read a body that ran oftener than the test
 * led into it: the test lacks as many turns as the loop has entries, or it lacks none and the body's code ran for
 * others as well (it was merged with its like).  The number of turns that are missing tells which is nearer.
 *
 * As often as a loop is entered it is left, so of a loop that only the test leaves, a test that led out less often
 * lacks what is missing.  Of a loop whose result could be computed at once, the copy in front is all that is left: it
 * was run once for each entry.  Nothing was seen of the other turns, which are taken to be decided as the first was. */
#include "plugin/rotated.h"
#include "plugin/match.h"

#include <stdlib.h>

#define LONGEST_CHANCE .99 /* of another turn */

struct rotation {
	struct pf_looptests tests;
	uint32_t *ways_out; /* of each loop, those that the compiler does not think unlikely */
};

/* Whether nothing but tests by which LOOP is left comes before BLOCK in a turn: these are what is copied in front. */
static bool is_on_top(const struct rotation *r, uint32_t block, uint32_t loop)
{
	const struct pf_graph *graph = r->tests.estimate->graph;
	struct pf_looptest before;

	while (block != r->tests.loops->loops[loop].header) {
		if (!pf_looptest_has_one_way_in(graph, block))
			return false;
		block = graph->edges[graph->in_edges[graph->in_first[block]]].from;
		if (r->tests.loops->innermost[block] != loop || !pf_looptest_find(&r->tests, block, loop, &before))
			return false;
	}
	return true;
}

/* How often LOOP was entered; if that is not known, as often as it was left by a test, whose count is LEFT. */
static uint64_t count_entries(const struct rotation *r, uint32_t loop, uint64_t left)
{
	uint64_t entries;

	return pf_looptest_entries(&r->tests, loop, &entries) ? entries : left;
}

/* Whether the turns that TEST lacks are nearer to the loop's entries than to none. */
static bool lacks_first_turns(const struct rotation *r, const struct pf_looptest *test, uint32_t loop)
{
	const struct pf_estimate *e = r->tests.estimate;
	uint32_t body = e->graph->edges[test->into].to;
	const struct pf_group *turns = &r->tests.groups[e->blocks[body].leader];
	uint64_t seen = e->edge_outcomes[test->into], entries;

	if (!pf_looptest_has_one_way_in(e->graph, body) || !turns->known || turns->count <= seen ||
	    pf_counts_agree(turns->count, seen))
		return false;
	entries = count_entries(r, loop, e->edge_outcomes[test->out]);
	return turns->count - seen > entries / 2 && turns->count - seen < entries + entries / 2;
}

static void settle_partial(struct rotation *r, struct pf_estimate_block *block)
{
	block->partial = true;
	r->tests.groups[block->leader].least = true;
}

/* Whether TEST ran once for each of the ENTRIES of the loop, and the loop's body as often as that led into it. */
static bool is_in_front_alone(const struct rotation *r, const struct pf_looptest *test, uint64_t entries)
{
	const struct pf_estimate *e = r->tests.estimate;
	uint64_t into = e->edge_outcomes[test->into];
	const struct pf_group *body = &r->tests.groups[e->blocks[e->graph->edges[test->into].to].leader];

	return pf_looptest_has_one_way_in(e->graph, e->graph->edges[test->into].to) && body->known &&
	       pf_counts_agree(body->count, into) && pf_counts_agree(into + e->edge_outcomes[test->out], entries);
}

/* The chance of another turn: that of the first, or the compiler's guess if that is less, for what is always begun says
 * nothing of when it ends. */
static double chance_of_turn(const struct pf_estimate *e, const struct pf_looptest *test)
{
	double into = (double)e->edge_outcomes[test->into], out = (double)e->edge_outcomes[test->out];
	double guess = e->graph->edges[test->into].guess, first = into / (into + out);

	return guess >= 0 && guess < first ? guess : first < LONGEST_CHANCE ? first : LONGEST_CHANCE;
}

/* The loop of the test at the end of block B is entered so many times: its turns go on as they begin. */
static void guess_turns(struct rotation *r, uint32_t b, const struct pf_looptest *test, uint64_t entries)
{
	struct pf_estimate *e = r->tests.estimate;
	double chance = chance_of_turn(e, test);
	uint64_t seen = e->edge_outcomes[test->into], turns = (uint64_t)((double)entries * chance / (1 - chance));

	turns = turns > seen ? turns : seen;
	e->edge_outcomes[test->into] = turns;
	e->edge_outcomes[test->out] = entries;
	e->blocks[b].outcomes = entries + turns;
	r->tests.groups[e->blocks[b].leader].count = entries + turns;
	r->tests.groups[e->blocks[e->graph->edges[test->into].to].leader].count = turns;
}

/* Of a loop that is entered clearly more often than TEST, its only way out, was seen to lead out.  False if it is no
 * such loop. */
static bool settle_ways_out(struct rotation *r, uint32_t b, const struct pf_looptest *test, uint32_t loop)
{
	struct pf_estimate_block *block = &r->tests.estimate->blocks[b];
	uint64_t left = r->tests.estimate->edge_outcomes[test->out], entries = count_entries(r, loop, left);

	if (entries <= left || pf_counts_agree(entries, left) || r->ways_out[loop] != 1 ||
	    r->tests.estimate->graph->edges[test->out].unlikely)
		return false;
	if (b == r->tests.loops->loops[loop].header && is_in_front_alone(r, test, entries))
		guess_turns(r, b, test, entries);
	else
		settle_partial(r, block);
	return true;
}

static void settle_test(struct rotation *r, uint32_t b)
{
	struct pf_estimate_block *block = &r->tests.estimate->blocks[b];
	uint32_t loop = r->tests.loops->innermost[b];
	struct pf_looptest test;

	if (loop == PF_NO_LOOP || block->outcomes == 0 || block->partial || block->copied ||
	    !pf_looptest_find(&r->tests, b, loop, &test))
		return;
	if (!settle_ways_out(r, b, &test, loop) && is_on_top(r, b, loop) && lacks_first_turns(r, &test, loop))
		settle_partial(r, block);
}

static void count_ways_out(struct rotation *r)
{
	const struct pf_graph *graph = r->tests.estimate->graph;

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct pf_graph_edge *edge = &graph->edges[i];
		uint32_t loop = r->tests.loops->innermost[edge->from];

		for (; !edge->unlikely && loop != PF_NO_LOOP && !pf_looptest_inside(&r->tests, edge->to, loop);
		     loop = r->tests.loops->loops[loop].parent)
			r->ways_out[loop]++;
	}
}

int pf_rotated_settle(struct pf_estimate *estimate, const struct pf_loops *loops, struct pf_group *groups)
{
	struct rotation r = { .tests = { estimate, groups, loops } };

	r.ways_out = calloc(loops->count + 1, sizeof *r.ways_out);
	if (!r.ways_out)
		return -1;
	count_ways_out(&r);
	for (uint32_t b = 0; b < estimate->graph->block_count; b++)
		settle_test(&r, b);
	free(r.ways_out);
	return 0;
}
