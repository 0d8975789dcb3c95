/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See looptest.h.  The hard case is a loop that something jumps into whose count is not known: then neither is that of
 * the entries. */
#include "plugin/looptest.h"

bool pf_looptest_inside(const struct pf_looptests *l, uint32_t block, uint32_t loop)
{
	uint32_t here = l->loops->innermost[block];

	while (here != PF_NO_LOOP && here != loop)
		here = l->loops->loops[here].parent;
	return here == loop;
}

bool pf_looptest_find(const struct pf_looptests *l, uint32_t block, uint32_t loop, struct pf_looptest *test)
{
	const struct pf_graph *graph = l->estimate->graph;
	uint32_t first = graph->out_first[block];

	if (graph->out_first[block + 1] - first != 2)
		return false;
	test->into = graph->out_edges[first];
	test->out = graph->out_edges[first + 1];
	if (!pf_looptest_inside(l, graph->edges[test->into].to, loop)) {
		test->into = test->out;
		test->out = graph->out_edges[first];
	}
	return pf_looptest_inside(l, graph->edges[test->into].to, loop) &&
	       !pf_looptest_inside(l, graph->edges[test->out].to, loop);
}

bool pf_looptest_has_one_way_in(const struct pf_graph *graph, uint32_t block)
{
	return graph->in_first[block + 1] - graph->in_first[block] == 1;
}

/* How often the edge was taken; false if that is not known. */
static bool count_edge(const struct pf_looptests *l, uint32_t edge, uint64_t *count)
{
	const struct pf_graph *graph = l->estimate->graph;
	uint32_t from = graph->edges[edge].from;
	const struct pf_estimate_block *block = &l->estimate->blocks[from];
	const struct pf_group *group = &l->groups[block->leader];

	if (graph->out_first[from + 1] - graph->out_first[from] == 1) {
		*count = group->count;
		return group->known;
	}
	*count = l->estimate->edge_outcomes[edge];
	return block->outcomes > 0 && !block->partial;
}

bool pf_looptest_entries(const struct pf_looptests *l, uint32_t loop, uint64_t *entries)
{
	const struct pf_graph *graph = l->estimate->graph;
	uint32_t header = l->loops->loops[loop].header;
	uint64_t count;

	*entries = 0;
	for (uint32_t i = graph->in_first[header]; i < graph->in_first[header + 1]; i++) {
		uint32_t edge = graph->in_edges[i];

		if (pf_looptest_inside(l, graph->edges[edge].from, loop))
			continue;
		if (!count_edge(l, edge, &count))
			return false;
		*entries += count;
	}
	return true;
}
