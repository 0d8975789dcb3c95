/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jump threading: behind `for (i = n; i > 0; i--) if (hit) break;` the test `if (i == 0)` is known on either way out of
 * the loop, and a way on which it was known went around its jump in the profiled binary.  The jump's outcomes are then
 * those of the other ways alone: of a test that leads one way on all of them, "always" says nothing of the rest.
 *
 * The block before the test has all of its runs, as have the arms.  So there are two ways to read a jump that ran less
 * often than the blocks that run as often as it: others' code was merged into these, and the jump's shares hold for
 * all, or the jump was passed by.  Then the runs that it lacks are in the arms that one of its ways alone leads to, and
 * whether they are tells the two apart. */
#include "plugin/threaded.h"
#include "plugin/match.h"

/* How many more runs the arms of block B have than its outcomes tell. */
static uint64_t count_in_arms(const struct pf_estimate *e, const struct pf_group *groups, uint32_t b)
{
	const struct pf_graph *graph = e->graph;
	uint64_t more = 0;

	for (uint32_t i = graph->out_first[b]; i < graph->out_first[b + 1]; i++) {
		uint32_t edge = graph->out_edges[i], arm = graph->edges[edge].to;
		const struct pf_group *group = &groups[e->blocks[arm].leader];

		if (group->known && pf_looptest_has_one_way_in(graph, arm) && group->count > e->edge_outcomes[edge])
			more += group->count - e->edge_outcomes[edge];
	}
	return more;
}

void pf_threaded_settle(struct pf_estimate *estimate, const struct pf_group *groups)
{
	for (uint32_t b = 0; b < estimate->graph->block_count; b++) {
		struct pf_estimate_block *block = &estimate->blocks[b];
		const struct pf_group *runs = &groups[block->leader];
		uint64_t lacking, found;

		if (!block->outcomes || block->partial || block->copied || block->many_ways || !runs->known ||
		    runs->count <= block->outcomes || pf_counts_agree(runs->count, block->outcomes))
			continue;
		lacking = runs->count - block->outcomes;
		found = count_in_arms(estimate, groups, b);
		block->partial = found > lacking / 2 && found < lacking + lacking / 2;
	}
}
