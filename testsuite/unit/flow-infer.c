/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Count inference on small graphs whose answers were worked out by hand, from the published costs. */
#include "flow/infer.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

static struct pf_graph *graph_of(uint32_t blocks, const uint32_t (*edges)[2], uint32_t edge_count)
{
	struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);

	ck_assert_ptr_nonnull(g);
	for (uint32_t i = 0; i < edge_count; i++)
		ck_assert_uint_eq(pf_graph_add_edge(g, edges[i][0], edges[i][1]), i);
	ck_assert_int_eq(pf_graph_finish(g), 0);
	return g;
}

#define GRAPH(blocks, ...)                                                                                             \
	graph_of(blocks, (const uint32_t[][2]) { __VA_ARGS__ },                                                        \
		 sizeof((const uint32_t[][2]) { __VA_ARGS__ }) / sizeof(uint32_t[2]))

static void measure(struct pf_graph *g, uint32_t block, uint64_t count)
{
	g->blocks[block].known = PF_MEASURED;
	g->blocks[block].count = count;
}

static void measure_edge(struct pf_graph *g, uint32_t edge, uint64_t count)
{
	g->edges[edge].known = PF_MEASURED;
	g->edges[edge].count = count;
}

static struct pf_infer_result infer(struct pf_graph *g)
{
	struct pf_infer_result result;
	char text[128];

	ck_assert_int_eq(pf_infer(g, NULL, &result), 0);
	ck_assert_msg(flow_conserved(g, text, sizeof(text)), "%s", text);
	return result;
}

#define CHECK_BLOCK(g, b, want) ck_assert_uint_eq((g)->blocks[b].count, want)
#define CHECK_EDGE(g, e, want) ck_assert_uint_eq((g)->edges[e].count, want)

/* 100 into 1; 1 goes to 2 (30) and 3 (70), which meet in 4. */
START_TEST(consistent_diamond_is_untouched)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 });
	const uint64_t want[] = { 100, 100, 30, 70, 100, 100 };
	for (uint32_t b = 0; b < 6; b++)
		measure(g, b, want[b]);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 0);
	ck_assert_uint_eq(r.islands, 0);
	ck_assert(!r.approximate);
	for (uint32_t b = 0; b < 6; b++)
		CHECK_BLOCK(g, b, want[b]);
	CHECK_EDGE(g, 1, 30);
	CHECK_EDGE(g, 4, 70);
	pf_graph_free(g);
}
END_TEST

/* 100 into 1; of its edges one ran 30 times at the least, and the arm behind it 80 times: raising costs nothing.  The
 * other diamond's arm is said to run 10 times: lowering the edge is dearer than raising the arm by 20 (20 * 10). */
START_TEST(at_least_is_raised_freely)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 });
	measure(g, 1, 100);
	measure(g, 2, 80);
	measure_edge(g, 1, 30);
	g->edges[1].known = PF_AT_LEAST;
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_EDGE(g, 1, 80);
	CHECK_EDGE(g, 2, 20);
	measure(g, 2, 10);
	measure_edge(g, 1, 30);
	g->edges[1].known = PF_AT_LEAST;
	ck_assert_uint_eq(infer(g).cost, 200);
	CHECK_EDGE(g, 1, 30);
	pf_graph_free(g);
}
END_TEST

/* 0 -> 1(100) -> 2(60) -> 3: raising 60 costs 40 * 10, lowering 100 costs 40 * 20. */
START_TEST(chain_is_raised)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 2, 3 });
	measure(g, 1, 100);
	measure(g, 2, 60);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 400);
	for (uint32_t b = 0; b < 4; b++)
		CHECK_BLOCK(g, b, 100);
	pf_graph_free(g);
}
END_TEST

/* The entry is lowered for 10 a unit rather than its successor raised for 10... made decisive by two successors. */
START_TEST(entry_yields)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 2, 3 });
	measure(g, 0, 100);
	measure(g, 1, 60);
	measure(g, 2, 60);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 400);
	CHECK_BLOCK(g, 0, 60);
	CHECK_BLOCK(g, 2, 60);
	pf_graph_free(g);
}
END_TEST

/* Edges are dearer than blocks: a block between two measured edges of 50 gets 50 whatever was measured for it. */
START_TEST(edges_win_over_blocks)
{
	struct pf_graph *g = GRAPH(3, { 0, 1 }, { 1, 2 });
	measure(g, 1, 90);
	measure_edge(g, 0, 50);
	measure_edge(g, 1, 50);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 40 * 20);
	CHECK_BLOCK(g, 1, 50);
	pf_graph_free(g);
}
END_TEST

/* A certain block moves last: three measured ones yield to it. */
START_TEST(certain_moves_last)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 });
	measure(g, 1, 100);
	measure(g, 2, 100);
	measure(g, 3, 10);
	measure(g, 4, 100);
	g->blocks[3].known = PF_CERTAIN;
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 3 * 90 * 20);
	for (uint32_t b = 0; b < 6; b++)
		CHECK_BLOCK(g, b, 10);
	pf_graph_free(g);
}
END_TEST

