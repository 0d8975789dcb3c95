/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block counts from evidence.  Three kinds of it: statements' records, which vote within a block and among the blocks
 * that dominance makes run equally often; outcomes of branches, which give edges; the entry count.  The inference
 * then makes them one flow.
 *
 * The hard case is the arm of a branch that the profiled compiler had turned into straight code: its statements then
 * carry the count of the block above, and believing them makes a rare arm look certain.  Such an arm is taken as
 * unknown unless a jump was seen to decide, or it has what no compiler does without the branch: a call, a loop, or more
 * stores than the one that is made into a load and a store.  Where the block above has no instruction of its own, as
 * all of the condition is in the arm's, it is what comes to it that tells, and the arm's count is its own.  An arm that
 * ran far more often than the block above is none: it is the other count that is wrong, such as that of a loop's test
 * in front of the loop. */
#include "plugin/estimate.h"
#include "plugin/match.h"
#include "plugin/rotated.h"
#include "plugin/shared.h"
#include "plugin/threaded.h"
#include "plugin/turns.h"
#include "profile/saturate.h"

#include <stdlib.h>
#include <string.h>

#define MOST_MOVED 1  /* stores of an arm that become straight code (-ftree-cselim) */
#define HEAD_WEIGHT 8 /* in the vote of the entry's class: as an exact call or branch (evidence.cc) */

/* As profi's, but for two things.  Calls are seen at both ends, so that the entry is known better than any block.  And
 * code that was there and did not run says more than code that ran: merged and hoisted code runs for others, which
 * makes counts too high, but a block that ran as often as its neighbours would have been seen.  Two measured blocks,
 * such as the tail that another's jumps were merged into, move before one zero does. */
static const struct pf_infer_costs costs = {
	.block_increase = 10,
	.block_decrease = 20,
	.entry_increase = 80,
	.entry_decrease = 80,
	.zero_increase = 40,
	.edge_increase = 150,
	.edge_decrease = 150,
	.unknown_edge = 1,
	.certain_factor = 100,
	.unlikely = 1 << 30,
};

/* Links the members of each class: NEXT of a block is another member of its class, itself at the end, and LAST of a
 * leader is where the chain starts. */
static void chain_classes(const struct pf_estimate *e, uint32_t *next, uint32_t *last)
{
	for (uint32_t b = 0; b < e->graph->block_count; b++)
		next[b] = last[b] = b;
	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		uint32_t leader = e->blocks[b].leader;

		if (leader == b)
			continue;
		next[b] = last[leader];
		last[leader] = b;
	}
}

/* Where all that votes may have been moved out of the loop, a jump of the class that was seen knows better.  FROM is
 * the end of the class's chain NEXT. */
static void believe_branch(const struct pf_estimate *e, struct pf_group *groups, uint32_t from, const uint32_t *next)
{
	for (uint32_t b = from, leader = e->blocks[b].leader;; b = next[b]) {
		const struct pf_estimate_block *block = &e->blocks[b];

		if (block->outcomes && !block->partial) {
			groups[leader].count = block->outcomes;
			return;
		}
		if (b == leader)
			return;
	}
}

