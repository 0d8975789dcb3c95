/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jump threading: behind `for (i = n; i > 0; i--) if (hit) break;` the test `if (i == 0)` is known on either way out of
 * the loop, and a way on which it was known went around its jump in the profiled binary.  The jump's outcomes are then
 * those of the other ways alone: of a test that leads one way on all of them, "always" says nothing of the rest.
 *
 * The block before the test has all of its runs, as have the arms.  So there are two ways to read a jump that ran less
 * often than the blocks that run as often as it: others' code was merged into these, and the jump's shares hold for
 * all, or the jump was passed by.  Two signs tell the second.  The runs that the jump lacks are in the arms that one of
 * its ways alone leads to.  Or they are before it, as what is merged is what ends alike, and not where the
 * shares would have them: such an arm is known to have hardly more than the jump sent there, and another way, which
 * meets others, is open to the rest. */
#include "plugin/threaded.h"
#include "flow/dominators.h"
#include "plugin/match.h"
#include "profile/saturate.h"

/* What the arms of a jump tell of the runs that it lacks. */
struct arms {
	uint64_t more;      /* that the arms have beyond its outcomes */
	uint64_t due;       /* that its shares would give them beyond its outcomes */
	uint64_t displaced; /* of these, what they have not */
	bool open;          /* a way leads where others do, so that it is not known how many came by it */
};

/* How often ARM ran: by what its blocks say, or the jump at its end. */
static bool count_arm(const struct pf_estimate *e, const struct pf_group *groups, uint32_t arm, uint64_t *count)
{
	const struct pf_estimate_block *block = &e->blocks[arm];
	const struct pf_group *group = &groups[block->leader];

	*count = group->known ? group->count : block->outcomes;
	return group->known || (block->outcomes && !block->partial);
}

/* Those of block B, which ran RUNS times. */
static struct arms look_at_arms(const struct pf_estimate *e, const struct pf_group *groups, uint32_t b, uint64_t runs)
{
	const struct pf_graph *graph = e->graph;
	struct arms arms = { 0, 0, 0, false };

	for (uint32_t i = graph->out_first[b]; i < graph->out_first[b + 1]; i++) {
		uint32_t edge = graph->out_edges[i], arm = graph->edges[edge].to;
		uint64_t told = e->edge_outcomes[edge], count;
		uint64_t share = told ? pf_count_scale(runs, told, e->blocks[b].outcomes) : 0;

		if (!pf_looptest_has_one_way_in(graph, arm)) {
			arms.open = true;
			continue;
		}
		if (!count_arm(e, groups, arm, &count))
			continue;
		arms.more += count > told ? count - told : 0;
		arms.due += share - told;
		arms.displaced += share > count ? share - count : 0;
	}
	return arms;
}

/* What the statements of BLOCK say of its runs, its jump's own record aside; false if they say nothing. */
static bool count_statements(const struct pf_estimate *e, const struct pf_estimate_block *block, uint64_t *count)
{
	struct pf_vote *votes = e->votes + block->first_vote;
	uint32_t others = 0;

	for (uint32_t i = 0; i < block->vote_count; i++) {
		struct pf_vote vote = votes[i];

		if (vote.record == block->branch)
			continue;
		votes[i] = votes[others];
		votes[others++] = vote;
	}
	return pf_vote_mode(votes, others, count);
}

/* Whether what comes before the jump of block B says that it ran RUNS times: the block itself, or the next above that
 * runs as often by the graph. */
static bool ran_before(const struct pf_estimate *e, const struct pf_dominators *tree, uint32_t b, uint64_t runs)
{
	uint64_t count;

	for (uint32_t above = b; above != PF_NO_BLOCK; above = tree->parent[above]) {
		const struct pf_estimate_block *block = &e->blocks[above];

		if (block->leader == e->blocks[b].leader && count_statements(e, block, &count))
			return pf_counts_agree(count, runs);
	}
	return false;
}

/* Block B ran RUNS times, and its jump clearly less often. */
static bool is_passed_by(const struct pf_estimate *e, const struct pf_group *groups, const struct pf_dominators *tree,
			 uint32_t b, uint64_t runs)
{
	uint64_t lacking = runs - e->blocks[b].outcomes;
	struct arms arms = look_at_arms(e, groups, b, runs);

	return (arms.more > lacking / 2 && arms.more < lacking + lacking / 2) ||
	       (arms.open && arms.displaced > arms.due / 2 && ran_before(e, tree, b, runs));
}

int pf_threaded_settle(struct pf_estimate *estimate, const struct pf_group *groups)
{
	struct pf_dominators tree;

	if (pf_dominators_init(&tree, estimate->graph) != 0)
		return -1;
	for (uint32_t b = 0; b < estimate->graph->block_count; b++) {
		struct pf_estimate_block *block = &estimate->blocks[b];
		const struct pf_group *runs = &groups[block->leader];

		if (!block->outcomes || block->partial || block->copied || block->many_ways || !runs->known ||
		    runs->count <= block->outcomes || pf_counts_agree(runs->count, block->outcomes))
			continue;
		block->partial = is_passed_by(estimate, groups, &tree, b, runs->count);
	}
	pf_dominators_fini(&tree);
	return 0;
}
