/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominators, post-dominators, equivalence and loops against their definitions, evaluated by taking blocks out of
 * random graphs and looking at what is still reached; and against true counts. */
#include "flow/dominators.h"
#include "flow/equivalence.h"
#include "flow/loops.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <string.h>

#define LIMIT 40

/* What FROM reaches in one step or more without passing WITHOUT; the ends lead back to ENTRY if CYCLIC. */
static void reach(const struct pf_graph *g, uint32_t from, uint32_t without, bool cyclic, bool *seen)
{
	bool active[LIMIT] = { 0 }, changed = true;

	memset(seen, 0, LIMIT);
	active[from] = true;
	while (changed) {
		changed = false;
		for (uint32_t e = 0; e <= g->edge_count; e++) {
			uint32_t a = e < g->edge_count ? g->edges[e].from : g->exit;
			uint32_t b = e < g->edge_count ? g->edges[e].to : g->entry;
			if ((e == g->edge_count && !cyclic) || !active[a] || b == without || seen[b])
				continue;
			seen[b] = active[b] = changed = true;
		}
	}
}

static bool on_cycle_without(const struct pf_graph *g, uint32_t block, uint32_t without)
{
	bool seen[LIMIT];

	reach(g, block, without, true, seen);
	return seen[block];
}

static bool reaches_without(const struct pf_graph *g, uint32_t from, uint32_t to, uint32_t without)
{
	bool seen[LIMIT];

	if (from == without)
		return false;
	reach(g, from, without, false, seen);
	return from == to || seen[to];
}

START_TEST(dominance_by_definition)
{
	for (unsigned seed = 1; seed <= 120; seed++) {
		struct flow_random r = flow_seed(seed);
		uint32_t count = 3 + flow_below(&r, LIMIT - 3);
		struct pf_graph *g = flow_random_graph(&r, count);
		struct pf_dominators dom, post;
		ck_assert_int_eq(pf_dominators_init(&dom, g), 0);
		ck_assert_int_eq(pf_postdominators_init(&post, g), 0);
		for (uint32_t a = 0; a < count; a++) {
			for (uint32_t b = 0; b < count; b++) {
				ck_assert_int_eq(pf_dominates(&dom, a, b),
						 !reaches_without(g, g->entry, b, a) || a == b);
				ck_assert_int_eq(pf_dominates(&post, a, b),
						 !reaches_without(g, b, g->exit, a) || a == b);
			}
			if (a != g->entry)
				ck_assert(pf_dominates(&dom, dom.parent[a], a));
		}
		ck_assert_uint_eq(dom.parent[g->entry], PF_NO_BLOCK);
		ck_assert_uint_eq(post.parent[g->exit], PF_NO_BLOCK);
		pf_dominators_fini(&dom);
		pf_dominators_fini(&post);
		pf_graph_free(g);
	}
}
END_TEST

START_TEST(equivalence_by_definition)
{
	uint32_t together = 0, apart = 0;

	for (unsigned seed = 1; seed <= 120; seed++) {
		struct flow_random r = flow_seed(500 + seed);
		uint32_t count = 3 + flow_below(&r, LIMIT - 3), classes[LIMIT];
		struct pf_graph *g = flow_random_graph(&r, count);
		ck_assert_int_eq(pf_equivalence(g, classes), 0);
		for (uint32_t a = 0; a < count; a++) {
			for (uint32_t b = 0; b < a; b++) {
				bool want = !on_cycle_without(g, a, b) && !on_cycle_without(g, b, a);
				ck_assert_msg((classes[a] == classes[b]) == want, "seed %u: %u and %u", seed, a, b);
				together += want;
				apart += !want;
			}
			ck_assert_uint_le(classes[a], a);
			ck_assert_uint_eq(classes[classes[a]], classes[a]);
		}
		pf_graph_free(g);
	}
	ck_assert_uint_gt(together, 100);
	ck_assert_uint_gt(apart, 100);
}
END_TEST

/* Blocks of one class did run equally often. */
START_TEST(equivalent_blocks_have_equal_counts)
{
	for (unsigned seed = 1; seed <= 30; seed++) {
		struct flow_random r = flow_seed(900 + seed);
		struct pf_graph *g = flow_random_graph(&r, 300);
		double *probability = calloc(g->edge_count, sizeof(*probability));
		uint32_t classes[300];
		flow_random_guesses(&r, g, probability, 0);
		flow_walk(&r, g, probability, 300, 300000);
		ck_assert_int_eq(pf_equivalence(g, classes), 0);
		for (uint32_t b = 0; b < 300; b++)
			ck_assert_uint_eq(g->blocks[b].count, g->blocks[classes[b]].count);
		free(probability);
		pf_graph_free(g);
	}
}
END_TEST

