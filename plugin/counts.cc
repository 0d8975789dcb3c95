/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts between profile, flow graph and CFG.
 *
 * The hard case is quality.  GCC keeps with each count how well it is known: AFDO quality trips the vectoriser of
 * GCC 12 (a division by zero), and a PRECISE zero sends the block to the cold section and its calls' targets with it,
 * which is right for gcov and wrong for a sampled zero.  Sampled counts are therefore written as ADJUSTED, zero
 * as a guess, and a PRECISE zero only where samples or the compiler leave no doubt. */
#include "plugin/counts.h"
#include "plugin/leftcalls.h"
#include "plugin/place.h"
#include "plugin/trails.h"
#include "plugin/trips.h"

namespace pathfdo
{

namespace
{

const uint32_t vote_weight[] = { 4, 3, 1 };

/* Whether E is taken by an exception or a non-local jump.  The edges of a computed goto are abnormal too, and are
 * the main road of every interpreter. */
bool is_exceptional(edge e)
{
	gimple *last = e->src->index < NUM_FIXED_BLOCKS ? NULL : pf_gcc_last_stmt(e->src);

	if (e->flags & (EDGE_EH | EDGE_FAKE))
		return true;
	return (e->flags & EDGE_ABNORMAL) && !(last && computed_goto_p(last));
}

/* Collects the evidence for one function. */
class evidence
{
      public:
	evidence(pf_graph *flow, const pf_function *function);
	~evidence();
	bool collect();
	bool run(uint64_t scale, uint64_t entries, function_report *report);

      private:
	pf_graph *graph;
	const pf_function *record;
	placer places;
	pf_estimate estimate;
	auto_vec<pf_vote> votes;
	const pf_record *deciding; /* whose outcomes are looked for */

