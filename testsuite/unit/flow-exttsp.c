/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of blocks: against all orders of small functions, by a formula that is written down here once more; never
 * worse than the order given; the work on large functions. */
#include "flow/exttsp.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <string.h>

#define SMALL 8
#define LARGE 10000

static uint64_t sizes[LARGE], counts[LARGE];
static struct pf_arc arcs[LARGE * 3];
static uint32_t block_count, arc_count;

/* A graph of random walks (flow-random.h), as blocks and arcs with their true counts. */
static void random_function(uint64_t seed, uint32_t blocks)
{
	struct flow_random r = flow_seed(seed);
	struct pf_graph *g = flow_random_graph(&r, blocks);

	ck_assert_ptr_nonnull(g);
	block_count = blocks;
	arc_count = g->edge_count;
	memset(counts, 0, sizeof counts);
	for (uint32_t b = 0; b < blocks; b++)
		sizes[b] = 1 + flow_below(&r, 60);
	for (uint32_t e = 0; e < g->edge_count; e++) {
		arcs[e] = (struct pf_arc) { g->edges[e].from, g->edges[e].to, flow_below(&r, 1000), true };
		counts[arcs[e].to] += arcs[e].count;
		for (uint32_t other = 0; other < e; other++) {
			if (arcs[other].from == arcs[e].from)
				arcs[other].only = arcs[e].only = false;
		}
	}
	pf_graph_free(g);
}

static struct pf_exttsp_result run(uint32_t *order)
{
	struct pf_exttsp_result result;

	ck_assert_int_eq(pf_exttsp_order(block_count, sizes, counts, arcs, arc_count, order, &result), 0);
	return result;
}

/* The published formula, with what LLVM adds for a branch without a condition. */
static double score(const uint32_t *order)
{
	static double begin[LARGE];
	double sum = 0, at = 0;

	for (uint32_t i = 0; i < block_count; i++) {
		begin[order[i]] = at;
		at += (double)sizes[order[i]];
	}
	for (uint32_t i = 0; i < arc_count; i++) {
		double way = begin[arcs[i].to] - begin[arcs[i].from] - (double)sizes[arcs[i].from];
		double n = (double)arcs[i].count;

		if (way == 0)
			sum += arcs[i].only ? 1.05 * n : n;
		else if (way > 0 && way < 1024)
			sum += 0.1 * n * (1 - way / 1024);
		else if (way < 0 && way > -640)
			sum += 0.1 * n * (1 + way / 640);
	}
	return sum;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static double best_of_all(uint32_t *order, uint32_t from)
{
	double best = 0;

	if (from == block_count)
		return score(order);
	for (uint32_t i = from; i < block_count; i++) {
		double below;

		swap(&order[from], &order[i]);
		below = best_of_all(order, from + 1);
		swap(&order[from], &order[i]);
		best = below > best ? below : best;
	}
	return best;
}

START_TEST(near_the_best_of_all_orders)
{
	int functions = 150, best_found = 0;
	double sum = 0, worst = 1;

	for (int seed = 1; seed <= functions; seed++) {
		uint32_t order[SMALL], any[SMALL];
		double best, got;

		random_function((uint64_t)seed, SMALL);
		for (uint32_t i = 0; i < SMALL; i++)
			any[i] = i;
		best = best_of_all(any, 1);
		got = run(order).score;
		ck_assert_double_eq_tol(got, score(order), 1e-6 * best);
		best_found += got > best * (1 - 1e-9);
		sum += got / best;
		worst = got / best < worst ? got / best : worst;
	}
	ck_assert_int_gt(best_found, functions * 3 / 4);
	ck_assert_double_gt(sum / functions, 0.98);
	ck_assert_double_gt(worst, 0.8);
}
END_TEST

START_TEST(never_worse_than_the_order_given)
{
	static uint32_t order[LARGE], given[LARGE];
	static bool seen[LARGE];

	for (uint32_t i = 0; i < LARGE; i++)
		given[i] = i;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct pf_exttsp_result result;

		random_function(seed, 2 + (uint32_t)seed * 5);
		result = run(order);
		ck_assert_double_ge(score(order), score(given) * (1 - 1e-12));
		ck_assert_int_eq(result.kept, memcmp(order, given, block_count * sizeof *order) == 0);
		ck_assert_uint_eq(order[0], 0);
		memset(seen, 0, sizeof seen);
		for (uint32_t i = 0; i < block_count; i++) {
			ck_assert(!seen[order[i]]);
			seen[order[i]] = true;
		}
	}
}
END_TEST

