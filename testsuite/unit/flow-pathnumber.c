/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path numbers: an example that is worked out by hand, and random graphs in which all paths are walked. */
#include "flow/pathchords.h"
#include "testsuite/unit/flow-random.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

static struct pf_graph *graph_of(uint32_t blocks, const uint32_t (*edges)[2], size_t count)
{
	struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);

	for (size_t i = 0; i < count; i++)
		pf_graph_add_edge(g, edges[i][0], edges[i][1]);
	ck_assert_int_eq(pf_graph_finish(g), 0);
	return g;
}

/* The graph of Ball and Larus's first example: A to F, of which six paths lead: ACDF, ACDEF, ABCDF, ABCDEF, ABDF,
 * ABDEF.  Numbers follow the order of the edges. */
START_TEST(ball_larus)
{
	enum { A, B, C, D, E, F };
	static const uint32_t edges[][2] = { { A, C }, { A, B }, { B, C }, { B, D },
					     { C, D }, { D, F }, { D, E }, { E, F } };
	static const uint32_t abcdef[] = { 1, 2, 4, 6, 7 };
	struct pf_graph *g = graph_of(6, edges, 8);
	struct pf_pathnumber n;
	uint32_t got[6], start;

	ck_assert_int_eq(pf_pathnumber_init(&n, g, NULL, PF_PATHNUMBER_REGION), 0);
	ck_assert_uint_eq(n.count, 6);
	ck_assert_uint_eq(n.ends[A], 6);
	ck_assert_uint_eq(n.ends[B], 4);
	ck_assert_uint_eq(n.ends[D], 2);
	ck_assert_uint_eq(n.ways[D], 3);
	/* A's first edge has 2 paths, so ABCDF is 2 and ABCDEF 3. */
	ck_assert_uint_eq(pf_pathnumber_of(&n, A, abcdef, 5), 3);
	ck_assert_uint_eq(pf_pathnumber_path(&n, 3, &start, got), 5);
	ck_assert_uint_eq(start, A);
	ck_assert_mem_eq(got, abcdef, sizeof abcdef);
	pf_pathnumber_fini(&n);
	pf_graph_free(g);
}
END_TEST

/* A loop: entry, head, two arms, latch back to the head, exit.  Paths of the entry: 2 arms, each back or out: 4; of the
 * head, after a turn: the same 4. */
START_TEST(loop)
{
	enum { ENTRY, HEAD, LEFT, RIGHT, LATCH, EXIT };
	static const uint32_t edges[][2] = { { ENTRY, HEAD },  { HEAD, LEFT },  { HEAD, RIGHT }, { LEFT, LATCH },
					     { RIGHT, LATCH }, { LATCH, HEAD }, { LATCH, EXIT } };
	struct pf_graph *g = graph_of(6, edges, 7);
	struct pf_pathnumber n;

	ck_assert_int_eq(pf_pathnumber_init(&n, g, NULL, PF_PATHNUMBER_REGION), 0);
	ck_assert_uint_eq(n.count, 8);
	ck_assert_uint_eq(n.start_count, 2);
	ck_assert(n.cut[5] && !n.cut[6] && !n.cut[0]);
	ck_assert_uint_eq(n.first[HEAD], 4);
	pf_pathnumber_fini(&n);
	/* At most three ways on: HEAD has 4, and becomes a region of its own; ENTRY has one way, to its border. */
	ck_assert_int_eq(pf_pathnumber_init(&n, g, NULL, 3), 0);
	ck_assert(n.cut[0] && n.cut[5]);
	ck_assert_uint_eq(n.count, 5);
	pf_pathnumber_fini(&n);
	pf_graph_free(g);
}
END_TEST

/* What a program that carries the sum along arrives at. */
static uint64_t carried(const struct pf_pathnumber *n, const uint64_t *potential, uint32_t start, const uint32_t *edges,
			uint32_t count)
{
	uint64_t sum = pf_pathchords_begin(n, potential, start);

	for (uint32_t i = 0; i < count; i++)
		sum += pf_pathchords_add(n, potential, edges[i]);
	if (count == 0 || !pf_pathnumber_is_end(n, edges[count - 1]))
		sum += potential[count > 0 ? n->graph->edges[edges[count - 1]].to : start];
	return sum;
}

/* Walks all paths from BLOCK on, and notes their numbers. */
static void walk(const struct pf_pathnumber *n, const uint64_t *potential, uint32_t start, uint32_t block,
		 uint32_t *edges, uint32_t count, uint8_t *seen)
{
	const struct pf_graph *g = n->graph;
	bool end =
	    g->out_first[block] == g->out_first[block + 1] || (count > 0 && pf_pathnumber_is_end(n, edges[count - 1]));
	uint32_t got[64], from;

	for (uint32_t i = g->out_first[block]; !end && i < g->out_first[block + 1]; i++) {
		edges[count] = g->out_edges[i];
		walk(n, potential, start, g->edges[edges[count]].to, edges, count + 1, seen);
	}
	if (!end)
		return;
	uint64_t number = pf_pathnumber_of(n, start, edges, count);
	ck_assert_uint_lt(number, n->count);
	ck_assert_uint_eq(carried(n, potential, start, edges, count), number);
	ck_assert_uint_eq(seen[number]++, 0);
	ck_assert_uint_eq(pf_pathnumber_path(n, number, &from, got), count);
	ck_assert_uint_eq(from, start);
	ck_assert(count == 0 || memcmp(got, edges, count * sizeof *edges) == 0);
}

