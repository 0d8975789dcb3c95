/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Superblocks against graphs computed by hand, and against random programs whose branches depend on the two before:
 * the graph with the copies is run again, and what it says of itself must be what is seen. */
#include "flow/superblock.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <math.h>
#include <string.h>

#define LIMIT 400
#define PATHS 20000

/* ENTRY 0, a branch 1 to 2 and 3, a join 4, the branch 5, 6 and 7 behind it, EXIT 8.  Edge by edge the second branch
 * goes either way as often; it goes as the first one did. */
static const struct {
	uint32_t from, to, decision;
	uint64_t count;
} correlated[] = {
	{ 0, 1, 0, 100000 }, { 1, 2, 1, 50000 }, { 1, 3, 2, 50000 }, { 2, 4, 0, 50000 }, { 3, 4, 0, 50000 },
	{ 4, 5, 0, 100000 }, { 5, 6, 3, 50000 }, { 5, 7, 4, 50000 }, { 6, 8, 0, 50000 }, { 7, 8, 0, 50000 },
};
static const struct pf_history_path together[] = {
	{ 50000, 2, { 1, 3 } }, { 50000, 2, { 2, 4 } }, { 50000, 1, { 1 } }, { 50000, 1, { 2 } }
};

struct example {
	struct pf_graph *graph;
	struct pf_history history;
	uint32_t decisions[LIMIT], sizes[LIMIT];
	bool fixed[LIMIT], rigid[LIMIT];
	struct pf_superblock_task task;
};

static void set_task(struct example *x)
{
	x->task = (struct pf_superblock_task) { x->graph, &x->history, x->decisions, x->sizes, x->fixed,
						x->rigid, 0.6,         16,           100,      100 };
}

static void take_example(struct example *x, const struct pf_history_path *paths, size_t count)
{
	memset(x, 0, sizeof *x);
	x->graph = pf_graph_alloc(9, 0, 8);
	for (uint32_t e = 0; e < 10; e++) {
		pf_graph_add_edge(x->graph, correlated[e].from, correlated[e].to);
		x->graph->edges[e].count = correlated[e].count;
		x->graph->blocks[correlated[e].to].count += correlated[e].count;
		x->decisions[e] = correlated[e].decision;
	}
	x->graph->blocks[0].count = 100000;
	for (uint32_t b = 0; b < 9; b++)
		x->sizes[b] = 5;
	ck_assert_int_eq(pf_graph_finish(x->graph), 0);
	ck_assert_int_eq(pf_history_init(&x->history, paths, count), 0);
	set_task(x);
}

static void end_example(struct example *x)
{
	pf_history_fini(&x->history);
	pf_graph_free(x->graph);
}

static uint32_t copies_of(const struct example *x)
{
	struct pf_superblocks result;

	ck_assert_int_eq(pf_superblocks_form(&x->task, &result), 0);
	uint32_t count = result.count;
	pf_superblocks_fini(&result);
	return count;
}

static uint64_t count_of(const struct pf_graph *g, uint32_t from, uint32_t to)
{
	for (uint32_t e = 0; e < g->edge_count; e++) {
		if (g->edges[e].from == from && g->edges[e].to == to)
			return g->edges[e].count;
	}
	ck_abort_msg("no edge from %u to %u", from, to);
}

/* The share of the copy's branch is (50,000 + 16 / 2) / (50,000 + 16), which of 50,000 is 49,992. */
START_TEST(paths_tell_what_edges_do_not)
{
	struct pf_superblocks result;
	struct example x;

	take_example(&x, together, 4);
	ck_assert_int_eq(pf_superblocks_form(&x.task, &result), 0);
	ck_assert_uint_eq(result.count, 2);
	ck_assert_uint_eq(result.copies[0].from, 2);
	ck_assert_uint_eq(result.copies[0].block, 4);
	ck_assert_uint_eq(result.copies[0].copy, 9);
	ck_assert_uint_eq(result.copies[1].from, 9);
	ck_assert_uint_eq(result.copies[1].block, 5);
	ck_assert_uint_eq(result.copies[1].copy, 10);
	ck_assert_uint_eq(count_of(result.graph, 2, 9), 50000);
	ck_assert_uint_eq(count_of(result.graph, 10, 6), 49992);
	ck_assert_uint_eq(count_of(result.graph, 10, 7), 8);
	ck_assert_uint_eq(count_of(result.graph, 5, 6), 8);
	ck_assert_uint_eq(count_of(result.graph, 5, 7), 49992);
	ck_assert_uint_eq(result.size, 10);
	ck_assert_double_eq(result.saved, 49992 + 49992 - 50000);
	pf_superblocks_fini(&result);
	end_example(&x);
}
END_TEST