/* A loop whose test stands in front and whose body seldom leaves: the body falls into the test, and the way out, which
 * was between them, lies behind.  By hand: 0 1 3 2 scores 1 + 99 for the two that fall through and .1 * 99 * (1 - 24 /
 * 640) for the way back; from 1 to 2 are 1 * .1 * (1 - 16 / 1024). */
START_TEST(a_loop_is_straightened)
{
	uint32_t order[4], expected[] = { 0, 1, 3, 2 };
	struct pf_exttsp_result result;

	block_count = arc_count = 4;
	arcs[0] = (struct pf_arc) { 0, 1, 1, false };
	arcs[1] = (struct pf_arc) { 1, 2, 1, false };
	arcs[2] = (struct pf_arc) { 1, 3, 99, false };
	arcs[3] = (struct pf_arc) { 3, 1, 99, false };
	sizes[0] = sizes[1] = sizes[2] = 8;
	sizes[3] = 16;
	counts[0] = counts[2] = 1;
	counts[1] = 100;
	counts[3] = 99;
	result = run(order);
	ck_assert_mem_eq(order, expected, sizeof expected);
	ck_assert_double_eq_tol(result.score, 1 + 99 + 9.9 * (1 - 24.0 / 640) + .1 * (1 - 16.0 / 1024), 1e-9);
}
END_TEST

/* The same where nothing but the test ends in a condition: the body falls into the test, which goes back while it
 * holds, and no jump but that one runs.  By hand: 0 3 1 2 scores 1.05 * 99 and 1, and for the ways back and in what
 * they score above; 0 1 3 2 has 1.05 and 99. */
START_TEST(a_loop_is_turned)
{
	uint32_t order[4], expected[] = { 0, 3, 1, 2 };
	struct pf_exttsp_result result;

	block_count = arc_count = 4;
	arcs[0] = (struct pf_arc) { 0, 1, 1, true };
	arcs[1] = (struct pf_arc) { 1, 2, 1, false };
	arcs[2] = (struct pf_arc) { 1, 3, 99, false };
	arcs[3] = (struct pf_arc) { 3, 1, 99, true };
	sizes[0] = sizes[1] = sizes[2] = 8;
	sizes[3] = 16;
	counts[0] = counts[2] = 1;
	counts[1] = 100;
	counts[3] = 99;
	result = run(order);
	ck_assert_mem_eq(order, expected, sizeof expected);
	ck_assert_double_eq_tol(result.score, 1.05 * 99 + 1 + 9.9 * (1 - 24.0 / 640) + .1 * (1 - 16.0 / 1024), 1e-9);
}
END_TEST

/* Ten times the blocks are at most twenty times the work. */
START_TEST(work_grows_nearly_in_line)
{
	static uint32_t order[LARGE];
	uint64_t small, large;

	random_function(3, LARGE / 10);
	small = run(order).judged;
	random_function(3, LARGE);
	large = run(order).judged;
	ck_assert_uint_lt(large, small * 20);
}
END_TEST

START_TEST(whatever_counts_say)
{
	uint32_t order[3];

	block_count = 3;
	arc_count = 4;
	arcs[0] = (struct pf_arc) { 0, 2, UINT64_MAX, false };
	arcs[1] = (struct pf_arc) { 2, 0, UINT64_MAX, false };
	arcs[2] = (struct pf_arc) { 1, 1, UINT64_MAX, false };
	arcs[3] = (struct pf_arc) { 1, 0, 0, false };
	for (uint32_t i = 0; i < 3; i++) {
		sizes[i] = i;
		counts[i] = UINT64_MAX;
	}
	run(order);
	ck_assert_uint_eq(order[0], 0);
	ck_assert_uint_eq(order[1], 2);
	ck_assert_uint_eq(order[2], 1);
	block_count = arc_count = 0;
	run(order);
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-exttsp", near_the_best_of_all_orders, never_worse_than_the_order_given,
			 a_loop_is_straightened, a_loop_is_turned, work_grows_nearly_in_line, whatever_counts_say);
}