static struct pf_graph *graph_of(uint32_t blocks, const uint32_t (*edges)[2], uint32_t edge_count)
{
	struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);

	for (uint32_t i = 0; i < edge_count; i++)
		pf_graph_add_edge(g, edges[i][0], edges[i][1]);
	ck_assert_int_eq(pf_graph_finish(g), 0);
	return g;
}

#define GRAPH(blocks, ...)                                                                                             \
	graph_of(blocks, (const uint32_t[][2]) { __VA_ARGS__ },                                                        \
		 sizeof((const uint32_t[][2]) { __VA_ARGS__ }) / sizeof(uint32_t[2]))

/* Two back edges to one header, only one of which passes block 2: 1 dominates 2, 2 post-dominates 1, yet 1 runs more.
 */
START_TEST(shared_header_is_not_equivalent)
{
	struct pf_graph *g = GRAPH(5, { 0, 1 }, { 1, 2 }, { 1, 1 }, { 2, 1 }, { 2, 3 }, { 3, 4 });
	uint32_t classes[5];
	ck_assert_int_eq(pf_equivalence(g, classes), 0);
	ck_assert_uint_ne(classes[1], classes[2]);
	ck_assert_uint_eq(classes[3], 0);
	ck_assert_uint_eq(classes[4], 0);
	pf_graph_free(g);
}
END_TEST

/* A function that ends in EXIT, in a block that never returns, and in an infinite loop of 4 and 5. */
START_TEST(many_ends)
{
	struct pf_graph *g = GRAPH(7, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 3, 4 }, { 4, 5 }, { 5, 4 }, { 3, 6 });
	struct pf_dominators post;
	uint32_t classes[7];
	ck_assert_int_eq(pf_postdominators_init(&post, g), 0);
	ck_assert_uint_eq(post.parent[0], 1);
	ck_assert_uint_eq(post.parent[1], PF_NO_BLOCK);
	ck_assert_uint_eq(post.parent[4], 5);
	ck_assert(!pf_dominates(&post, 6, 3));
	ck_assert_int_eq(pf_equivalence(g, classes), 0);
	ck_assert_uint_eq(classes[1], 0);
	ck_assert_uint_eq(classes[5], 4);
	ck_assert_uint_eq(classes[6], 6);
	pf_dominators_fini(&post);
	pf_graph_free(g);
}
END_TEST

/* Is LOOP the loop INNER or around it?  PF_NO_LOOP is around everything. */
static bool loop_contains(const struct pf_loops *loops, uint32_t loop, uint32_t inner)
{
	while (inner != PF_NO_LOOP && inner != loop)
		inner = loops->loops[inner].parent;
	return inner == loop;
}

/* 1 { 2 { 3 } 4 } and a self loop at 5: headers, depths, sizes. */
START_TEST(nested_loops)
{
	struct pf_graph *g =
	    GRAPH(7, { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 2 }, { 3, 4 }, { 4, 1 }, { 4, 5 }, { 5, 5 }, { 5, 6 });
	struct pf_loops loops;
	ck_assert_int_eq(pf_loops_init(&loops, g), 0);
	ck_assert_uint_eq(loops.count, 3);
	uint32_t inner = loops.innermost[3], outer = loops.innermost[4], self = loops.innermost[5];
	ck_assert_uint_eq(loops.innermost[2], inner);
	ck_assert_uint_eq(loops.innermost[1], outer);
	ck_assert_uint_eq(loops.innermost[0], PF_NO_LOOP);
	ck_assert_uint_eq(loops.innermost[6], PF_NO_LOOP);
	ck_assert_uint_eq(loops.loops[inner].header, 2);
	ck_assert_uint_eq(loops.loops[inner].parent, outer);
	ck_assert_uint_eq(loops.loops[inner].depth, 2);
	ck_assert_uint_eq(loops.loops[inner].blocks, 2);
	ck_assert_uint_eq(loops.loops[outer].header, 1);
	ck_assert_uint_eq(loops.loops[outer].blocks, 4);
	ck_assert_uint_eq(loops.loops[outer].parent, PF_NO_LOOP);
	ck_assert_uint_eq(loops.loops[self].header, 5);
	ck_assert(!loops.loops[inner].irreducible && !loops.loops[outer].irreducible && !loops.loops[self].irreducible);
	ck_assert(loop_contains(&loops, outer, inner));
	ck_assert(!loop_contains(&loops, inner, outer));
	ck_assert(loop_contains(&loops, PF_NO_LOOP, self));
	pf_loops_fini(&loops);
	pf_graph_free(g);
}
END_TEST

