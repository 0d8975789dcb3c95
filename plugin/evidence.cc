/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile says of the blocks and edges of one function: each statement finds the record of its position and
 * votes for the count of its block, and each jump's outcomes are the ways out of its block that lead to their places.
 *
 * The hard case is what the profiled compiler did to the code meanwhile.  It merged what two arms have in common under
 * the place of one of them, copied jumps, turned them round, moved code above a branch or out of a loop, and left
 * nothing of some blocks; so a destination is looked for on the way behind an edge, and what is found on two ways is
 * found on neither.  Where it is known what holds on a way (ways.h), that is not asked for. */
#include "plugin/evidence.h"
#include "plugin/leftcalls.h"
#include "plugin/macros.h"
#include "plugin/switches.h"
#include "plugin/trails.h"
#include "plugin/trips.h"
#include "plugin/ways.h"

namespace pathfdo
{

static const uint32_t vote_weight[] = { 4, 3, 1 };
static const int most_steps = 16;        /* from block to block without a choice */
static const uint32_t beside_limit = 64; /* records of one column that are tried for a branch without one */

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

static uint64_t count_outcomes(const pf_record *branch)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < branch->outcome_count; i++)
		total += branch->outcomes[i].count;
	return total;
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

	if (match.kind == PF_MATCH_NONE)
		return false;
	uint64_t count = MAX(least, MAX(match.record->count, match.record->max));
	if (count == 0) { /* perhaps one of several copies, and the others ran under another key */
		block->idle = true;
		return false;
	}
	pf_vote vote = { count, vote_weight[match.kind] * factor, (uint32_t)(match.record - record->records), false };
	votes.safe_push(vote);
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

/* Whether BB, or where it leads without a choice, ends in a call that does not return, has the place of a condition,
 * and was never made: the failure of an assertion.  What is known of the place is the condition's.  Of such a call at a
 * place of its own its record tells, if it has one; `exit` runs once, and is hardly ever seen. */
bool evidence::is_fatal(basic_block bb)
{
	pf_place place;

	for (int steps = 0; steps < most_steps && single_succ_p(bb) && !is_exceptional(single_succ_edge(bb)); steps++)
		bb = single_succ(bb);
	gcall *call = safe_dyn_cast<gcall *>(pf_gcc_last_stmt(bb));
	if (!call || gimple_call_internal_p(call) || !gimple_call_noreturn_p(call))
		return false;
	if (!places.place(gimple_location(call), pf_gcc_discriminator(bb, gimple_location(call)), &place))
		return false;
	pf_match match = pf_match_record(record, &place);
	return match.kind != PF_MATCH_NONE && sharers[match.record - record->records] && !match.record->target_count &&
	       !runs_inlined(record, place);
}

/* Whether BB's is one of several conditions of BRANCH's and goes on to the next always, as those of `assert(a && b)`:
 * the outcomes of all are added up, and tell nothing of one but that. */
bool evidence::is_asserted(basic_block bb, const pf_record *branch)
{
	return sharers[branch - record->records] > 1 && EDGE_COUNT(bb->succs) == 2 &&
	       is_fatal(EDGE_SUCC(bb, 0)->dest) != is_fatal(EDGE_SUCC(bb, 1)->dest);
}

/* Whether BB's first call is one that ran far too rarely for BB to run RUNS times, or never.  A call keeps its place
 * and is merged with nothing but its like; what is merged of two arms, such as the copy of a value that both of them
 * give, has the place of one of them, and makes an arm look taken that was not.  Copies of the call must be seen, too,
 * for which they have to share its record. */
bool evidence::is_idle(basic_block bb, uint64_t runs)
{
	gimple_stmt_iterator gsi = gsi_start_bb(bb);
	pf_place place;

	if (!PF_GCC_COPIES_SHARE_DISCRIMINATOR)
		return false;
	while (!gsi_end_p(gsi) && !is_gimple_call(gsi_stmt(gsi)))
		gsi_next(&gsi);
	if (gsi_end_p(gsi) || gimple_call_internal_p(gsi_stmt(gsi)) || gimple_call_builtin_p(gsi_stmt(gsi)))
		return false;
	location_t where = gimple_location(gsi_stmt(gsi));
	if (!places.place(where, pf_gcc_discriminator(bb, where), &place))
		return false;
	pf_match match = pf_match_record(record, &place);
	uint64_t inlined = runs_inlined(record, place);
	return match.kind == PF_MATCH_EXACT && (match.record->max == 0 || match.record->count < runs / 16) &&
	       (!inlined || inlined < runs / 16);
}

