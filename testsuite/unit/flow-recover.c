/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inference on random graphs whose true counts are known from random walks: what is consistent stays as it is, what
 * was spoilt comes out nearer to the truth than it went in, and flow is conserved exactly whatever the input. */
#include "flow/infer.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <math.h>
#include <stdlib.h>

struct truth {
	struct pf_graph *g;
	uint64_t *blocks, *edges;
};

static struct truth make_truth(struct flow_random *r, uint32_t blocks, uint32_t walks, double guess_noise)
{
	struct truth t = { .g = flow_random_graph(r, blocks) };
	double *probability = calloc(t.g->edge_count, sizeof(*probability));

	flow_random_guesses(r, t.g, probability, guess_noise);
	flow_walk(r, t.g, probability, walks, 1000ull * walks);
	free(probability);
	t.blocks = calloc(blocks, sizeof(*t.blocks));
	t.edges = calloc(t.g->edge_count, sizeof(*t.edges));
	for (uint32_t b = 0; b < blocks; b++)
		t.blocks[b] = t.g->blocks[b].count;
	for (uint32_t e = 0; e < t.g->edge_count; e++)
		t.edges[e] = t.g->edges[e].count;
	return t;
}

static void free_truth(struct truth *t)
{
	pf_graph_free(t->g);
	free(t->blocks);
	free(t->edges);
}

static void know(struct pf_graph *g, enum pf_known blocks, enum pf_known edges)
{
	for (uint32_t b = 0; b < g->block_count; b++)
		g->blocks[b].known = blocks;
	for (uint32_t e = 0; e < g->edge_count; e++)
		g->edges[e].known = edges;
}

static void check_conserved(const struct pf_graph *g, unsigned seed)
{
	char text[128];

	ck_assert_msg(flow_conserved(g, text, sizeof(text)), "seed %u: %s", seed, text);
}

START_TEST(consistent_input_is_untouched)
{
	for (unsigned seed = 1; seed <= 60; seed++) {
		struct flow_random r = flow_seed(seed);
		struct truth t = make_truth(&r, 5 + flow_below(&r, 120), 200, 0.1);
		struct pf_infer_result result;
		know(t.g, PF_MEASURED, seed % 2 ? PF_MEASURED : PF_UNKNOWN);
		ck_assert_int_eq(pf_infer(t.g, NULL, &result), 0);
		ck_assert_uint_eq(result.cost, 0);
		ck_assert_uint_eq(result.islands, 0);
		for (uint32_t b = 0; b < t.g->block_count; b++)
			ck_assert_uint_eq(t.g->blocks[b].count, t.blocks[b]);
		for (uint32_t e = 0; e < t.g->edge_count && seed % 2; e++)
			ck_assert_uint_eq(t.g->edges[e].count, t.edges[e]);
		check_conserved(t.g, seed);
		free_truth(&t);
	}
}
END_TEST

static double block_error(const struct truth *t)
{
	double error = 0, sum = 0;

	for (uint32_t b = 0; b < t->g->block_count; b++) {
		error += fabs((double)t->g->blocks[b].count - (double)t->blocks[b]);
		sum += (double)t->blocks[b];
	}
	return error / sum;
}

static double edge_error(const struct truth *t)
{
	double error = 0, sum = 0;

	for (uint32_t e = 0; e < t->g->edge_count; e++) {
		error += fabs((double)t->g->edges[e].count - (double)t->edges[e]);
		sum += (double)t->edges[e];
	}
	return error / sum;
}

/* LOST of ten blocks unknown, the others off by up to NOISE; edges unknown.  A lost count is worth zero before. */
static void spoil(struct flow_random *r, struct pf_graph *g, uint32_t lost, double noise)
{
	know(g, PF_MEASURED, PF_UNKNOWN);
	for (uint32_t b = 0; b < g->block_count; b++) {
		double factor = 1 + noise * (2 * flow_unit(r) - 1);
		g->blocks[b].count = (uint64_t)llround((double)g->blocks[b].count * factor);
		if (flow_below(r, 10) >= lost)
			continue;
		g->blocks[b].known = PF_UNKNOWN;
		g->blocks[b].count = 0;
	}
	for (uint32_t e = 0; e < g->edge_count; e++)
		g->edges[e].count = 0;
}