/* An unknown diamond below a measured block splits by its guesses: no arm gets a wrong zero. */
START_TEST(unknown_diamond_by_guess)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 });
	measure(g, 1, 1000);
	g->edges[1].guess = 0.3;
	g->edges[2].guess = 0.7;
	g->edges[2].fallthrough = true;
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, 2, 300);
	CHECK_BLOCK(g, 3, 700);
	CHECK_BLOCK(g, 5, 1000);
	pf_graph_free(g);
}
END_TEST

START_TEST(unknown_diamond_evenly)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 });
	measure(g, 1, 1000);
	infer(g);
	CHECK_BLOCK(g, 2, 500);
	CHECK_BLOCK(g, 3, 500);
	pf_graph_free(g);
}
END_TEST

/* 1(100) -> 2? | 3(60); 2? -> 3: the way through 2 gets what is free to go either way, by guess; nothing measured
 * moves. */
START_TEST(triangle_by_guess)
{
	struct pf_graph *g = GRAPH(5, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 3 }, { 3, 4 });
	measure(g, 1, 100);
	measure(g, 3, 100);
	g->edges[1].guess = 0.1;
	g->edges[2].guess = 0.9;
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, 2, 10);
	CHECK_BLOCK(g, 3, 100);
	pf_graph_free(g);
}
END_TEST

/* Two unknown diamonds in a row, where the join between them is measured lower than the first split: 1(100) goes
 * to 2? or 3?; 2 goes to 4(40) or 5(60), 3 goes to 4 or 5 too.  The guess of 2 against 3 is even and so stays, the
 * way to 4 and 5 is demanded. */
START_TEST(demand_meets_guess)
{
	struct pf_graph *g =
	    GRAPH(7, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 2, 5 }, { 3, 4 }, { 3, 5 }, { 4, 6 }, { 5, 6 });
	measure(g, 1, 1000);
	measure(g, 4, 400);
	measure(g, 5, 600);
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, 2, 500);
	CHECK_BLOCK(g, 3, 500);
	CHECK_EDGE(g, 3, 200);
	CHECK_EDGE(g, 6, 300);
	pf_graph_free(g);
}
END_TEST

/* A loop whose body was measured in a function of which nothing else is known: the guess of its latch, 0.9, says that
 * it was entered a tenth as often. */
START_TEST(loop_is_entered_by_guess)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 3 });
	measure(g, 1, 1000);
	g->edges[2].guess = 0.9;
	g->edges[3].guess = 0.1;
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 0);
	CHECK_BLOCK(g, 0, 100);
	CHECK_BLOCK(g, 1, 1000);
	CHECK_EDGE(g, 2, 900);
	pf_graph_free(g);
}
END_TEST

/* The same with the latch measured: an island, joined by one unit. */
START_TEST(island_is_joined)
{
	struct pf_graph *g = GRAPH(5, { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 3 }, { 3, 4 });
	measure(g, 1, 1000);
	measure(g, 2, 1000);
	measure_edge(g, 2, 1000);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.islands, 1);
	CHECK_BLOCK(g, 0, 1);
	CHECK_BLOCK(g, 1, 1001);
	CHECK_BLOCK(g, 3, 1);
	CHECK_EDGE(g, 2, 1000);
	pf_graph_free(g);
}
END_TEST

/* Flow keeps out of the unlikely arm even though it alone is a fall-through. */
START_TEST(unlikely_is_avoided)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 });
	measure(g, 1, 1000);
	g->blocks[2].unlikely = true;
	g->edges[1].fallthrough = true;
	g->edges[1].guess = 0.5;
	g->edges[2].guess = 0.5;
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, 2, 0);
	CHECK_BLOCK(g, 3, 1000);
	pf_graph_free(g);
}
END_TEST

/* A landing pad that was measured to run is not taken away because the only edge to it is unlikely. */
START_TEST(measured_landing_pad_keeps_its_count)
{
	struct pf_graph *g = GRAPH(5, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 });
	measure(g, 1, 1000);
	measure(g, 3, 50);
	g->edges[2].unlikely = true;
	g->blocks[3].unlikely = true;
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, 3, 50);
	CHECK_BLOCK(g, 2, 950);
	pf_graph_free(g);
}
END_TEST

/* Block 2 never returns: it drains, and ENTRY exceeds EXIT by what went there. */
START_TEST(noreturn_drains)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 1, 3 });
	measure(g, 0, 100);
	measure(g, 1, 100);
	measure(g, 2, 30);
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, 2, 30);
	CHECK_BLOCK(g, 3, 70);
	pf_graph_free(g);
}
END_TEST

