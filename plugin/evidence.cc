/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile says of the blocks and edges of one function: each statement finds the record of its position and
 * votes for the count of its block, and each jump's outcomes are the ways out of its block (outcomes.cc).
 *
 * The hard case is a statement that did not stay what it was: the body that a call became has none of its places, a
 * store that was moved above a branch ran where the branch did not lead, and what one of several copies says is a part.
 */
#include "plugin/evidence.h"
#include "plugin/leftcalls.h"
#include "plugin/macros.h"
#include "plugin/trips.h"

namespace pathfdo
{

static const uint32_t vote_weight[] = { 4, 3, 1 };

evidence::evidence(pf_graph *flow, const pf_function *function, uint32_t body)
    : graph(flow), record(function), root(body), places(function, body)
{
	memset(&estimate, 0, sizeof estimate);
	estimate.graph = graph;
	estimate.record_count = record->record_count;
	estimate.blocks = XCNEWVEC(pf_estimate_block, graph->block_count);
	estimate.edge_outcomes = XCNEWVEC(uint64_t, graph->edge_count + 1);
}

evidence::~evidence()
{
	XDELETEVEC(estimate.blocks);
	XDELETEVEC(estimate.edge_outcomes);
}

/* How often the condition of BRANCH ran at least: of the jumps that `a && b` makes, one leads to the next. */
static uint64_t count_decisions(const pf_record *branch)
{
	uint64_t inner = 0;

	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		if (pf_place_compare(&branch->outcomes[i].to, &branch->place) == 0)
			inner += branch->outcomes[i].count;
	}
	return count_outcomes(branch) - inner;
}

/* What is at PLACE ran at LEAST so often.  False if nothing is known of it. */
bool evidence::add_vote(pf_estimate_block *block, const pf_place *place, uint32_t factor, uint64_t least)
{
	pf_match match = pf_match_record(record, place);
	bool recorded = match.kind != PF_MATCH_NONE;
	uint64_t count = recorded ? MAX(least, MAX(match.record->count, match.record->max)) : least;
	uint32_t whose = recorded ? match.record - record->records : record->record_count + inlined_at(record, *place);

	if (count == 0) { /* perhaps one of several copies, and the others ran under another key */
		block->idle |= recorded;
		return false;
	}
	if (!recorded)
		match.kind = PF_MATCH_EXACT;
	votes.safe_push({ count, vote_weight[match.kind] * factor, whose, false });
	if (!block->vote_count++ || (unsigned)match.kind < (unsigned)block->best)
		block->best = (pf_source)match.kind;
	return true;
}

/* Calls and branches become instructions of their own that keep their place, so their word counts double. */
static uint32_t stays_in_place(const gimple *stmt)
{
	return is_gimple_call(stmt) || gimple_code(stmt) == GIMPLE_COND || gimple_code(stmt) == GIMPLE_SWITCH ? 2 : 1;
}

/* What STMT does that no compiler does without the branch in front of it, as estimate.h counts it. */
static uint32_t stores_of(const gimple *stmt)
{
	if (is_gimple_call(stmt))
		return gimple_call_internal_p(stmt) || (gimple_call_builtin_p(stmt) && !gimple_vdef(stmt)) ? 0 : 2;
	if (gimple_code(stmt) == GIMPLE_ASM)
		return 2;
	return gimple_vdef(stmt) && !gimple_clobber_p(stmt) ? 1 : 0;
}

/* How often STMT ran at least, by what is at other places than its own: the body that a call became, or the inlined
 * function's lines, which are all that is in front of the jump of `if (f(x))`. */
uint64_t evidence::runs_elsewhere(gimple *stmt, const pf_place &place)
{
	if (is_gimple_call(stmt))
		return runs_inlined(record, place);
	if (gimple_code(stmt) != GIMPLE_COND)
		return 0;
	pf_match match = pf_match_record(record, &place);
	return match.kind != PF_MATCH_NONE && sharers[match.record - record->records] < 2
		   ? count_decisions(match.record)
		   : 0;
}

void evidence::collect_block(basic_block bb)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	pf_place place;

	block->branch = record->record_count;
	block->first_vote = votes.length();
	bool positioned = false;
	if (is_fatal(bb) || is_idle(bb, 0)) {
		block->idle = true;
		return;
	}
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		location_t where = gimple_location(stmt);

		block->stores += stores_of(stmt);
		if (is_real_statement(stmt) && places.place(where, pf_gcc_discriminator(bb, where), &place)) {
			if (add_vote(block, &place, stays_in_place(stmt), runs_elsewhere(stmt, place)))
				votes.last().movable = moved.has(stmt);
			positioned = true;
		}
	}
	if (!positioned && single_succ_p(bb)) {
		location_t where = single_succ_edge(bb)->goto_locus;

		if (places.place(where, pf_gcc_discriminator(bb, where), &place))
			add_vote(block, &place, 1, 0);
	}
}

