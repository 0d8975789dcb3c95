/* SPDX-License-Identifier: GPL-3.0-or-later */
/* near-inference GRAPHS: what flow/ does with so many random flow graphs, some thousand lines of loops, heaps and
 * searches that take their branches by what the graphs are: their counts, their loops, the order of their blocks.
 * Prints a sum of it, the same each time. */
#include "flow/dominators.h"
#include "flow/exttsp.h"
#include "flow/infer.h"
#include "flow/loops.h"
#include "testsuite/unit/flow-random.h"

#include <stdio.h>

#define MOST 400

static uint64_t sum;

static void mix(uint64_t value)
{
	sum = sum * 31 + value;
}

static void infer(struct flow_random *r, struct pf_graph *g)
{
	for (uint32_t b = 0; b < g->block_count; b++) {
		g->blocks[b].known = flow_below(r, 10) ? PF_MEASURED : PF_UNKNOWN;
		g->blocks[b].count = g->blocks[b].count * 9 + flow_below(r, (uint32_t)g->blocks[b].count + 1);
	}
	for (uint32_t e = 0; e < g->edge_count; e++)
		g->edges[e].known = flow_below(r, 2) ? PF_MEASURED : PF_UNKNOWN;
	mix(pf_infer(g, NULL, NULL) == 0);
	for (uint32_t b = 0; b < g->block_count; b++)
		mix(g->blocks[b].count);
}

static void find_loops(const struct pf_graph *g)
{
	struct pf_dominators tree;
	struct pf_loops loops;

	if (pf_dominators_init(&tree, g) < 0)
		return;
	for (uint32_t e = 0; e < g->edge_count; e++)
		mix(pf_dominates(&tree, g->edges[e].to, g->edges[e].from));
	pf_dominators_fini(&tree);
	if (pf_loops_init(&loops, g) == 0)
		pf_loops_fini(&loops);
}

static void order(struct flow_random *r, const struct pf_graph *g)
{
	static uint64_t sizes[MOST], counts[MOST];
	static struct pf_arc arcs[MOST * 3];
	static uint32_t places[MOST];
	struct pf_exttsp_result result;

	for (uint32_t b = 0; b < g->block_count; b++) {
		sizes[b] = 1 + flow_below(r, 60);
		counts[b] = g->blocks[b].count;
	}
	for (uint32_t e = 0; e < g->edge_count; e++)
		arcs[e] = (struct pf_arc) { g->edges[e].from, g->edges[e].to, g->edges[e].count, false };
	mix(pf_exttsp_order(g->block_count, sizes, counts, arcs, g->edge_count, places, &result) == 0);
	for (uint32_t b = 0; b < g->block_count; b++)
		mix(places[b]);
}

int main(int argc, char **argv)
{
	uint64_t graphs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	for (uint64_t i = 0; i < graphs; i++) {
		struct flow_random r = flow_seed(i + 1);
		struct pf_graph *g = flow_random_graph(&r, 20 + 10 * (uint32_t)(i % 30));
		double *probability = calloc(g->edge_count, sizeof *probability);

		flow_random_guesses(&r, g, probability, 0.2);
		flow_walk(&r, g, probability, 20, 3000);
		find_loops(g);
		order(&r, g);
		infer(&r, g);
		free(probability);
		pf_graph_free(g);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
