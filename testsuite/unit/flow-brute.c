/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver's cost against the true minimum, found by enumerating every flow on small random graphs.  The costs are
 * written down a second time here, from their description in flow/infer.h. */
#include "flow/infer.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

#define GRAPHS 300
#define EDGE_LIMIT 7
#define FLOW_LIMIT 8 /* of an edge: more than any three measured counts together */

struct search {
	const struct pf_graph *g; /* with the measured counts */
	uint64_t flow[EDGE_LIMIT];
	uint32_t last[8]; /* the highest edge of each block */
	uint64_t best;
};

static uint64_t distance(enum pf_known known, uint64_t was, uint64_t is, uint64_t up, uint64_t down)
{
	uint64_t cost = is > was ? (is - was) * up : (was - is) * down;

	return known == PF_UNKNOWN ? 0 : known == PF_CERTAIN ? 100 * cost : cost;
}

static void sums(const struct search *s, uint32_t block, uint64_t *in, uint64_t *out)
{
	*in = *out = 0;
	for (uint32_t e = 0; e < s->g->edge_count; e++) {
		*in += s->g->edges[e].to == block ? s->flow[e] : 0;
		*out += s->g->edges[e].from == block ? s->flow[e] : 0;
	}
}

static bool balanced(const struct search *s, uint32_t block)
{
	uint64_t in, out;

	sums(s, block, &in, &out);
	return block == s->g->entry || s->g->out_first[block] == s->g->out_first[block + 1] || in == out;
}

static uint64_t cost_of(const struct search *s)
{
	uint64_t total = 0;

	for (uint32_t b = 0; b < s->g->block_count; b++) {
		const struct pf_graph_block *block = &s->g->blocks[b];
		uint64_t in, out;
		sums(s, b, &in, &out);
		if (b == s->g->entry)
			total += distance(block->known, block->count, out, 40, 10);
		else
			total += distance(block->known, block->count, in, block->count ? 10 : 11, 20);
	}
	for (uint32_t e = 0; e < s->g->edge_count; e++)
		total += distance(s->g->edges[e].known, s->g->edges[e].count, s->flow[e], 150, 150);
	return total;
}

/* All flows of the edges from EDGE on; a block is checked as soon as its last edge has its flow. */
static void enumerate(struct search *s, uint32_t edge)
{
	if (edge == s->g->edge_count) {
		uint64_t cost = cost_of(s);
		s->best = cost < s->best ? cost : s->best;
		return;
	}
	for (s->flow[edge] = 0; s->flow[edge] <= FLOW_LIMIT; s->flow[edge]++) {
		bool good = true;
		for (uint32_t b = 0; good && b < s->g->block_count; b++)
			good = s->last[b] != edge || balanced(s, b);
		if (good)
			enumerate(s, edge + 1);
	}
	s->flow[edge] = 0;
}

static bool all_reachable(const struct pf_graph *g)
{
	bool seen[8] = { [0] = true };

	for (uint32_t round = 0; round < g->block_count; round++)
		for (uint32_t e = 0; e < g->edge_count; e++)
			seen[g->edges[e].to] |= seen[g->edges[e].from];
	for (uint32_t b = 0; b < g->block_count; b++)
		if (!seen[b])
			return false;
	return true;
}

static enum pf_known random_known(struct flow_random *r)
{
	uint32_t dice = flow_below(r, 10);

	return dice < 4 ? PF_UNKNOWN : dice < 9 ? PF_MEASURED : PF_CERTAIN;
}

/* Any graph of three to six blocks in which every block is reached and reaches the end of the list or stops. */
static struct pf_graph *small_graph(struct flow_random *r)
{
	uint32_t blocks = 3 + flow_below(r, 4);
	struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);

	for (uint32_t b = 0; b + 1 < blocks; b++)
		if (b == 0 || flow_below(r, 6)) /* otherwise it may be one that never returns */
			pf_graph_add_edge(g, b, b + 1);
	while (g->edge_count < EDGE_LIMIT - flow_below(r, 3)) {
		uint32_t from = flow_below(r, blocks - 1);
		pf_graph_add_edge(g, from, 1 + flow_below(r, blocks - 1));
	}
	ck_assert_int_eq(pf_graph_finish(g), 0);
	for (uint32_t b = 0; b < blocks; b++) {
		g->blocks[b].known = random_known(r);
		g->blocks[b].count = flow_below(r, 3);
	}
	for (uint32_t e = 0; e < g->edge_count; e++) {
		g->edges[e].known = flow_below(r, 2) ? PF_UNKNOWN : random_known(r);
		g->edges[e].count = flow_below(r, 3);
		g->edges[e].fallthrough = flow_below(r, 2);
		g->edges[e].guess = flow_below(r, 2) ? flow_unit(r) : -1;
	}
	return g;
}

/* True if some block reaches neither EXIT nor a block without successors. */
static bool endless(const struct pf_graph *g)
{
	bool ends[8] = { 0 };

	for (uint32_t b = 0; b < g->block_count; b++)
		ends[b] = b == g->exit || g->out_first[b] == g->out_first[b + 1];
	for (uint32_t round = 0; round < g->block_count; round++)
		for (uint32_t e = 0; e < g->edge_count; e++)
			ends[g->edges[e].from] |= ends[g->edges[e].to];
	for (uint32_t b = 0; b < g->block_count; b++)
		if (!ends[b])
			return true;
	return false;
}

START_TEST(cost_is_the_minimum)
{
	uint32_t compared = 0, consistent = 0;

	for (uint64_t seed = 1; compared < GRAPHS; seed++) {
		struct flow_random r = flow_seed(seed);
		struct pf_graph *g = small_graph(&r);
		struct search s = { .g = g, .best = UINT64_MAX };
		struct pf_infer_result result;
		char text[128];
		for (uint32_t e = 0; e < g->edge_count; e++)
			s.last[g->edges[e].from] = s.last[g->edges[e].to] = e;
		if (all_reachable(g) && !endless(g)) {
			enumerate(&s, 0);
			ck_assert_int_eq(pf_infer(g, NULL, &result), 0);
			ck_assert_msg(flow_conserved(g, text, sizeof(text)), "seed %u: %s", (unsigned)seed, text);
			if (result.islands == 0)
				ck_assert_msg(result.cost == s.best, "seed %u: cost %lu, best is %lu", (unsigned)seed,
					      (unsigned long)result.cost, (unsigned long)s.best);
			else
				ck_assert_uint_ge(result.cost, s.best);
			compared += result.islands == 0;
			consistent += s.best == 0;
		}
		pf_graph_free(g);
	}
	ck_assert_uint_lt(consistent, GRAPHS / 2); /* most of them were in need of repair */
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-brute", cost_is_the_minimum);
}