	void add_vote(pf_estimate_block *block, const pf_place *place, uint32_t factor, uint64_t least);
	void collect_block(basic_block bb);
	void collect_outcomes(basic_block bb);
	bool classify();
	int fit(location_t where, basic_block in, const pf_place *wanted, bool *recorded);
	int score(edge e, const pf_place *wanted);
	bool is_idle(basic_block bb, uint64_t runs);
	edge only_live(basic_block bb, uint64_t runs);
	bool copies_idly(edge e);
	edge best_successor(basic_block bb, const pf_outcome *outcome);
	void add_outcomes(basic_block bb, const pf_record *branch, edge *choice);
	void match_outcomes(basic_block bb, const pf_record *branch);
	void match_copies(basic_block bb);
	void settle_last(basic_block bb, edge *choice, const pf_record *branch);
};

evidence::evidence(pf_graph *flow, const pf_function *function)
    : graph(flow), record(function), places(function), deciding(NULL)
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

/* What is at PLACE ran at LEAST so often. */
void evidence::add_vote(pf_estimate_block *block, const pf_place *place, uint32_t factor, uint64_t least)
{
	pf_match match = pf_match_record(record, place);

	if (match.kind == PF_MATCH_NONE)
		return;
	uint64_t count = MAX(least, MAX(match.record->count, match.record->max));
	if (count == 0) { /* perhaps one of several copies, and the others ran under another key */
		block->idle = true;
		return;
	}
	pf_vote vote = { count, vote_weight[match.kind] * factor, (uint32_t)(match.record - record->records) };
	votes.safe_push(vote);
	if (!block->vote_count++ || (unsigned)match.kind < (unsigned)block->best)
		block->best = (pf_source)match.kind;
}

/* Calls and branches become instructions of their own that keep their place, so their word counts double. */
uint32_t stays_in_place(const gimple *stmt)
{
	return is_gimple_call(stmt) || gimple_code(stmt) == GIMPLE_COND || gimple_code(stmt) == GIMPLE_SWITCH ? 2 : 1;
}

void evidence::collect_block(basic_block bb)
{
	pf_estimate_block *block = &estimate.blocks[bb->index];
	pf_place place;

	block->branch = record->record_count;
	block->first_vote = votes.length();
	bool positioned = false;
	if (is_idle(bb, 0)) {
		block->idle = true;
		return;
	}
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		location_t where = gimple_location(stmt);

		if (is_real_statement(stmt) && places.place(where, pf_gcc_discriminator(bb, where), &place)) {
			add_vote(block, &place, stays_in_place(stmt),
				 is_gimple_call(stmt) ? runs_inlined(record, place) : 0);
			positioned = true;
		}
	}
	if (!positioned && single_succ_p(bb)) {
		location_t where = single_succ_edge(bb)->goto_locus;

		if (places.place(where, pf_gcc_discriminator(bb, where), &place))
			add_vote(block, &place, 1, 0);
	}
}

/* How well the place of something in block IN fits a destination; 3 exactly, 0 not at all.  The branch's own place is
 * none that control comes to. */
int evidence::fit(location_t where, basic_block in, const pf_place *wanted, bool *recorded)
{
	pf_place place;

	if (!places.place(where, pf_gcc_discriminator(in, where), &place))
		return 0;
	pf_match match = pf_match_record(record, &place);
	*recorded |= match.kind != PF_MATCH_NONE && match.record != deciding;
	if (place.node != wanted->node || place.position.line != wanted->position.line)
		return 0;
	if (place.position.column != wanted->position.column)
		return 1;
	return place.position.discriminator == wanted->position.discriminator ? 3 : 2;
}

/* How well edge E, the block it leads to, or what follows that without a choice, fits a destination.  What left no
 * instructions in the profiled binary is passed over. */
int evidence::score(edge e, const pf_place *wanted)
{
	int best = 0;

	for (int steps = 0; steps < 4 && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun); steps++) {
		bool recorded = false;

		best = MAX(best, fit(e->goto_locus, e->src, wanted, &recorded));
		for (gimple_stmt_iterator gsi = gsi_start_bb(e->dest); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (is_real_statement(gsi_stmt(gsi)))
				best = MAX(best, fit(gimple_location(gsi_stmt(gsi)), e->dest, wanted, &recorded));
		}
		if (recorded || !single_succ_p(e->dest))
			break;
		e = single_succ_edge(e->dest);
	}
	return best;
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
edge evidence::best_successor(basic_block bb, const pf_outcome *outcome)
{
	edge found = only_live(bb, outcome->count), e;
	edge_iterator ei;
	int best = 0;

	if (found)
		return found;
	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		int here = is_exceptional(e) ? 0 : score(e, &outcome->to);

		if (here > best || (here && here == best && found && copies_idly(found))) {
			best = here;
			found = e;
		} else if (here == best && !copies_idly(e)) {
			found = NULL;
		}
	}
	return best ? found : way_to_call(bb, record, &places, &outcome->to);
}

/* Whether the outcomes name two places at most.  Copies of one jump do, be they turned round or not: from GCC 13 on a
 * loop's test has the same discriminator in front of the loop and at its end. */
bool leads_two_ways(const pf_record *branch)
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
bool has_copies(const pf_record *branch)
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
bool is_range_check(const pf_estimate_block *block, const pf_record *branch, const pf_outcome *outcome)
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

void evidence::match_outcomes(basic_block bb, const pf_record *branch)
{
	auto_vec<edge> choice;

	deciding = branch;
	for (uint32_t i = 0; i < branch->outcome_count; i++)
		choice.safe_push(best_successor(bb, &branch->outcomes[i]));
	settle_last(bb, choice.address(), branch);
	trails_note(bb, branch, choice.address());
	add_outcomes(bb, branch, choice.address());
}

/* Whether the jump may be one through a register: these go several ways and never fall through, as copies of a
 * conditional jump do. */
