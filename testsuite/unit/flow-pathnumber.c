/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path numbers: an example that is worked out by hand, and random graphs in which all paths are walked. */
#include "flow/pathnumber.h"
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

	ck_assert_int_eq(pf_pathnumber_init(&n, g, PF_PATHNUMBER_REGION), 0);
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

	ck_assert_int_eq(pf_pathnumber_init(&n, g, PF_PATHNUMBER_REGION), 0);
	ck_assert_uint_eq(n.count, 8);
	ck_assert_uint_eq(n.start_count, 2);
	ck_assert(n.cut[5] && !n.cut[6] && !n.cut[0]);
	ck_assert_uint_eq(n.first[HEAD], 4);
	pf_pathnumber_fini(&n);
	/* At most three ways on: HEAD has 4, and becomes a region of its own; ENTRY has one way, to its border. */
	ck_assert_int_eq(pf_pathnumber_init(&n, g, 3), 0);
	ck_assert(n.cut[0] && n.cut[5]);
	ck_assert_uint_eq(n.count, 5);
	pf_pathnumber_fini(&n);
	pf_graph_free(g);
}
END_TEST

/* Walks all paths from BLOCK on, and notes their numbers. */
static void walk(const struct pf_pathnumber *n, uint32_t start, uint32_t block, uint32_t *edges, uint32_t count,
		 uint8_t *seen)
{
	const struct pf_graph *g = n->graph;
	bool end =
	    g->out_first[block] == g->out_first[block + 1] || (count > 0 && pf_pathnumber_is_end(n, edges[count - 1]));
	uint32_t got[64], from;

	for (uint32_t i = g->out_first[block]; !end && i < g->out_first[block + 1]; i++) {
		edges[count] = g->out_edges[i];
		walk(n, start, g->edges[edges[count]].to, edges, count + 1, seen);
	}
	if (!end)
		return;
	uint64_t number = pf_pathnumber_of(n, start, edges, count);
	ck_assert_uint_lt(number, n->count);
	ck_assert_uint_eq(seen[number]++, 0);
	ck_assert_uint_eq(pf_pathnumber_path(n, number, &from, got), count);
	ck_assert_uint_eq(from, start);
	ck_assert(count == 0 || memcmp(got, edges, count * sizeof *edges) == 0);
}

/* Every path has one number of its own, and every number a path; whatever the bound, no region is above it. */
START_TEST(all_paths)
{
	static const uint64_t limits[] = { PF_PATHNUMBER_REGION, 7, 2, 1 };
	struct flow_random seed = flow_seed(1);

	for (int round = 0; round < 400; round++) {
		uint32_t blocks = 3 + flow_below(&seed, 9);
		struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);

		for (uint32_t e = 0; e < 2 * blocks; e++)
			pf_graph_add_edge(g, flow_below(&seed, blocks - 1), 1 + flow_below(&seed, blocks - 1));
		ck_assert_int_eq(pf_graph_finish(g), 0);
		for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
			struct pf_pathnumber n;
			uint32_t edges[64];
			uint8_t *seen;

			ck_assert_int_eq(pf_pathnumber_init(&n, g, limits[i]), 0);
			seen = calloc(n.count + 1, 1);
			for (uint32_t s = 0; s < n.start_count; s++)
				walk(&n, n.starts[s], n.starts[s], edges, 0, seen);
			for (uint64_t k = 0; k < n.count; k++)
				ck_assert_uint_eq(seen[k], 1);
			free(seen);
			pf_pathnumber_fini(&n);
		}
		pf_graph_free(g);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-pathnumber", ball_larus, loop, all_paths);
}