/* What X is before conversions: a switch goes by the promoted value of what its labels test as it is. */
static tree unconverted(tree x)
{
	while (TREE_CODE(x) == SSA_NAME && gimple_assign_cast_p(SSA_NAME_DEF_STMT(x)) &&
	       INTEGRAL_TYPE_P(TREE_TYPE(gimple_assign_rhs1(SSA_NAME_DEF_STMT(x)))))
		x = gimple_assign_rhs1(SSA_NAME_DEF_STMT(x));
	return x;
}

/* Whether a label of a switch begins with a test of what the switch goes by: of `default: if (c < 32)`.  A switch
 * becomes several comparisons, and by those that lead to the label most often the test may be decided already, so that
 * it is not there on these ways: what it says of itself is the least. */
static bool is_decided_by_switch(basic_block bb)
{
	gcond *test = safe_dyn_cast<gcond *>(pf_gcc_last_stmt(bb));
	gimple *above = single_pred_p(bb) ? pf_gcc_last_stmt(single_pred(bb)) : NULL;

	if (!test || !above || gimple_code(above) != GIMPLE_SWITCH || TREE_CODE(gimple_cond_rhs(test)) != INTEGER_CST)
		return false;
	return unconverted(gimple_cond_lhs(test)) == unconverted(gimple_switch_index(as_a<gswitch *>(above)));
}

/* Blocks that run equally often vote together.  Dominance and loops do not tell: `continue` and `break` make loops that
 * share a header, and GCC counts them as one. */
bool evidence::classify()
{
	auto_vec<uint32_t> classes;

	classes.safe_grow_cleared(graph->block_count, true);
	if (pf_equivalence(graph, classes.address()) != 0)
		return false;
	for (uint32_t b = 0; b < graph->block_count; b++)
		estimate.blocks[b].leader = classes[b];
	return true;
}

bool compares_order(basic_block bb)
{
	gcond *condition = safe_dyn_cast<gcond *>(pf_gcc_last_stmt(bb));
	tree_code code = condition ? gimple_cond_code(condition) : ERROR_MARK;

	return code == LT_EXPR || code == LE_EXPR || code == GT_EXPR || code == GE_EXPR;
}

void evidence::count_sharers()
{
	basic_block bb;
	pf_place place;

	sharers.safe_grow_cleared(record->record_count + 1, true);
	ordered.safe_grow_cleared(record->record_count + 1, true);
	neighbours.safe_grow_cleared(record->record_count + 1, true);
	FOR_EACH_BB_FN(bb, cfun)
	{
		gimple *last = pf_gcc_last_stmt(bb);
		location_t where = last ? gimple_location(last) : UNKNOWN_LOCATION;

		if (!last || gimple_code(last) != GIMPLE_COND ||
		    !places.place(where, pf_gcc_discriminator(bb, where), &place))
			continue;
		pf_match match = pf_match_record(record, &place);
		if (match.kind != PF_MATCH_NONE) {
			sharers[match.record - record->records]++;
			ordered[match.record - record->records] += compares_order(bb);
		}
		uint32_t first, end = pf_match_column(record, &place, &first);
		if (first < end)
			neighbours[first]++;
	}
}

void evidence::collect_turns()
{
	unsigned turns;
	basic_block test;

	for (auto loop : loops_list(cfun, 0)) {
		if (constant_turns(loop, &turns, &test))
			estimate.blocks[test->index].test_turns = turns + 1;
	}
}

bool evidence::collect()
{
	basic_block bb;

	if (!estimate.blocks || !estimate.edge_outcomes || !classify())
		return false;
	taken.safe_grow_cleared(record->record_count + 1, true);
	count_sharers();
	FOR_EACH_BB_FN(bb, cfun)
	{
		collect_block(bb);
		collect_outcomes(bb);
		if (estimate.blocks[bb->index].outcomes)
			taken[estimate.blocks[bb->index].branch] = true;
	}
	FOR_EACH_BB_FN(bb, cfun)
	{
		pf_estimate_block *block = &estimate.blocks[bb->index];

		find_outcomes(bb);
		add_copies(bb);
		block->passed_by = is_decided_by_switch(bb);
		block->partial |= block->passed_by;
	}
	guess_by_macros(graph, estimate.edge_outcomes);
	collect_turns();
	return true;
}

bool evidence::run(uint64_t scale, uint64_t entries, function_report *report)
{
	basic_block bb;

	estimate.entries = entries;
	estimate.votes = votes.address();
	estimate.head = root ? record->nodes[root].entries : record->head;
	estimate.head_known = estimate.head > 0;
	estimate.scale = scale;
	if (pf_estimate_run(&estimate) != 0)
		return false;
	FOR_EACH_BB_FN(bb, cfun)
	report->blocks[estimate.blocks[bb->index].source]++;
	return true;
}

} // namespace pathfdo
