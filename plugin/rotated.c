/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop's test stands at its top here.  In machine code it stands at its end, and once more in front of the loop for
 * the first turn, where it is often not needed, as what comes before has decided it, or is known under another
 * discriminator.  The outcomes of the copy at the end lack each entry's first turn then: of a loop that turns twice, a
 * half.
 *
 * The body's statements have both copies' turns.  So there are two ways to read a body that ran oftener than the test
 * led into it: the test lacks as many turns as the loop has entries, or it lacks none and the body's code ran for
 * others as well (it was merged with its like).  The number of turns that are missing tells which is nearer. */
#include "plugin/rotated.h"
#include "flow/loops.h"
#include "plugin/match.h"

struct rotation {
	struct pf_estimate *estimate;
	struct pf_group *groups;
	struct pf_loops loops;
};

/* A test by which a loop is left: its ways back into the loop and out of it. */
struct test {
	uint32_t into, out; /* edges */
};

static bool is_inside(const struct rotation *r, uint32_t block, uint32_t loop)
{
	uint32_t here = r->loops.innermost[block];

	while (here != PF_NO_LOOP && here != loop)
		here = r->loops.loops[here].parent;
	return here == loop;
}

/* Whether BLOCK ends in a test by which LOOP is left. */
static bool find_test(const struct rotation *r, uint32_t block, uint32_t loop, struct test *test)
{
	const struct pf_graph *graph = r->estimate->graph;
	uint32_t first = graph->out_first[block];

	if (graph->out_first[block + 1] - first != 2)
		return false;
	test->into = graph->out_edges[first];
	test->out = graph->out_edges[first + 1];
	if (!is_inside(r, graph->edges[test->into].to, loop)) {
		test->into = test->out;
		test->out = graph->out_edges[first];
	}
	return is_inside(r, graph->edges[test->into].to, loop) && !is_inside(r, graph->edges[test->out].to, loop);
}

static bool has_one_way_in(const struct pf_graph *graph, uint32_t block)
{
	return graph->in_first[block + 1] - graph->in_first[block] == 1;
}

/* Whether nothing but tests by which LOOP is left comes before BLOCK in a turn: these are what is copied in front. */
static bool is_on_top(const struct rotation *r, uint32_t block, uint32_t loop)
{
	const struct pf_graph *graph = r->estimate->graph;
	struct test before;

	while (block != r->loops.loops[loop].header) {
		if (!has_one_way_in(graph, block))
			return false;
		block = graph->edges[graph->in_edges[graph->in_first[block]]].from;
		if (r->loops.innermost[block] != loop || !find_test(r, block, loop, &before))
			return false;
	}
	return true;
}

/* How often the edge was taken; false if that is not known. */
static bool count_edge(const struct rotation *r, uint32_t edge, uint64_t *count)
{
	const struct pf_graph *graph = r->estimate->graph;
	uint32_t from = graph->edges[edge].from;
	const struct pf_estimate_block *block = &r->estimate->blocks[from];
	const struct pf_group *group = &r->groups[block->leader];

	if (graph->out_first[from + 1] - graph->out_first[from] == 1) {
		*count = group->count;
		return group->known;
	}
	*count = r->estimate->edge_outcomes[edge];
	return block->outcomes > 0 && !block->partial;
}

/* How often LOOP was entered; at least as often as it is known to have been left by a test, whose count is LEFT. */
static uint64_t count_entries(const struct rotation *r, uint32_t loop, uint64_t left)
{
	const struct pf_graph *graph = r->estimate->graph;
	uint32_t header = r->loops.loops[loop].header;
	uint64_t entries = 0, count;

	for (uint32_t i = graph->in_first[header]; i < graph->in_first[header + 1]; i++) {
		uint32_t edge = graph->in_edges[i];

		if (is_inside(r, graph->edges[edge].from, loop))
			continue;
		if (!count_edge(r, edge, &count))
			return left;
		entries += count;
	}
	return entries;
}

/* Whether the turns that TEST lacks are nearer to the loop's entries than to none. */
static bool lacks_first_turns(const struct rotation *r, const struct test *test, uint32_t loop)
{
	const struct pf_estimate *e = r->estimate;
	uint32_t body = e->graph->edges[test->into].to;
	const struct pf_group *turns = &r->groups[e->blocks[body].leader];
	uint64_t seen = e->edge_outcomes[test->into], entries;

	if (!has_one_way_in(e->graph, body) || !turns->known || turns->count <= seen ||
	    pf_counts_agree(turns->count, seen))
		return false;
	entries = count_entries(r, loop, e->edge_outcomes[test->out]);
	return turns->count - seen > entries / 2 && turns->count - seen < entries + entries / 2;
}

static void settle_test(struct rotation *r, uint32_t b)
{
	struct pf_estimate_block *block = &r->estimate->blocks[b];
	uint32_t loop = r->loops.innermost[b];
	struct test test;

	if (loop == PF_NO_LOOP || block->outcomes == 0 || block->partial || block->copied ||
	    !find_test(r, b, loop, &test) || !is_on_top(r, b, loop) || !lacks_first_turns(r, &test, loop))
		return;
	block->partial = true;
	r->groups[block->leader].least = true;
}

int pf_rotated_settle(struct pf_estimate *estimate, struct pf_group *groups)
{
	struct rotation r = { .estimate = estimate, .groups = groups };

	if (pf_loops_init(&r.loops, estimate->graph) != 0)
		return -1;
	for (uint32_t b = 0; b < estimate->graph->block_count; b++)
		settle_test(&r, b);
	pf_loops_fini(&r.loops);
	return 0;
}