/* The one way out of a two-way branch that RUNS can have gone. */
edge evidence::only_live(basic_block bb, uint64_t runs)
{
	if (EDGE_COUNT(bb->succs) != 2)
		return NULL;
	edge first = EDGE_SUCC(bb, 0), second = EDGE_SUCC(bb, 1);
	bool idle = is_idle(first->dest, runs);

	if (is_exceptional(first) || is_exceptional(second) || idle == is_idle(second->dest, runs))
		return NULL;
	return idle ? second : first;
}

/* Whether what is copied on E has a place of its own, whose instructions did not run. */
bool evidence::copies_idly(edge e)
{
	for (gphi_iterator gsi = gsi_start_phis(e->dest); !gsi_end_p(gsi); gsi_next(&gsi)) {
		location_t where = gimple_phi_arg_location_from_edge(gsi.phi(), e);
		pf_place place;

		if (!places.place(where, pf_gcc_discriminator(e->src, where), &place))
			continue;
		pf_match match = pf_match_record(record, &place);
		if (match.kind <= PF_MATCH_COLUMN && match.record->max == 0)
			return true;
	}
	return false;
}

/* Where an arm's code was moved above the branch, the jump past the other arm leads where both arms lead. */
edge evidence::best_successor(basic_block bb, landings *behind, const pf_outcome *outcome)
{
	edge found = only_live(bb, outcome->count);
	auto_vec<landing> ways;
	int best = 0;

	if (found)
		return found;
	behind->find(&outcome->to, &ways);
	for (const landing &here : ways) {
		edge e = EDGE_SUCC(bb, here.way);

		if (here.fit > best || (here.fit == best && found && copies_idly(found))) {
			best = here.fit;
			found = e;
		} else if (here.fit == best && !copies_idly(e)) {
			found = NULL;
		}
	}
	return best ? found : way_to_call(bb, record, &places, &outcome->to);
}

/* Whether the outcomes name two places at most.  Copies of one jump do, be they turned round or not: from GCC 13 on a
 * loop's test has the same discriminator in front of the loop and at its end. */
static bool leads_two_ways(const pf_record *branch)
{
	const pf_outcome *first = branch->outcomes, *other = NULL;

	for (uint32_t i = 1; i < branch->outcome_count; i++) {
		const pf_outcome *here = &branch->outcomes[i];

		if (pf_place_compare(&here->to, &first->to) == 0)
			continue;
		if (other && pf_place_compare(&here->to, &other->to) != 0)
			return false;
		other = here;
	}
	return true;
}

/* Whether the jump stands in copies, each with a part of the statement's runs: one jump leads to one place by jumping,
 * to another by not doing so.  Copies that were turned round lead to a place in both ways; those of a test whose body
 * has lost its beginning to the front of the loop lead to two places in the same way. */
static bool has_copies(const pf_record *branch)
{
	for (uint32_t i = 1; i < branch->outcome_count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			bool one_place = pf_place_compare(&branch->outcomes[i].to, &branch->outcomes[k].to) == 0;

			if (one_place == (branch->outcomes[i].taken != branch->outcomes[k].taken))
				return true;
		}
	}
	return false;
}

/* Of a two-way branch with one destination recognised, the other destination is the other successor.  More than two
 * destinations are those of several jumps, and what is the other for one is not for all. */
void evidence::settle_last(basic_block bb, edge *choice, const pf_record *branch)
{
	edge seen = NULL;

	if (EDGE_COUNT(bb->succs) != 2 || !leads_two_ways(branch))
		return;
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		if (choice[i] && seen && choice[i] != seen)
			return;
		seen = choice[i] ? choice[i] : seen;
	}
	for (uint32_t i = 0; seen && i < branch->outcome_count; i++) {
		if (!choice[i])
			choice[i] = seen == EDGE_SUCC(bb, 0) ? EDGE_SUCC(bb, 1) : EDGE_SUCC(bb, 0);
	}
}