START_TEST(nothing_is_copied_for_nothing)
{
	static const struct pf_history_path apart[] = { { 25000, 2, { 1, 3 } }, { 25000, 2, { 1, 4 } },
							{ 25000, 2, { 2, 3 } }, { 25000, 2, { 2, 4 } },
							{ 50000, 1, { 3 } },    { 50000, 1, { 4 } } };
	static const struct pf_history_path other[] = {
		{ 50000, 2, { 1, 3 } }, { 5000, 2, { 2, 4 } }, { 50000, 1, { 3 } }, { 5000, 1, { 4 } }
	};
	struct example x;

	take_example(&x, apart, 6); /* independent of each other */
	ck_assert_uint_eq(copies_of(&x), 0);
	end_example(&x);
	take_example(&x, other, 4); /* 10 to 1 is not what the edges say */
	ck_assert_uint_eq(copies_of(&x), 0);
	end_example(&x);
	take_example(&x, NULL, 0);
	ck_assert_uint_eq(copies_of(&x), 0);
	end_example(&x);
}
END_TEST

/* 49,984 saved for 10 instructions are 4,998.4 for each. */
START_TEST(limits_hold)
{
	struct example x;

	take_example(&x, together, 4);
	x.task.price = 4998;
	ck_assert_uint_eq(copies_of(&x), 2);
	x.task.price = 4999;
	ck_assert_uint_eq(copies_of(&x), 0);
	x.task.price = 100;
	x.task.budget = 10;
	ck_assert_uint_eq(copies_of(&x), 2);
	x.task.budget = 9;
	ck_assert_uint_eq(copies_of(&x), 0);
	x.task.budget = 100;
	x.fixed[5] = true;
	ck_assert_uint_eq(copies_of(&x), 0);
	x.fixed[5] = false;
	x.rigid[5] = true;
	ck_assert_uint_eq(copies_of(&x), 0);
	end_example(&x);
}
END_TEST

/* Of 1000 sightings half and half, 4 standard deviations are 63: 560 is less, 570 more. */
START_TEST(chance_tells_nothing)
{
	static const struct pf_history_path paths[] = {
		{ 560, 2, { 1, 5 } },
		{ 440, 2, { 1, 6 } },
		{ 570, 2, { 2, 5 } },
		{ 430, 2, { 2, 6 } },
	};
	const uint32_t past[] = { 1, 2 }, ways[] = { 5, 6 };
	double given[] = { 0.5, 0.5 };
	struct pf_history history;

	ck_assert_int_eq(pf_history_init(&history, paths, 4), 0);
	pf_history_predict(&history, past, 1, ways, 2, 16, given);
	ck_assert_double_eq_tol(given[0], 0.5, 1e-12);
	pf_history_predict(&history, past + 1, 1, ways, 2, 16, given);
	ck_assert_double_eq_tol(given[0], 578.0 / 1016, 1e-12);
	pf_history_fini(&history);
}
END_TEST

/* A branch that is the exclusive or of the two before it: one decision of the past says nothing, two say all.  With a
 * prior of 16 and 1,000 sightings the first step leaves 1/2, the second makes it (1,000 + 8) / 1,016. */
START_TEST(longer_pasts_tell_more)
{
	static const struct pf_history_path paths[] = {
		{ 1000, 3, { 1, 3, 5 } }, { 1000, 3, { 1, 4, 6 } }, { 1000, 3, { 2, 3, 6 } }, { 1000, 3, { 2, 4, 5 } },
		{ 1000, 2, { 1, 3 } },    { 1000, 2, { 1, 4 } },    { 1000, 2, { 2, 3 } },    { 1000, 2, { 2, 4 } },
	};
	const uint32_t past[] = { 1, 3 }, ways[] = { 5, 6 };
	double given[] = { 0.5, 0.5 };
	struct pf_history history;

	ck_assert_int_eq(pf_history_init(&history, paths, 8), 0);
	ck_assert_uint_eq(pf_history_count(&history, past, 2), 1000);
	ck_assert_uint_eq(pf_history_count(&history, past + 1, 1), 2000);
	pf_history_predict(&history, past + 1, 1, ways, 2, 16, given);
	ck_assert_double_eq_tol(given[0], 0.5, 1e-12);
	pf_history_predict(&history, past, 2, ways, 2, 16, given);
	ck_assert_double_eq_tol(given[0], 1008.0 / 1016, 1e-12);
	ck_assert_double_eq_tol(given[1], 8.0 / 1016, 1e-12);
	pf_history_fini(&history);
}
END_TEST