/* Votes of all members of each class, pooled; the entry votes by how often the function was called. */
static int vote_by_class(struct pf_estimate *e, struct pf_group *groups)
{
	uint32_t blocks = e->graph->block_count;
	uint32_t *next = malloc(2 * (size_t)blocks * sizeof *next), *last = next + blocks;
	size_t total = 2;
	struct pf_vote *pool;

	for (uint32_t b = 0; b < blocks; b++)
		total += e->blocks[b].vote_count;
	pool = malloc(total * sizeof *pool);
	if (!pool || !next) {
		free(pool);
		free(next);
		return -1;
	}
	chain_classes(e, next, last);
	for (uint32_t leader = 0; leader < blocks; leader++) {
		size_t count = 0;

		if (e->blocks[leader].leader != leader)
			continue;
		for (uint32_t b = last[leader];; b = next[b]) {
			const struct pf_estimate_block *block = &e->blocks[b];

			if (block->vote_count)
				memcpy(pool + count, e->votes + block->first_vote, block->vote_count * sizeof *pool);
			count += block->vote_count;
			groups[leader].stores += block->stores;
			if (b == leader)
				break;
		}
		if (e->head_known && e->blocks[e->graph->entry].leader == leader)
			pool[count++] = (struct pf_vote) { e->head, HEAD_WEIGHT, e->record_count, false };
		size_t settled = pf_vote_settled(pool, count);

		groups[leader].known = pf_vote_mode(pool, settled ? settled : count, &groups[leader].count);
		if (!settled && count)
			believe_branch(e, groups, last[leader], next);
	}
	free(pool);
	free(next);
	return 0;
}

/* Neither can what leads into a loop be done without the branch in front of it. */
static void bind_entries(const struct pf_estimate *e, const struct pf_loops *loops, struct pf_group *groups)
{
	const struct pf_graph *graph = e->graph;

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		uint32_t from = graph->edges[i].from, loop = loops->innermost[graph->edges[i].to];

		if (loop != PF_NO_LOOP && loops->loops[loop].header == graph->edges[i].to &&
		    loops->innermost[from] == loops->loops[loop].parent)
			groups[e->blocks[from].leader].stores += MOST_MOVED + 1;
	}
}

static bool is_arm(const struct pf_graph *graph, uint32_t block, uint32_t *parent)
{
	if (graph->in_first[block + 1] - graph->in_first[block] != 1)
		return false;
	*parent = graph->edges[graph->in_edges[graph->in_first[block]]].from;
	return graph->out_first[*parent + 1] - graph->out_first[*parent] > 1;
}

/* Whether the other ways out of PARENT, which ran ABOVE times, are known to run so rarely that there is room for an arm
 * as frequent as it: the body of a loop is an arm of the loop's test. */
static bool leave_room(const struct pf_estimate *e, const struct pf_group *groups, uint32_t parent, uint64_t above,
		       uint32_t arm)
{
	const struct pf_graph *graph = e->graph;
	uint64_t room = above / 16;

	for (uint32_t i = graph->out_first[parent]; i < graph->out_first[parent + 1]; i++) {
		const struct pf_graph_edge *edge = &graph->edges[graph->out_edges[i]];
		const struct pf_group *group = &groups[e->blocks[edge->to].leader];

		if (edge->to == arm || edge->unlikely || graph->blocks[edge->to].unlikely)
			continue;
		if (!group->known || group->count > room)
			return false;
		room -= group->count;
	}
	return true;
}

/* How often control took EDGE at most: as often as it came to where that begins, but for what is known to have left
 * by the other ways.  False if that is not known. */
static bool count_at_most(const struct pf_estimate *e, const struct pf_group *groups, uint32_t edge, uint64_t *most)
{
	const struct pf_graph *graph = e->graph;
	uint32_t from = graph->edges[edge].from;
	const struct pf_group *group = &groups[e->blocks[from].leader];

	*most = group->count;
	for (uint32_t i = graph->out_first[from]; i < graph->out_first[from + 1]; i++) {
		uint32_t other = graph->out_edges[i];

		if (other != edge)
			*most -= *most < e->edge_outcomes[other] ? *most : e->edge_outcomes[other];
	}
	return group->known;
}

/* How often BLOCK ran: what is said of it, else what can have come to it, where the binary has nothing of it.  False if
 * that is not known either, or if records speak of it that are of others, too. */
static bool count_above(const struct pf_estimate *e, const struct pf_group *groups, uint32_t block, uint64_t *count)
{
	const struct pf_graph *graph = e->graph;
	const struct pf_group *group = &groups[e->blocks[block].leader];

	*count = group->known ? group->count : 0;
	for (uint32_t i = graph->in_first[block]; !group->known && i < graph->in_first[block + 1]; i++) {
		uint64_t most;

		if (!count_at_most(e, groups, graph->in_edges[i], &most))
			return false;
		*count = pf_count_add(*count, most);
	}
	return group->known || !group->heard;
}