bool is_computed(const pf_record *branch)
{
	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		if (!branch->outcomes[i].taken)
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
	block->branch = (uint32_t)(match.record - record->records);
	block->copied |= PF_GCC_COPIES_SHARE_DISCRIMINATOR && leads_two_ways(match.record) && has_copies(match.record);
	match_outcomes(bb, match.record);
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

bool evidence::collect()
{
	basic_block bb;

	if (!estimate.blocks || !estimate.edge_outcomes || !classify())
		return false;
	FOR_EACH_BB_FN(bb, cfun)
	{
		collect_block(bb);
		collect_outcomes(bb);
	}
	return true;
}

bool evidence::run(uint64_t scale, uint64_t entries, function_report *report)
{
	basic_block bb;

	estimate.entries = entries;
	estimate.votes = votes.address();
	estimate.head = record->head;
	estimate.head_known = record->head > 0;
	estimate.scale = scale;
	if (pf_estimate_run(&estimate) != 0)
		return false;
	FOR_EACH_BB_FN(bb, cfun)
	report->blocks[estimate.blocks[bb->index].source]++;
	return true;
}

/* An uncertain zero is a guess: the vectoriser of GCC 12 dies of a better one (zeros.cc). */
profile_count sampled_count(uint64_t count, bool certain)
{
	if (count)
		return profile_count::from_gcov_type(count, ADJUSTED);
	return certain ? profile_count::zero() : profile_count::guessed_zero();
}

/* The blocks of loops that surely ran, as what is behind them did: no look has shown them, and still they are not never
 * executed. */
void find_certain_turns(const pf_graph *graph, auto_vec<bool> *turned)
{
	turned->safe_grow_cleared(graph->block_count, true);
	for (auto loop : loops_list(cfun, 0)) {
		if (!graph->blocks[loop->header->index].count || !turns_surely(loop))
			continue;
		basic_block *body = get_loop_body(loop);

		for (unsigned i = 0; i < loop->num_nodes; i++)
			(*turned)[body[i]->index] = true;
		free(body);
	}
}

void write_blocks(const pf_graph *graph, trust quality, bool bold)
{
	auto_vec<bool> turned;
	basic_block bb;

	find_certain_turns(graph, &turned);

	FOR_ALL_BB_FN(bb, cfun)
	{
		const pf_graph_block *block = &graph->blocks[bb->index];

		if (quality == trust::exact)
			bb->count = profile_count::from_gcov_type(block->count);
		else
			bb->count = sampled_count(block->count, block->unlikely || (bold && bb->index != EXIT_BLOCK &&
										    !turned[bb->index]));
	}
}

/* No edge is without a probability where a profile was read; -fno-guess-branch-probability leaves them so. */
void keep_probability(edge e)
{
	if (!e->probability.initialized_p())
		e->probability = profile_probability::guessed_always().apply_scale(1, EDGE_COUNT(e->src->succs));
}

void write_edges(const pf_graph *graph, trust quality)
{
	basic_block bb;
	uint32_t i = 0;

	FOR_ALL_BB_FN(bb, cfun)
	{
		uint64_t count = graph->blocks[bb->index].count;
		edge e;
		edge_iterator ei;

		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			const pf_graph_edge *flow = &graph->edges[i++];

			if (!count) {
				keep_probability(e);
				continue;
			}
			e->probability = profile_probability::probability_in_gcov_type(flow->count, count);
			if (quality == trust::sampled && !(flow->count == 0 && flow->unlikely))
				e->probability = e->probability.adjusted();
		}
	}
}

/* Both graphs are of the current CFG. */
void guess_by_counts(pf_graph *graph, const pf_graph *counted)
{
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		uint64_t from = counted->blocks[counted->edges[i].from].count;

		if (from)
			graph->edges[i].guess = (double)counted->edges[i].count / (double)from;
	}
}

void add_counts(pf_graph *graph, const auto_vec<pf_graph *> &parts)
{
	for (uint32_t b = 0; b < graph->block_count; b++) {
		graph->blocks[b].count = 0;
		for (const pf_graph *part : parts)
			graph->blocks[b].count += part->blocks[b].count;
	}
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		graph->edges[i].count = 0;
		for (const pf_graph *part : parts)
			graph->edges[i].count += part->edges[i].count;
	}
}