/* Whether the outcome is the way from the range check of a switch to its jump. */
static bool is_range_check(const pf_estimate_block *block, const pf_record *branch, const pf_outcome *outcome)
{
	return block->many_ways && pf_place_compare(&outcome->to, &branch->place) == 0;
}

/* Enters the outcomes of BRANCH, each with the edge it was recognised as.  They are partial if some of the
 * destinations were not recognised, or if some of the copies of the statement had no jump. */
void evidence::add_outcomes(basic_block bb, const pf_record *branch, edge *choice)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	uint64_t matched = 0, total = 0;

	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		if (is_range_check(block, branch, &branch->outcomes[i]))
			continue;
		total += branch->outcomes[i].count;
		matched += choice[i] ? branch->outcomes[i].count : 0;
	}
	if (!matched)
		return;
	block->partial |=
	    matched < total - total / 10 || (!block->many_ways && total < branch->count - branch->count / 8);
	block->outcomes += matched;
	for (uint32_t k = graph->out_first[bb->index], s = 0; k < graph->out_first[bb->index + 1]; k++, s++) {
		for (uint32_t i = 0; i < branch->outcome_count; i++) {
			if (choice[i] == EDGE_SUCC(bb, s) && !is_range_check(block, branch, &branch->outcomes[i]))
				estimate.edge_outcomes[graph->out_edges[k]] += branch->outcomes[i].count;
		}
	}
}

/* Whether the outcomes are those of one jump, or of copies of it: no other condition has their record, and they are not
 * more than the times that something of the statement ran. */
bool evidence::has_one_jump(const pf_record *branch)
{
	return sharers[branch - record->records] < 2 && count_outcomes(branch) <= branch->count + branch->count / 8;
}

/* What holds on a way tells better than its place which one it is.  If that is known of all outcomes, they are so many
 * executions of the condition, in whatever copies. */
void evidence::go_by_senses(basic_block bb, const pf_record *branch, edge *choice)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	bool all = true;
	edge ways[PF_SENSES];

	if (!has_one_jump(branch))
		return;
	ways_by_sense(bb, record, &places, ways);
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		edge way = ways[branch->outcomes[i].sense];

		all &= way != NULL;
		choice[i] = way ? way : choice[i];
	}
	block->copied |= all && count_outcomes(branch) > branch->count;
}

/* Sets CHOICE to the way out of BB that each outcome of BRANCH is, or NULL; false if the place of none is known and it
 * is not the record of BB's OWN jump. */
bool evidence::recognise(basic_block bb, const pf_record *branch, bool own, auto_vec<edge> *choice)
{
	landings behind(bb, record, branch, &places);
	bool known = own;

	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		choice->safe_push(best_successor(bb, &behind, &branch->outcomes[i]));
		known |= choice->last() != NULL;
	}
	if (known)
		go_by_senses(bb, branch, choice->address());
	settle_last(bb, choice->address(), branch);
	return known;
}

void evidence::match_outcomes(basic_block bb, const pf_record *branch)
{
	auto_vec<edge> choice;

	recognise(bb, branch, true, &choice);
	trails_note(bb, branch, choice.address());
	if (!root)
		switches_note(bb, branch, choice.address());
	add_outcomes(bb, branch, choice.address());
}

/* Whether the jump may be one through a register: these go several ways, compare nothing and never fall through, as
 * copies of a conditional jump do. */
static bool is_computed(const pf_record *branch)
{
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		if (!branch->outcomes[i].taken || branch->outcomes[i].sense)
			return false;
	}
	return branch->outcome_count > 2;
}

/* GCC keeps one computed goto for all of a function's, and gives each its own jump only at the end: every jump through
 * a register may be a copy.  A conditional jump that were taken for one would add ways that are no label's, and make
 * what is known of all labels partial. */
void evidence::match_copies(basic_block bb)
{
	for (uint32_t i = 0; i < record->record_count; i++) {
		if (is_computed(&record->records[i]))
			match_outcomes(bb, &record->records[i]);
	}
}

void evidence::set_branch(pf_estimate_block *block, const pf_record *branch)
{
	block->branch = (uint32_t)(branch - record->records);
	block->copied =
	    block->many_ways || (PF_GCC_COPIES_SHARE_DISCRIMINATOR && leads_two_ways(branch) && has_copies(branch));
}