static bool is_inner(const struct pf_pathnumber *n, uint32_t edge)
{
	return n->ends[n->graph->edges[edge].from] > 0 && !pf_pathnumber_is_end(n, edge);
}

/* An edge that adds something must join blocks that are joined already by edges that run as often and add nothing: else
 * the tree was not the heaviest. */
static void check_tree(const struct pf_pathnumber *n, const uint64_t *potential, const uint64_t *weight)
{
	const struct pf_graph *g = n->graph;

	for (uint32_t chord = 0; chord < g->edge_count; chord++) {
		uint32_t reached = UINT32_C(1) << g->edges[chord].from, before = 0;

		if (!is_inner(n, chord) || pf_pathchords_add(n, potential, chord) == 0)
			continue;
		while (reached != before) {
			before = reached;
			for (uint32_t e = 0; e < g->edge_count; e++) {
				uint32_t ends = UINT32_C(1) << g->edges[e].from | UINT32_C(1) << g->edges[e].to;

				if (is_inner(n, e) && weight[e] >= weight[chord] && reached & ends &&
				    pf_pathchords_add(n, potential, e) == 0)
					reached |= ends;
			}
		}
		ck_assert(reached >> g->edges[chord].to & 1);
	}
}

static void check_numbers(const struct pf_graph *g, const bool *cut, uint64_t limit, const uint64_t *weight)
{
	struct pf_pathnumber n;
	uint64_t potential[16];
	uint32_t edges[64];
	uint8_t *seen;

	ck_assert_int_eq(pf_pathnumber_init(&n, g, cut, limit), 0);
	ck_assert_int_eq(pf_pathchords(&n, weight, potential), 0);
	seen = calloc(n.count + 1, 1);
	for (uint32_t s = 0; s < n.start_count; s++)
		walk(&n, potential, n.starts[s], n.starts[s], edges, 0, seen);
	for (uint64_t k = 0; k < n.count; k++)
		ck_assert_uint_eq(seen[k], 1);
	for (uint32_t e = 0; cut && e < g->edge_count; e++)
		ck_assert(!cut[e] || n.cut[e]);
	free(seen);
	check_tree(&n, potential, weight);
	pf_pathnumber_fini(&n);
}

/* Every path has one number of its own, and every number a path, and the sum that is carried over the chords is that
 * number; whatever the bound and the cuts, no region is above it. */
START_TEST(all_paths)
{
	static const uint64_t limits[] = { PF_PATHNUMBER_REGION, 7, 2, 1 };
	struct flow_random seed = flow_seed(1);

	for (int round = 0; round < 400; round++) {
		uint32_t blocks = 3 + flow_below(&seed, 9);
		struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);
		uint64_t weight[32];
		bool cut[32];

		for (uint32_t e = 0; e < 2 * blocks; e++) {
			pf_graph_add_edge(g, flow_below(&seed, blocks - 1), 1 + flow_below(&seed, blocks - 1));
			weight[e] = flow_below(&seed, 1000);
			cut[e] = flow_below(&seed, 4) == 0;
		}
		ck_assert_int_eq(pf_graph_finish(g), 0);
		for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
			check_numbers(g, NULL, limits[i], weight);
			check_numbers(g, cut, limits[i], weight);
		}
		pf_graph_free(g);
	}
}
END_TEST

/* Ball and Larus's graph, with CD and DF as the edges that run most: these two and two others carry nothing. */
START_TEST(chords)
{
	enum { A, B, C, D, E, F };
	static const uint32_t edges[][2] = { { A, C }, { A, B }, { B, C }, { B, D },
					     { C, D }, { D, F }, { D, E }, { E, F } };
	static const uint64_t weight[] = { 5, 9, 1, 8, 20, 30, 2, 2 };
	struct pf_graph *g = graph_of(6, edges, 8);
	struct pf_pathnumber n;
	uint64_t potential[6];

	ck_assert_int_eq(pf_pathnumber_init(&n, g, NULL, PF_PATHNUMBER_REGION), 0);
	ck_assert_int_eq(pf_pathchords(&n, weight, potential), 0);
	/* Inside of paths: AB, BD, CD are the tree with DE; AC and BC are chords; DF and EF end. */
	ck_assert_uint_eq(pf_pathchords_begin(&n, potential, A), 0);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 1), 0);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 3), 0);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 4), 0);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 6), 0);
	/* AC begins with 0, ABC with 2, ABD with 4; what CD, in the tree, adds too little is 4. */
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 0), (uint64_t)-4);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 2), (uint64_t)-2);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 5), 4);
	ck_assert_uint_eq(pf_pathchords_add(&n, potential, 7), 5);
	pf_pathnumber_fini(&n);
	pf_graph_free(g);
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-pathnumber", ball_larus, loop, chords, all_paths);
}
