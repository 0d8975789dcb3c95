/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random control-flow graphs with true counts from random walks, and the independent check of conservation, for the
 * tests and benchmarks of flow/.  Header-only, so that each program stays one file; the seed decides everything. */
#ifndef PF_TEST_FLOW_RANDOM_H
#define PF_TEST_FLOW_RANDOM_H

#include "flow/graph.h"

#include <stdio.h>
#include <stdlib.h>

struct flow_random {
	uint64_t state;
};

/* xorshift64* */
static inline uint64_t flow_next(struct flow_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dull;
}

static inline struct flow_random flow_seed(uint64_t seed)
{
	struct flow_random r = { seed * 0x9e3779b97f4a7c15ull + 0x1234567 };

	for (int i = 0; i < 8; i++)
		flow_next(&r);
	return r;
}

static inline uint32_t flow_below(struct flow_random *r, uint32_t limit)
{
	return (uint32_t)((flow_next(r) >> 33) % limit);
}

static inline double flow_unit(struct flow_random *r)
{
	return (double)(flow_next(r) >> 11) / (double)(1ull << 53);
}

/* BLOCKS blocks; each has an edge to the next, most a second one to somewhere near, some a back edge (a loop), some
 * a third.  The last block is EXIT. */
static inline struct pf_graph *flow_random_graph(struct flow_random *r, uint32_t blocks)
{
	struct pf_graph *g = pf_graph_alloc(blocks, 0, blocks - 1);

	for (uint32_t b = 0; g && b + 1 < blocks; b++) {
		uint32_t left = blocks - 1 - b, kind = flow_below(r, 10);
		uint32_t e = pf_graph_add_edge(g, b, b + 1);
		g->edges[e].fallthrough = true;
		if (kind < 5)
			pf_graph_add_edge(g, b, b + 1 + flow_below(r, left < 8 ? left : 8));
		else if (kind < 7 && b > 0)
			pf_graph_add_edge(g, b, 1 + (b > 20 ? b - 20 + flow_below(r, 20) : flow_below(r, b)));
		if (kind == 0)
			pf_graph_add_edge(g, b, b + 1 + flow_below(r, left));
	}
	if (g && pf_graph_finish(g)) {
		pf_graph_free(g);
		return NULL;
	}
	return g;
}

/* Random probabilities for the edges, which become the guesses too (blurred by NOISE), none below 0.02. */
static inline void flow_random_guesses(struct flow_random *r, struct pf_graph *g, double *probability, double noise)
{
	for (uint32_t b = 0; b < g->block_count; b++) {
		double sum = 0, blurred = 0;
		for (uint32_t i = g->out_first[b]; i < g->out_first[b + 1]; i++) {
			double u = flow_unit(r);
			bool back = g->edges[g->out_edges[i]].to <= b;
			probability[g->out_edges[i]] = back ? 0.3 + u : 0.02 + u * u * u;
			sum += probability[g->out_edges[i]];
		}
		for (uint32_t i = g->out_first[b]; i < g->out_first[b + 1]; i++) {
			struct pf_graph_edge *edge = &g->edges[g->out_edges[i]];
			probability[g->out_edges[i]] /= sum;
			edge->guess = probability[g->out_edges[i]] + noise * flow_unit(r);
			blurred += edge->guess;
		}
		for (uint32_t i = g->out_first[b]; i < g->out_first[b + 1]; i++)
			g->edges[g->out_edges[i]].guess /= blurred;
	}
}

/* True counts: WALKS random walks from ENTRY to EXIT, of at most STEPS steps together; each walk that is begun is
 * finished by falling through, so the counts conserve flow exactly. */
static inline void flow_walk(struct flow_random *r, struct pf_graph *g, const double *probability, uint32_t walks,
			     uint64_t steps)
{
	for (uint32_t b = 0; b < g->block_count; b++)
		g->blocks[b].count = 0;
	for (uint32_t e = 0; e < g->edge_count; e++)
		g->edges[e].count = 0;
	for (uint32_t w = 0; w < walks; w++) {
		uint32_t b = g->entry;
		g->blocks[b].count++;
		while (b != g->exit) {
			uint32_t i = g->out_first[b];
			double u = flow_unit(r);
			while (steps && i + 1 < g->out_first[b + 1] && u >= probability[g->out_edges[i]])
				u -= probability[g->out_edges[i++]];
			steps -= steps != 0;
			g->edges[g->out_edges[i]].count++;
			b = g->edges[g->out_edges[i]].to;
			g->blocks[b].count++;
		}
	}
}

/* True if every block passes on what it receives, as flow/infer.h promises.  Where control never returns, a block
 * may keep what it received: one without successors, or one that no path leads from to EXIT or such a block. */
static inline bool flow_conserved(const struct pf_graph *g, char *text, size_t size)
{
	bool *ends = calloc(g->block_count, sizeof(*ends));
	bool good = true, changed = true;
	for (uint32_t b = 0; b < g->block_count; b++)
		ends[b] = b == g->exit || g->out_first[b] == g->out_first[b + 1];
	while (changed) {
		changed = false;
		for (uint32_t e = g->edge_count; e-- > 0;)
			if (ends[g->edges[e].to] && !ends[g->edges[e].from])
				changed = ends[g->edges[e].from] = true;
	}
	for (uint32_t b = 0; good && b < g->block_count; b++) {
		uint64_t in = 0, out = 0, count = g->blocks[b].count;
		for (uint32_t i = g->in_first[b]; i < g->in_first[b + 1]; i++)
			in += g->edges[g->in_edges[i]].count;
		for (uint32_t i = g->out_first[b]; i < g->out_first[b + 1]; i++)
			out += g->edges[g->out_edges[i]].count;
		bool leaf = g->out_first[b] == g->out_first[b + 1];
		if ((b != g->entry && in != count) || (b == g->entry && in > count))
			good = false;
		if (b != g->exit && (ends[b] ? !leaf && out != count : out > count))
			good = false;
		if (!good)
			snprintf(text, size, "block %u: in %llu, count %llu, out %llu", b, (unsigned long long)in,
				 (unsigned long long)count, (unsigned long long)out);
	}
	free(ends);
	return good;
}

#endif