/* Mean errors of blocks (before, after) and edges (after) over SEEDS graphs. */
static void recover(uint32_t lost, double noise, double guess_noise, double *before, double *after, double *edges)
{
	enum { SEEDS = 40 };

	*before = *after = *edges = 0;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct flow_random r = flow_seed(1000 + seed);
		struct truth t = make_truth(&r, 80, 2000, guess_noise);
		spoil(&r, t.g, lost, noise);
		*before += block_error(&t) / SEEDS;
		ck_assert_int_eq(pf_infer(t.g, NULL, NULL), 0);
		check_conserved(t.g, seed);
		*after += block_error(&t) / SEEDS;
		*edges += edge_error(&t) / SEEDS;
		free_truth(&t);
	}
	printf("lost %u0%%, noise %.0f%%, guesses +%.1f: blocks %.4f -> %.4f, edges %.4f\n", lost, 100 * noise,
	       guess_noise, *before, *after, *edges);
}

START_TEST(lost_counts_come_back)
{
	double before, after, edges;

	recover(3, 0, 0, &before, &after, &edges);
	ck_assert_double_lt(after, before / 10);
	recover(3, 0, 0.5, &before, &after, &edges);
	ck_assert_double_lt(after, before / 5);
	recover(3, 0.1, 0.1, &before, &after, &edges);
	ck_assert_double_lt(after, before / 4);
	recover(7, 0, 0.1, &before, &after, &edges);
	ck_assert_double_lt(after, before / 4);
}
END_TEST

START_TEST(noise_is_reduced)
{
	double before, after, edges;

	recover(0, 0.2, 0.1, &before, &after, &edges);
	ck_assert_double_lt(after, before);
}
END_TEST

/* With true guesses and true counts for half of the blocks, the edges are right too. */
START_TEST(edges_follow_guesses)
{
	double before, after, edges;

	recover(5, 0, 0, &before, &after, &edges);
	ck_assert_double_lt(edges, 0.05);
}
END_TEST

/* Any measurement at all, consistent or not, with every kind of flag and broken structure. */
START_TEST(anything_conserves)
{
	for (unsigned seed = 1; seed <= 400; seed++) {
		struct flow_random r = flow_seed(7000 + seed);
		uint32_t blocks = 2 + flow_below(&r, 60);
		struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);
		for (uint32_t i = 0; i < 2 * blocks; i++)
			pf_graph_add_edge(g, flow_below(&r, blocks - 1),
					  blocks > 2 ? 1 + flow_below(&r, blocks - 1) : 1);
		ck_assert_int_eq(pf_graph_finish(g), 0);
		for (uint32_t b = 0; b < blocks; b++) {
			g->blocks[b].known = flow_below(&r, 3);
			g->blocks[b].count = flow_next(&r) >> flow_below(&r, 64);
			g->blocks[b].unlikely = flow_below(&r, 8) == 0;
		}
		for (uint32_t e = 0; e < g->edge_count; e++) {
			g->edges[e].known = flow_below(&r, 3);
			g->edges[e].count = flow_next(&r) >> flow_below(&r, 64);
			g->edges[e].unlikely = flow_below(&r, 8) == 0;
			g->edges[e].guess = flow_below(&r, 20) ? 1.5 * flow_unit(&r) - 0.25 : NAN;
		}
		struct pf_infer_result result;
		ck_assert_int_eq(pf_infer(g, NULL, &result), 0);
		check_conserved(g, seed);
		pf_graph_free(g);
	}
}
END_TEST

START_TEST(same_input_same_output)
{
	uint64_t first[300];

	for (int run = 0; run < 2; run++) {
		struct flow_random r = flow_seed(99);
		struct truth t = make_truth(&r, 300, 500, 0.3);
		spoil(&r, t.g, 4, 0.3);
		ck_assert_int_eq(pf_infer(t.g, NULL, NULL), 0);
		for (uint32_t b = 0; b < 300; b++) {
			if (run)
				ck_assert_uint_eq(first[b], t.g->blocks[b].count);
			first[b] = t.g->blocks[b].count;
		}
		free_truth(&t);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-recover", consistent_input_is_untouched, lost_counts_come_back, noise_is_reduced,
			 edges_follow_guesses, anything_conserves, same_input_same_output);
}