/* The way out of BLOCK at step STEP of a walk: it depends on the decisions before, mostly. */
static uint32_t choose(const struct pf_graph *g, struct flow_random *r, uint32_t block, uint32_t before,
		       uint32_t earlier)
{
	uint32_t ways = g->out_first[block + 1] - g->out_first[block];
	uint32_t mixed = (block * 7 + before * 13 + earlier * 29) >> 2;
	uint32_t pick = flow_below(r, 10) ? mixed % ways : flow_below(r, ways);

	return g->out_edges[g->out_first[block] + pick];
}

struct walks {
	struct pf_history_path *paths;
	size_t count;
	uint32_t *edges; /* of all walks, one after the other; each begins at ENTRY */
	size_t edge_count;
};

/* Walks of the graph that count it as they go. */
static void walk(struct walks *w, struct example *x, struct flow_random *r)
{
	struct pf_graph *g = x->graph;

	while (w->edge_count < PATHS - 200) {
		uint32_t block = g->entry, before = 0, earlier = 0;

		g->blocks[block].count++;
		for (uint32_t steps = 0; block != g->exit; steps++) {
			uint32_t e =
			    steps < 100 ? choose(g, r, block, before, earlier) : g->out_edges[g->out_first[block]];

			w->edges[w->edge_count++] = e;
			g->edges[e].count++;
			earlier = x->decisions[e] ? before : earlier;
			before = x->decisions[e] ? x->decisions[e] : before;
			block = g->edges[e].to;
			g->blocks[block].count++;
		}
	}
}

/* A path of four decisions ends with each. */
static void take_paths(struct walks *w, const struct example *x)
{
	uint32_t *taken = calloc(w->edge_count + 1, sizeof *taken);
	size_t count = 0;

	for (size_t i = 0; i < w->edge_count; i++) {
		if (x->decisions[w->edges[i]])
			taken[count++] = x->decisions[w->edges[i]];
	}
	for (size_t i = 0; i < count; i++) {
		struct pf_history_path *p = &w->paths[w->count++];

		p->count = 1;
		p->length = i < 3 ? (uint32_t)i + 1 : 4;
		memcpy(p->decisions, taken + i + 1 - p->length, p->length * sizeof *taken);
	}
	free(taken);
}

static void random_example(struct example *x, struct walks *w, struct flow_random *r)
{
	uint32_t blocks = 6 + flow_below(r, 40);

	memset(x, 0, sizeof *x);
	x->graph = flow_random_graph(r, blocks);
	for (uint32_t e = 0; e < x->graph->edge_count; e++) {
		uint32_t from = x->graph->edges[e].from;

		if (x->graph->out_first[from + 1] - x->graph->out_first[from] > 1 && from % 9)
			x->decisions[e] = e + 1;
		x->rigid[e] = flow_below(r, 30) == 0;
	}
	for (uint32_t b = 0; b < blocks; b++) {
		x->sizes[b] = flow_below(r, 6);
		x->fixed[b] = flow_below(r, 12) == 0;
	}
	*w = (struct walks) { calloc(PATHS, sizeof *w->paths), 0, calloc(PATHS, sizeof *w->edges), 0 };
	walk(w, x, r);
	take_paths(w, x);
	ck_assert_int_eq(pf_history_init(&x->history, w->paths, w->count), 0);
	set_task(x);
	x->task.price = 1 + flow_below(r, 40);
	x->task.budget = flow_below(r, 120);
}