/* A server: entered once, loops a million times, never returns. */
START_TEST(infinite_loop_drains)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 2, 1 });
	measure(g, 0, 1);
	measure(g, 1, 1000000);
	measure(g, 2, 1000000);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 0);
	ck_assert_uint_eq(r.islands, 0);
	CHECK_BLOCK(g, 1, 1000000);
	CHECK_EDGE(g, 0, 1);
	CHECK_EDGE(g, 2, 999999);
	CHECK_BLOCK(g, 3, 0);
	pf_graph_free(g);
}
END_TEST

/* Parallel edges share by guess, a self loop makes up for what does not come in. */
START_TEST(parallel_edges_and_self_loop)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 1, 2 }, { 2, 2 }, { 2, 3 });
	measure(g, 0, 100);
	measure(g, 2, 1000);
	g->edges[1].guess = 0.25;
	g->edges[2].guess = 0.75;
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_EDGE(g, 1, 25);
	CHECK_EDGE(g, 2, 75);
	CHECK_EDGE(g, 3, 900);
	CHECK_EDGE(g, 4, 100);
	pf_graph_free(g);
}
END_TEST

START_TEST(unreachable_is_zero)
{
	struct pf_graph *g = GRAPH(5, { 0, 1 }, { 1, 4 }, { 2, 3 }, { 3, 2 }, { 3, 1 });
	measure(g, 1, 10);
	measure(g, 2, 500);
	measure(g, 3, 500);
	infer(g);
	CHECK_BLOCK(g, 2, 0);
	CHECK_BLOCK(g, 3, 0);
	CHECK_BLOCK(g, 1, 10);
	pf_graph_free(g);
}
END_TEST

/* Nothing measured: the shape of the guesses.  Entry 1; loop of 1 and 2 with a back edge of 0.75 runs four times. */
START_TEST(nothing_known_gives_guesses)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 3 });
	g->edges[2].guess = 0.75;
	g->edges[3].guess = 0.25;
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 0);
	ck_assert_uint_gt(g->blocks[0].count, 0);
	ck_assert_uint_eq(g->blocks[1].count, 4 * g->blocks[0].count);
	ck_assert_uint_eq(g->edges[2].count, 3 * g->blocks[0].count);
	pf_graph_free(g);
}
END_TEST

/* Everything measured as zero stays zero. */
START_TEST(all_zero)
{
	struct pf_graph *g = GRAPH(4, { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 3 });
	for (uint32_t b = 0; b < 4; b++)
		measure(g, b, 0);
	ck_assert_uint_eq(infer(g).cost, 0);
	for (uint32_t b = 0; b < 4; b++)
		CHECK_BLOCK(g, b, 0);
	pf_graph_free(g);
}
END_TEST

/* A long unknown detour does not talk a measured count away. */
START_TEST(detour_costs_nothing)
{
	enum { LENGTH = 200 };
	struct pf_graph *g = pf_graph_alloc(LENGTH + 2, 0, LENGTH + 1);
	for (uint32_t b = 0; b <= LENGTH; b++)
		pf_graph_add_edge(g, b, b + 1);
	ck_assert_int_eq(pf_graph_finish(g), 0);
	measure(g, 1, 77);
	ck_assert_uint_eq(infer(g).cost, 0);
	CHECK_BLOCK(g, LENGTH, 77);
	pf_graph_free(g);
}
END_TEST

/* Counts beyond any real run neither overflow nor break conservation. */
START_TEST(huge_counts)
{
	struct pf_graph *g = GRAPH(6, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 });
	measure(g, 1, UINT64_MAX);
	measure(g, 2, UINT64_MAX / 2);
	measure(g, 3, 1);
	measure_edge(g, 5, UINT64_MAX);
	infer(g);
	ck_assert_uint_gt(g->blocks[1].count, UINT64_MAX / 2);
	pf_graph_free(g);
}
END_TEST

START_TEST(single_block)
{
	struct pf_graph *g = pf_graph_alloc(1, 0, 0);
	ck_assert_int_eq(pf_graph_finish(g), 0);
	measure(g, 0, 7);
	ck_assert_int_eq(pf_infer(g, NULL, NULL), 0);
	CHECK_BLOCK(g, 0, 7);
	pf_graph_free(g);
	ck_assert_ptr_null(pf_graph_alloc(0, 0, 0));
	ck_assert_ptr_null(pf_graph_alloc(2, 0, 2));
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-infer", consistent_diamond_is_untouched, at_least_is_raised_freely, chain_is_raised,
			 entry_yields, edges_win_over_blocks, certain_moves_last, unknown_diamond_by_guess,
			 unknown_diamond_evenly, triangle_by_guess, demand_meets_guess, loop_is_entered_by_guess,
			 island_is_joined, unlikely_is_avoided, measured_landing_pad_keeps_its_count, noreturn_drains,
			 infinite_loop_drains, parallel_edges_and_self_loop, unreachable_is_zero,
			 nothing_known_gives_guesses, all_zero, detour_costs_nothing, huge_counts, single_block);
}