/* The arm of PARENT became straight code, and its statements ran as often as PARENT, of which they are witnesses. */
static void straighten(const struct pf_estimate *e, struct pf_group *groups, uint32_t parent, struct pf_group *arm)
{
	struct pf_group *above = &groups[e->blocks[parent].leader];

	if (!above->known)
		*above = (struct pf_group) { .count = arm->count, .stores = above->stores, .known = true };
	arm->known = false;
}

static void forget_converted_arms(const struct pf_estimate *e, struct pf_group *groups)
{
	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		struct pf_group *arm = &groups[e->blocks[b].leader];
		uint64_t above;
		uint32_t parent;

		if (!arm->known || arm->count == 0 || arm->stores > MOST_MOVED || !is_arm(e->graph, b, &parent) ||
		    e->blocks[parent].branch_seen)
			continue;
		if (count_above(e, groups, parent, &above) && arm != &groups[e->blocks[parent].leader] &&
		    arm->count >= above - above / 32 && pf_counts_agree(arm->count, above) &&
		    !leave_room(e, groups, parent, above, b))
			straighten(e, groups, parent, arm);
	}
}

/* What a jump of many ways was seen to do, and was recognised on no way, went where nothing was recognised: that is
 * known where these ways' blocks themselves say as much together, and is of the jump's outcomes then.  Else their code
 * runs for others. */
static void settle_missed(const struct pf_estimate *e, const struct pf_group *groups)
{
	const struct pf_graph *graph = e->graph;

	for (uint32_t b = 0; b < graph->block_count; b++) {
		struct pf_estimate_block *block = &e->blocks[b];
		uint64_t said = 0;

		for (uint32_t i = graph->out_first[b]; block->missed && i < graph->out_first[b + 1]; i++) {
			const struct pf_group *to = &groups[e->blocks[graph->edges[graph->out_edges[i]].to].leader];

			if (to->known && !e->edge_outcomes[graph->out_edges[i]])
				said = pf_count_add(said, to->count);
		}
		if (pf_counts_agree(said, block->missed))
			block->outcomes = pf_count_add(block->outcomes, block->missed);
		else
			block->missed = 0;
	}
}

/* Whether BLOCK is entered by jumps of many ways alone, all of whose destinations were recognised, and how often. */
static bool count_arrivals(const struct pf_estimate *e, uint32_t block, uint64_t *count)
{
	const struct pf_graph *graph = e->graph;

	*count = 0;
	for (uint32_t i = graph->in_first[block]; i < graph->in_first[block + 1]; i++) {
		uint32_t edge = graph->in_edges[i];
		const struct pf_estimate_block *from = &e->blocks[graph->edges[edge].from];

		if (!from->many_ways || !from->outcomes || from->partial || (from->missed && !e->edge_outcomes[edge]))
			return false;
		*count += e->edge_outcomes[edge];
	}
	return graph->in_first[block] < graph->in_first[block + 1];
}

/* What a label's statements say is no more than a vote: its code may run for others, whose like was merged into it, or
 * be merged into theirs.  The jump through a table is no such code, and what it leads to is known of each label. */
static void believe_arrivals(const struct pf_estimate *e, struct pf_group *groups)
{
	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		uint64_t count;

		if (count_arrivals(e, b, &count))
			groups[e->blocks[b].leader] = (struct pf_group) { .count = count, .known = true };
	}
}