void evidence::collect_outcomes(basic_block bb)
{
	gimple *last = pf_gcc_last_stmt(bb);
	pf_estimate_block *block = &estimate.blocks[bb->index];
	pf_place place;

	if (EDGE_COUNT(bb->succs) < 2 || !last)
		return;
	block->copied = block->many_ways = EDGE_COUNT(bb->succs) > 2;
	if (computed_goto_p(last)) {
		match_copies(bb);
		return;
	}
	location_t where = gimple_location(last);
	if (!places.place(where, pf_gcc_discriminator(bb, where), &place))
		return;
	pf_match match = pf_match_record(record, &place);
	if (match.kind > PF_MATCH_COLUMN || !match.record->outcome_count)
		return;
	block->branch_seen = true;
	set_branch(block, match.record);
	if (!is_asserted(bb, match.record))
		match_outcomes(bb, match.record);
}

/* Until GCC 13 a copy of a jump that was joined to another block has the discriminator of that.  Where no other
 * condition of the function is in the same line and column, the records beside the jump's own are such copies of it,
 * and it ran in all of them. */
void evidence::add_copies(basic_block bb)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	uint32_t own = block->branch, first;

	if (PF_GCC_COPIES_SHARE_DISCRIMINATOR || EDGE_COUNT(bb->succs) != 2 || own == record->record_count ||
	    !block->outcomes)
		return;
	uint32_t last = pf_match_column(record, &record->records[own].place, &first);
	for (uint32_t i = first; neighbours[first] == 1 && i < last; i++) {
		const pf_record *branch = &record->records[i];
		auto_vec<edge> choice;

		if (taken[i] || !branch->outcome_count)
			continue;
		taken[i] = block->copied = true;
		recognise(bb, branch, true, &choice);
		trails_note(bb, branch, choice.address());
		add_outcomes(bb, branch, choice.address());
	}
}

/* The jump at the end of BB votes by record TO instead of FROM. */
void evidence::swap_vote(basic_block bb, uint32_t from, uint32_t to)
{
	const pf_estimate_block *block = &estimate.blocks[bb->index];

	for (uint32_t i = block->vote_count; i-- > 0;) {
		pf_vote *vote = &votes[block->first_vote + i];

		if (vote->record != from || !record->records[to].count)
			continue;
		vote->record = to;
		vote->count = MAX(record->records[to].count, record->records[to].max);
		return;
	}
}

/* Two jumps of one place, as those of `a && b` may be, are told apart by their discriminators.  In the profiled binary
 * a block may have had another one: where a copy of the callee's first block was joined to the caller's, it has the
 * caller's.  Then none of the destinations is found, and they are those of a record beside it. */
void evidence::find_outcomes(basic_block bb)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	uint32_t wrong = block->branch, first;

	if (EDGE_COUNT(bb->succs) != 2 || wrong == record->record_count || block->outcomes ||
	    is_asserted(bb, &record->records[wrong]))
		return;
	uint32_t last = pf_match_column(record, &record->records[wrong].place, &first);
	/* All that a macro makes has one column: which of so many it is nobody can tell. */
	for (uint32_t i = first; last - first <= beside_limit && i < last; i++) {
		const pf_record *branch = &record->records[i];
		auto_vec<edge> choice;

		if (i == wrong || !branch->outcome_count || taken[i] || !recognise(bb, branch, false, &choice))
			continue;
		taken[i] = true;
		set_branch(block, branch);
		trails_note(bb, branch, choice.address());
		add_outcomes(bb, branch, choice.address());
		swap_vote(bb, wrong, i);
		return;
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

void evidence::count_sharers()
{
	basic_block bb;
	pf_place place;

	sharers.safe_grow_cleared(record->record_count + 1, true);
	neighbours.safe_grow_cleared(record->record_count + 1, true);
	FOR_EACH_BB_FN(bb, cfun)
	{
		gimple *last = pf_gcc_last_stmt(bb);
		location_t where = last ? gimple_location(last) : UNKNOWN_LOCATION;

		if (!last || gimple_code(last) != GIMPLE_COND ||
		    !places.place(where, pf_gcc_discriminator(bb, where), &place))
			continue;
		pf_match match = pf_match_record(record, &place);
		if (match.kind != PF_MATCH_NONE)
			sharers[match.record - record->records]++;
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