/* The classic: a cycle of 1 and 2, both entered from 0. */
START_TEST(irreducible_is_named)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 0, 2 }, { 1, 2 }, { 2, 1 }, { 2, 3 });
	struct pf_loops loops;
	ck_assert_int_eq(pf_loops_init(&loops, g), 0);
	ck_assert_uint_eq(loops.count, 1);
	ck_assert(loops.loops[0].irreducible);
	ck_assert_uint_eq(loops.loops[0].blocks, 2);
	pf_loops_fini(&loops);
	pf_graph_free(g);
}
END_TEST

/* A back edge (its target dominates its source) makes its target the header of a loop around both; a loop that is not
 * irreducible has a header that dominates all of it. */
START_TEST(loops_agree_with_dominators)
{
	uint32_t irreducible = 0, natural = 0;

	for (unsigned seed = 1; seed <= 100; seed++) {
		struct flow_random r = flow_seed(3000 + seed);
		struct pf_graph *g = flow_random_graph(&r, 60);
		struct pf_dominators dom;
		struct pf_loops loops;
		ck_assert_int_eq(pf_dominators_init(&dom, g), 0);
		ck_assert_int_eq(pf_loops_init(&loops, g), 0);
		for (uint32_t e = 0; e < g->edge_count; e++) {
			uint32_t from = g->edges[e].from, to = g->edges[e].to;
			if (!pf_dominates(&dom, to, from))
				continue;
			ck_assert_uint_ne(loops.innermost[to], PF_NO_LOOP);
			ck_assert(loop_contains(&loops, loops.innermost[to], loops.innermost[from]) ||
				  loops.loops[loops.innermost[to]].header != to);
			natural++;
		}
		for (uint32_t b = 0; b < 60; b++) {
			uint32_t loop = loops.innermost[b];
			if (loop == PF_NO_LOOP)
				continue;
			irreducible += loops.loops[loop].irreducible;
			ck_assert(loops.loops[loop].irreducible || pf_dominates(&dom, loops.loops[loop].header, b));
		}
		pf_loops_fini(&loops);
		pf_dominators_fini(&dom);
		pf_graph_free(g);
	}
	ck_assert_uint_gt(irreducible, 0);
	ck_assert_uint_gt(natural, 0);
}
END_TEST

/* 100,000 blocks in a row, in one loop: no recursion, no quadratic work. */
START_TEST(long_chain)
{
	enum { LENGTH = 100000 };
	struct pf_graph *g = pf_graph_alloc(LENGTH, 0, LENGTH - 1);
	for (uint32_t b = 0; b + 1 < LENGTH; b++)
		pf_graph_add_edge(g, b, b + 1);
	pf_graph_add_edge(g, LENGTH - 2, 1);
	ck_assert_int_eq(pf_graph_finish(g), 0);
	struct pf_dominators dom;
	struct pf_loops loops;
	uint32_t *classes = calloc(LENGTH, sizeof(*classes));
	ck_assert_int_eq(pf_dominators_init(&dom, g), 0);
	ck_assert_int_eq(pf_loops_init(&loops, g), 0);
	ck_assert_int_eq(pf_equivalence(g, classes), 0);
	ck_assert_uint_eq(loops.count, 1);
	ck_assert_uint_eq(dom.parent[LENGTH - 1], LENGTH - 2);
	ck_assert_uint_eq(classes[LENGTH - 1], 0);
	ck_assert_uint_eq(classes[LENGTH - 2], 1);
	free(classes);
	pf_loops_fini(&loops);
	pf_dominators_fini(&dom);
	pf_graph_free(g);
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-structure", dominance_by_definition, equivalence_by_definition,
			 equivalent_blocks_have_equal_counts, shared_header_is_not_equivalent, many_ends, nested_loops,
			 irreducible_is_named, loops_agree_with_dominators, long_chain);
}
