/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes that break careless solvers: long ladders, irreducible knots, deep nests, and functions above the size
 * limit, where inference is approximate but conserves flow as exactly, and still comes nearer to the truth. */
#include "flow/infer.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <math.h>

static struct pf_infer_result infer(struct pf_graph *g)
{
	struct pf_infer_result result;
	char text[128];

	ck_assert_int_eq(pf_graph_finish(g), 0);
	ck_assert_int_eq(pf_infer(g, NULL, &result), 0);
	ck_assert_msg(flow_conserved(g, text, sizeof(text)), "%s", text);
	return result;
}

static void measure(struct pf_graph *g, uint32_t block, uint64_t count)
{
	g->blocks[block].known = PF_MEASURED;
	g->blocks[block].count = count;
}

/* RUNGS diamonds in a row, 2^RUNGS paths; all arms unknown but one in three, which took a quarter. */
START_TEST(ladder)
{
	enum { RUNGS = 333 };
	struct pf_graph *g = pf_graph_alloc(3 * RUNGS + 1, 0, 3 * RUNGS);
	for (uint32_t i = 0; i < RUNGS; i++) {
		pf_graph_add_edge(g, 3 * i, 3 * i + 1);
		pf_graph_add_edge(g, 3 * i, 3 * i + 2);
		pf_graph_add_edge(g, 3 * i + 1, 3 * i + 3);
		pf_graph_add_edge(g, 3 * i + 2, 3 * i + 3);
		if (i % 3 == 0)
			measure(g, 3 * i + 1, 250000);
	}
	measure(g, 0, 1000000);
	ck_assert_uint_eq(infer(g).cost, 0);
	for (uint32_t i = 0; i < RUNGS; i++) {
		ck_assert_uint_eq(g->blocks[3 * i].count, 1000000);
		double want = i % 3 ? 500000 : 250000;
		ck_assert_double_lt(fabs((double)g->blocks[3 * i + 1].count / want - 1), 0.005);
	}
	pf_graph_free(g);
}
END_TEST

/* Every block jumps to every other of a knot of 40, which has two entries. */
START_TEST(irreducible)
{
	enum { KNOT = 40 };
	struct pf_graph *g = pf_graph_alloc(KNOT + 2, 0, KNOT + 1);
	pf_graph_add_edge(g, 0, 1);
	pf_graph_add_edge(g, 0, 2);
	for (uint32_t a = 1; a <= KNOT; a++)
		for (uint32_t b = 1; b <= KNOT; b++)
			pf_graph_add_edge(g, a, b);
	pf_graph_add_edge(g, KNOT, KNOT + 1);
	measure(g, 0, 10);
	for (uint32_t b = 1; b <= KNOT; b++)
		measure(g, b, 1000 * b);
	ck_assert_uint_eq(infer(g).cost, 0);
	ck_assert_uint_eq(g->blocks[KNOT + 1].count, 10);
	ck_assert_uint_eq(g->blocks[7].count, 7000);
	pf_graph_free(g);
}
END_TEST

/* DEPTH loops, each twice as hot as the one around it: only the innermost and the entry were measured. */
START_TEST(deep_nest)
{
	enum { DEPTH = 20 };
	struct pf_graph *g = pf_graph_alloc(2 * DEPTH + 2, 0, 2 * DEPTH + 1);
	for (uint32_t i = 0; i < DEPTH; i++) { /* heads 1 .. DEPTH, latches after them, innermost first */
		pf_graph_add_edge(g, i, i + 1);
		pf_graph_add_edge(g, DEPTH + i, DEPTH + i + 1);
	}
	for (uint32_t i = 0; i < DEPTH; i++) {
		uint32_t e = pf_graph_add_edge(g, DEPTH + 1 + i, DEPTH - i);
		g->edges[e].guess = 0.5;
	}
	pf_graph_add_edge(g, 2 * DEPTH, 2 * DEPTH + 1);
	measure(g, 0, 1000);
	measure(g, DEPTH, 1000u << DEPTH);
	struct pf_infer_result r = infer(g);
	ck_assert_uint_eq(r.cost, 0);
	for (uint32_t i = 1; i <= DEPTH; i++) {
		double want = ldexp(1000, (int)i), got = (double)g->blocks[i].count;
		ck_assert_msg(fabs(got / want - 1) < 0.05, "depth %u: %g, not %g", i, got, want);
	}
	pf_graph_free(g);
}
END_TEST