static void set_block(struct pf_estimate *e, const struct pf_group *groups, uint32_t b)
{
	struct pf_estimate_block *block = &e->blocks[b];
	struct pf_graph_block *out = &e->graph->blocks[b];
	const struct pf_group *group = &groups[block->leader];

	out->known = PF_UNKNOWN;
	out->count = 0;
	block->source = PF_FROM_INFERENCE;
	if (block->copied && block->outcomes && !block->partial) {
		out->known = PF_MEASURED;
		out->count = block->outcomes * e->scale;
		block->source = PF_FROM_BRANCH;
	} else if (group->known) {
		out->known = group->least || block->passed_by ? PF_AT_LEAST : PF_MEASURED;
		out->count = group->count * e->scale;
		block->source = block->vote_count ? block->best : PF_FROM_CLASS;
	} else if (block->outcomes) {
		out->known = block->partial ? PF_AT_LEAST : PF_MEASURED;
		out->count = block->outcomes * e->scale;
		block->source = PF_FROM_BRANCH;
	} else if (!block->vote_count && block->idle) {
		out->known = PF_MEASURED;
	}
}

/* The share that each outcome has of its jump, applied to the count of the block.  If a part of the outcomes is missing
 * nobody knows whose it is: those that are there are the least, and what has none is open. */
static void set_edge(struct pf_estimate *e, uint32_t i)
{
	struct pf_graph_edge *edge = &e->graph->edges[i];
	const struct pf_estimate_block *block = &e->blocks[edge->from];
	const struct pf_graph_block *from = &e->graph->blocks[edge->from];

	edge->known = PF_UNKNOWN;
	edge->count = 0;
	if (!block->outcomes || from->known == PF_UNKNOWN)
		return;
	if (!block->partial) {
		if (block->missed && !e->edge_outcomes[i])
			return;
		edge->known = PF_MEASURED;
		edge->count =
		    (uint64_t)((double)from->count * (double)e->edge_outcomes[i] / (double)block->outcomes + 0.5);
	} else if (e->edge_outcomes[i]) {
		edge->known = PF_AT_LEAST;
		edge->count = e->edge_outcomes[i] * e->scale;
	}
}

static void note_heard(const struct pf_estimate *e, struct pf_group *groups)
{
	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		const struct pf_estimate_block *block = &e->blocks[b];

		groups[block->leader].heard |= block->vote_count > 0 || block->idle || block->branch < e->record_count;
	}
}

/* What the blocks of each class say together, once it is settled who may speak. */
static int settle_groups(struct pf_estimate *e, struct pf_group *groups)
{
	struct pf_loops loops;
	int status;

	if (pf_loops_init(&loops, e->graph) != 0)
		return -1;
	note_heard(e, groups);
	status = pf_shared_settle(e, &loops);
	if (status == 0)
		status = vote_by_class(e, groups);
	if (status == 0)
		pf_turns_settle(e, &loops, groups);
	if (status == 0)
		status = pf_rotated_settle(e, &loops, groups);
	if (status == 0)
		status = pf_threaded_settle(e, groups);
	if (status == 0)
		bind_entries(e, &loops, groups);
	pf_loops_fini(&loops);
	return status;
}

int pf_estimate_run(struct pf_estimate *e)
{
	struct pf_graph *graph = e->graph;
	struct pf_infer_result result;
	struct pf_group *groups = calloc(graph->block_count, sizeof *groups);

	if (!groups || settle_groups(e, groups) != 0) {
		free(groups);
		return -1;
	}
	forget_converted_arms(e, groups);
	settle_missed(e, groups);
	believe_arrivals(e, groups);
	for (uint32_t b = 0; b < graph->block_count; b++)
		set_block(e, groups, b);
	free(groups);
	if (e->entries || e->head_known) {
		graph->blocks[graph->entry].known = e->entries ? PF_CERTAIN : PF_MEASURED;
		graph->blocks[graph->entry].count = e->entries ? e->entries : e->head * e->scale;
	}
	graph->blocks[graph->exit].known = PF_UNKNOWN;
	for (uint32_t i = 0; i < graph->edge_count; i++)
		set_edge(e, i);
	return pf_infer(graph, &costs, &result);
}