/* Loop bounds as gcov's reader records them: later passes take them before they look at the counts. */
void write_loop_bounds()
{
	unsigned turns;

	for (auto loop : loops_list(cfun, 0)) {
		if (!(loop->header->count > 0) || !loop->header->count.reliable_p())
			continue;
		widest_int bound = gcov_type_to_wide_int(
		    constant_turns(loop, &turns) ? (gcov_type)turns : expected_loop_iterations_unbounded(loop));

		loop->any_estimate = false;
		record_niter_bound(loop, bound, true, false);
	}
}

} // namespace

pf_graph *graph_of_cfg()
{
	pf_graph *graph = pf_graph_alloc(last_basic_block_for_fn(cfun), ENTRY_BLOCK, EXIT_BLOCK);
	basic_block bb;

	if (!graph)
		return NULL;
	FOR_ALL_BB_FN(bb, cfun)
	{
		edge e;
		edge_iterator ei;

		graph->blocks[bb->index].unlikely = bb->count == profile_count::zero();
		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			uint32_t i = pf_graph_add_edge(graph, bb->index, e->dest->index);

			if (i == UINT32_MAX) {
				pf_graph_free(graph);
				return NULL;
			}
			graph->edges[i].unlikely = is_exceptional(e) || e->probability == profile_probability::never();
			graph->edges[i].fallthrough = (e->flags & EDGE_FALLTHRU) != 0;
			graph->edges[i].guess = -1;
			if (e->probability.initialized_p())
				graph->edges[i].guess = (double)e->probability.to_reg_br_prob_base() / REG_BR_PROB_BASE;
		}
	}
	graph->blocks[ENTRY_BLOCK].unlikely = graph->blocks[EXIT_BLOCK].unlikely = false;
	if (pf_graph_finish(graph) != 0) {
		pf_graph_free(graph);
		return NULL;
	}
	return graph;
}

bool count_graph(pf_graph *graph, const pf_function *record, uint64_t scale, function_report *report)
{
	evidence found(graph, record);

	return found.collect() && found.run(scale, 0, report);
}

/* A function that seldom begins and long turns has been seen in its loops and not where it begins and ends: these would
 * be next to never, and the functions that only it calls, too.  Its callers know better. */
static bool count_entered(pf_graph *graph, const pf_function *record, uint64_t scale, uint64_t called)
{
	uint64_t entries = graph->blocks[ENTRY_BLOCK].count;
	evidence found(graph, record);
	function_report ignored = {};

	if (!entries || entries >= scale || entries >= called)
		return true;
	return found.collect() && found.run(scale, called, &ignored);
}

/* What the part leaves open is guessed by the counts of the sum. */
static bool count_part(pf_graph *graph, const pf_graph *sum, const pf_function *part, uint64_t scale)
{
	function_report ignored = {};

	guess_by_counts(graph, sum);
	return part->record_count == 0 || count_graph(graph, part, scale, &ignored);
}

bool count_body(pf_graph *graph, const pf_body &body, uint64_t scale, uint64_t called, function_report *report)
{
	trails_begin(body.function);
	bool counted = count_graph(graph, body.function, scale, report);
	trails_take();
	auto_vec<pf_graph *> parts;

	for (uint32_t i = 0; i < body.parts.count && body.parts.count > 1 && counted; i++) {
		const pf_function *part = &body.parts.at[i].profile->functions[0];
		pf_graph *flow = graph_of_cfg();

		parts.safe_push(flow);
		counted = flow && count_part(flow, graph, part, scale);
	}
	if (counted && parts.length())
		add_counts(graph, parts);
	for (pf_graph *part : parts)
		pf_graph_free(part);
	return counted && count_entered(graph, body.function, scale, called);
}

void write_graph(const pf_graph *graph, trust quality, bool bold)
{
	write_blocks(graph, quality, bold);
	write_edges(graph, quality);
	update_max_bb_count();
	profile_status_for_fn(cfun) = PROFILE_READ;
	write_loop_bounds();
	cgraph_node::get(current_function_decl)->count = ENTRY_BLOCK_PTR_FOR_FN(cfun)->count;
	compute_function_frequency();
}

} // namespace pathfdo