/* What is taken if each block is followed by its most frequent successor. */
static double taken(const struct pf_graph *g)
{
	double sum = 0;

	for (uint32_t b = 0; b < g->block_count; b++) {
		uint64_t all = 0, most = 0;

		for (uint32_t i = g->out_first[b]; i < g->out_first[b + 1]; i++) {
			uint64_t count = g->edges[g->out_edges[i]].count;

			all += count;
			most = count > most ? count : most;
		}
		sum += (double)(all - most);
	}
	return sum;
}

/* Every block has the ways that its original has, in the same order: each way through the one graph is one through the
 * other.  ORIGIN is filled in. */
static void check_same_ways(const struct pf_superblocks *s, const struct example *x, uint32_t *origin)
{
	const struct pf_graph *old = x->graph, *new = s->graph;
	uint64_t size = 0;

	ck_assert_uint_eq(new->block_count, old->block_count + s->count);
	for (uint32_t b = 0; b < old->block_count; b++)
		origin[b] = b;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t from = origin[s->copies[i].block];

		ck_assert_uint_eq(s->copies[i].copy, old->block_count + i);
		ck_assert_msg(!x->fixed[from], "block %u may not be copied", from);
		origin[s->copies[i].copy] = from;
		size += x->sizes[from] ? x->sizes[from] : 1;
	}
	ck_assert_uint_eq(size, s->size);
	ck_assert_uint_le(size, x->task.budget);
	for (uint32_t b = 0; b < new->block_count; b++) {
		uint32_t o = origin[b];

		ck_assert_uint_eq(new->out_first[b + 1] - new->out_first[b], old->out_first[o + 1] - old->out_first[o]);
		for (uint32_t i = 0; i < new->out_first[b + 1] - new->out_first[b]; i++)
			ck_assert_uint_eq(origin[new->edges[new->out_edges[new->out_first[b] + i]].to],
					  old->edges[old->out_edges[old->out_first[o] + i]].to);
	}
}

/* Runs the walks through the graph with the copies and counts it anew. */
static void walk_again(struct pf_graph *new, const struct pf_graph *old, const struct walks *w)
{
	uint32_t block = new->entry;

	for (uint32_t e = 0; e < new->edge_count; e++)
		new->edges[e].count = 0;
	for (size_t i = 0; i < w->edge_count; i++) {
		uint32_t from = old->edges[w->edges[i]].from, k = 0;

		if (from == old->entry)
			block = new->entry;
		while (old->out_edges[old->out_first[from] + k] != w->edges[i])
			k++;
		k = new->out_edges[new->out_first[block] + k];
		new->edges[k].count++;
		block = new->edges[k].to;
	}
}

START_TEST(random_programs_keep_their_ways)
{
	double claimed = 0, seen = 0;
	uint32_t copies = 0;

	for (unsigned seed = 1; seed <= 150; seed++) {
		struct flow_random r = flow_seed(seed);
		struct pf_superblocks s, again;
		uint32_t origin[LIMIT];
		struct example x;
		struct walks w;
		char text[200];

		random_example(&x, &w, &r);
		ck_assert_int_eq(pf_superblocks_form(&x.task, &s), 0);
		check_same_ways(&s, &x, origin);
		ck_assert_msg(flow_conserved(x.graph, text, sizeof text) && flow_conserved(s.graph, text, sizeof text),
			      "seed %u: %s", seed, text);
		ck_assert_double_eq_tol(taken(x.graph) - taken(s.graph), s.saved, 1e-6);
		ck_assert_double_ge(s.saved, x.task.price * (double)s.size);
		ck_assert_int_eq(pf_superblocks_form(&x.task, &again), 0);
		ck_assert_uint_eq(again.count, s.count);
		if (s.count)
			ck_assert_mem_eq(again.copies, s.copies, s.count * sizeof *s.copies);
		claimed += s.saved;
		copies += s.count;
		walk_again(s.graph, x.graph, &w);
		seen += taken(x.graph) - taken(s.graph);
		pf_superblocks_fini(&again);
		pf_superblocks_fini(&s);
		free(w.paths);
		free(w.edges);
		end_example(&x);
	}
	printf("%u copies save %.0f taken branches, %.0f are seen\n", copies, claimed, seen);
	ck_assert_uint_gt(copies, 300);
	ck_assert_double_ge(seen, claimed * 0.8);
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-superblock", paths_tell_what_edges_do_not, nothing_is_copied_for_nothing, limits_hold,
			 longer_pasts_tell_more, chance_tells_nothing, random_programs_keep_their_ways);
}