static double error_of(const struct pf_graph *g, const uint64_t *truth)
{
	double error = 0, sum = 0;

	for (uint32_t b = 0; b < g->block_count; b++) {
		error += fabs((double)g->blocks[b].count - (double)truth[b]);
		sum += (double)truth[b];
	}
	return error / sum;
}

/* 20,000 blocks with 10% noise and a fifth of the counts lost. */
START_TEST(above_the_limit)
{
	enum { BLOCKS = 20000 };
	struct flow_random r = flow_seed(5);
	struct pf_graph *g = flow_random_graph(&r, BLOCKS);
	double *probability = calloc(g->edge_count, sizeof(*probability));
	uint64_t *truth = calloc(BLOCKS, sizeof(*truth));
	flow_random_guesses(&r, g, probability, 0.1);
	flow_walk(&r, g, probability, 1000, 20000000);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		truth[b] = g->blocks[b].count;
		g->blocks[b].known = flow_below(&r, 5) ? PF_MEASURED : PF_UNKNOWN;
		g->blocks[b].count = (uint64_t)((double)truth[b] * (0.9 + 0.2 * flow_unit(&r)));
		if (g->blocks[b].known == PF_UNKNOWN)
			g->blocks[b].count = 0;
	}
	double before = error_of(g, truth);
	ck_assert(infer(g).approximate);
	double after = error_of(g, truth);
	printf("20,000 blocks: error %.4f -> %.4f\n", before, after);
	ck_assert_double_lt(after, 0.85 * before);
	free(truth);
	free(probability);
	pf_graph_free(g);
}
END_TEST

/* The approximate way, on input that is consistent already, changes nothing. */
START_TEST(above_the_limit_consistent)
{
	enum { BLOCKS = 12000 };
	struct flow_random r = flow_seed(6);
	struct pf_graph *g = flow_random_graph(&r, BLOCKS);
	double *probability = calloc(g->edge_count, sizeof(*probability));
	uint64_t *truth = calloc(BLOCKS, sizeof(*truth));
	flow_random_guesses(&r, g, probability, 0);
	flow_walk(&r, g, probability, 200, 5000000);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		truth[b] = g->blocks[b].count;
		g->blocks[b].known = PF_MEASURED;
	}
	for (uint32_t e = 0; e < g->edge_count; e++)
		g->edges[e].known = PF_MEASURED;
	ck_assert_uint_eq(infer(g).cost, 0);
	for (uint32_t b = 0; b < BLOCKS; b++)
		ck_assert_uint_eq(g->blocks[b].count, truth[b]);
	free(truth);
	free(probability);
	pf_graph_free(g);
}
END_TEST

/* Nonsense above the limit: any counts, flags and edges still conserve. */
START_TEST(above_the_limit_nonsense)
{
	enum { BLOCKS = 10500 };
	for (unsigned seed = 1; seed <= 3; seed++) {
		struct flow_random r = flow_seed(seed);
		struct pf_graph *g = pf_graph_alloc(BLOCKS, 0, BLOCKS - 1);
		for (uint32_t i = 0; i < 2 * BLOCKS; i++) {
			uint32_t from = flow_below(&r, BLOCKS - 1), near = from + flow_below(&r, 30);
			uint32_t e = pf_graph_add_edge(g, from, near && near < BLOCKS ? near : 1);
			g->edges[e].known = flow_below(&r, 3);
			g->edges[e].count = flow_next(&r) >> flow_below(&r, 64);
			g->edges[e].unlikely = flow_below(&r, 8) == 0;
		}
		for (uint32_t b = 0; b + 1 < BLOCKS; b++) {
			if (flow_below(&r, 20))
				pf_graph_add_edge(g, b, b + 1);
			g->blocks[b].known = flow_below(&r, 3);
			g->blocks[b].count = flow_next(&r) >> flow_below(&r, 64);
			g->blocks[b].unlikely = flow_below(&r, 8) == 0;
		}
		ck_assert(infer(g).approximate);
		pf_graph_free(g);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-large", ladder, irreducible, deep_nest, above_the_limit, above_the_limit_consistent,
			 above_the_limit_nonsense);
}
