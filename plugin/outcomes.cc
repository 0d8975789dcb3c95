/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See evidence.h: the outcomes of jumps as ways out of blocks.
 *
 * The hard case is what the profiled compiler did to the code meanwhile.  It merged what two arms have in common under
 * the place of one of them, copied jumps, turned them round, moved code above a branch or out of a loop, and left
 * nothing of some blocks; so a destination is looked for on the way behind an edge, and what is found on two ways is
 * found on neither.  Where it is known what holds on a way (ways.h), that is not asked for. */
#include "plugin/evidence.h"
#include "plugin/leftcalls.h"
#include "plugin/switches.h"
#include "plugin/trails.h"
#include "plugin/ways.h"

namespace pathfdo
{

static const int most_steps = 16;        /* from block to block without a choice */
static const uint32_t beside_limit = 64; /* records of one column that are tried for a branch without one */

uint64_t count_outcomes(const pf_record *branch)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < branch->outcome_count; i++)
		total += branch->outcomes[i].count;
	return total;
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

/* Whether the outcomes are more than the times that something of the statement ran: it has several jumps. */
static bool has_more_jumps(const pf_record *branch)
{
	return count_outcomes(branch) > branch->count + branch->count / 8;
}

/* Whether the outcome is the way from one jump of a statement to the next, as of `a && b`, where both have one place,
 * from the first to the second.  An arm may be at the place of its jump as well, but then the statement runs as often
 * as the jump. */
static bool is_inner(const pf_record *branch, const pf_outcome *outcome)
{
	return has_more_jumps(branch) && pf_place_compare(&outcome->to, &branch->place) == 0;
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
		if (!choice[i] && !is_inner(branch, &branch->outcomes[i]))
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
	block->missed += block->many_ways ? total - matched : 0;
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
	return sharers[branch - record->records] < 2 && !has_more_jumps(branch);
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

/* What BB has by record WHOSE is another block's. */
void evidence::drop_votes(basic_block bb, uint32_t whose)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	uint32_t kept = block->first_vote;

	for (uint32_t i = 0; i < block->vote_count; i++) {
		if (votes[block->first_vote + i].record != whose)
			votes[kept++] = votes[block->first_vote + i];
	}
	block->vote_count = kept - block->first_vote;
}

/* Until GCC 13 what is inlined has no discriminators, which tell conditions at one place apart.  Where one of them
 * compares by order, as of `n < 4 && !done`, no jump of another is on "less" or "greater", and where such a way leads
 * to is not asked, as the next condition has the place of this one.  What the record counts is no block's whose jump
 * surely ran far less often than another's. */
void evidence::go_by_order(basic_block bb, const pf_record *branch, edge *choice)
{
	uint32_t whose = (uint32_t)(branch - record->records);
	bool is_ordered = compares_order(bb);
	uint64_t own = 0, others = 0;
	edge ways[PF_SENSES];

	if (PF_GCC_COPIES_SHARE_DISCRIMINATOR || sharers[whose] < 2 || ordered[whose] != 1)
		return;
	ways_by_sense(bb, record, &places, ways);
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		unsigned sense = branch->outcomes[i].sense;
		bool by_order = sense == PF_SENSE_LESS || sense == PF_SENSE_GREATER;

		(sense == PF_SENSE_NONE || by_order == is_ordered ? own : others) += branch->outcomes[i].count;
		if (by_order && (ways[sense] || !is_ordered))
			choice[i] = ways[sense];
	}
	if (own < others / 8)
		drop_votes(bb, whose);
}

/* Whether OUTCOME has "equal" on the second way out of BB, or "different" on the first, being recognised as WAY; -1 if
 * it says neither. */
static int is_turned(basic_block bb, const pf_outcome *outcome, edge way)
{
	if (!way || (outcome->sense != PF_SENSE_EQUAL && outcome->sense != PF_SENSE_DIFFERENT))
		return -1;
	return (outcome->sense == PF_SENSE_EQUAL) == (way == EDGE_SUCC(bb, 1));
}

/* What holds on one way out of a condition holds on no other, in whatever copies of its jump.  What says otherwise, and
 * is much less, is of another jump: where a loop's stores were moved behind it, one that asks whether there were any
 * stands there under the place of the loop's own test. */
void evidence::drop_strangers(basic_block bb, const pf_record *branch, edge *choice)
{
	uint64_t sum[2] = { 0, 0 };

	if (EDGE_COUNT(bb->succs) != 2 || !has_one_jump(branch))
		return;
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		int turned = is_turned(bb, &branch->outcomes[i], choice[i]);

		if (turned >= 0)
			sum[turned] += branch->outcomes[i].count;
	}
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		int turned = is_turned(bb, &branch->outcomes[i], choice[i]);

		if (turned >= 0 && sum[turned] < sum[!turned] / 8)
			choice[i] = NULL;
	}
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
	go_by_order(bb, branch, choice->address());
	drop_strangers(bb, branch, choice->address());
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
 * what is known of all labels partial.  What of these came to no label is a switch's, that has a table. */
void evidence::match_copies(basic_block bb)
{
	for (uint32_t i = 0; i < record->record_count; i++) {
		if (is_computed(&record->records[i]))
			match_outcomes(bb, &record->records[i]);
	}
	estimate.blocks[bb->index].missed = 0;
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

} // namespace pathfdo
