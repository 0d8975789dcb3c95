/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts between profile, flow graph and CFG.
 *
 * The hard case is quality.  GCC keeps with each count how well it is known: AFDO quality trips the vectoriser of
 * GCC 12 (a division by zero), and a PRECISE zero sends the block to the cold section and its calls' targets with it,
 * which is right for gcov and wrong for a sampled zero.  Sampled counts are therefore written as ADJUSTED, zero
 * as a guess, and a PRECISE zero only where samples or the compiler leave no doubt. */
#include "plugin/counts.h"
#include "plugin/evidence.h"
#include "plugin/trails.h"
#include "plugin/trips.h"

namespace pathfdo
{

namespace
{

const uint64_t seen_calls = 4; /* one of so many is enough to know what a function does */

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
			bb->count = sampled_count(
			    block->count, block->unlikely || (bold && bb->index != EXIT_BLOCK && !turned[bb->index]));
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

void add_counts(pf_graph *graph, const pf_graph *more)
{
	for (uint32_t b = 0; b < graph->block_count; b++)
		graph->blocks[b].count += more->blocks[b].count;
	for (uint32_t i = 0; i < graph->edge_count; i++)
		graph->edges[i].count += more->edges[i].count;
}

void set_sum(pf_graph *graph, const auto_vec<pf_graph *> &parts)
{
	for (uint32_t b = 0; b < graph->block_count; b++)
		graph->blocks[b].count = 0;
	for (uint32_t i = 0; i < graph->edge_count; i++)
		graph->edges[i].count = 0;
	for (const pf_graph *part : parts)
		add_counts(graph, part);
}

/* Loop bounds as gcov's reader records them: later passes take them before they look at the counts. */
void write_loop_bounds()
{
	unsigned turns;
	basic_block test;

	for (auto loop : loops_list(cfun, 0)) {
		if (!(loop->header->count > 0) || !loop->header->count.reliable_p())
			continue;
		widest_int bound = gcov_type_to_wide_int(
		    constant_turns(loop, &turns, &test) ? (gcov_type)turns : expected_loop_iterations_unbounded(loop));

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

void add_doubt(pf_graph *graph, uint64_t most)
{
	pf_graph *guessed = graph_of_cfg();
	pf_infer_result result;
	uint64_t highest = 1;

	if (guessed && pf_infer(guessed, NULL, &result) == 0) {
		for (uint32_t b = 0; b < graph->block_count; b++)
			highest = MAX(highest, guessed->blocks[b].count);
		for (uint32_t b = 0; highest && b < graph->block_count; b++)
			graph->blocks[b].count = pf_count_add(graph->blocks[b].count,
							      pf_count_scale(guessed->blocks[b].count, most, highest));
		for (uint32_t i = 0; highest && i < graph->edge_count; i++)
			graph->edges[i].count =
			    pf_count_add(graph->edges[i].count, pf_count_scale(guessed->edges[i].count, most, highest));
	}
	pf_graph_free(guessed);
}

void enter_graph(pf_graph *graph, uint64_t entries)
{
	uint64_t before = graph->blocks[ENTRY_BLOCK].count;

	for (uint32_t b = 0; b < graph->block_count; b++)
		graph->blocks[b].count = pf_count_scale(graph->blocks[b].count, entries, before);
	for (uint32_t i = 0; i < graph->edge_count; i++)
		graph->edges[i].count = pf_count_scale(graph->edges[i].count, entries, before);
}

bool count_graph(pf_graph *graph, const pf_function *record, uint64_t scale, function_report *report)
{
	evidence found(graph, record);

	return found.collect() && found.run(scale, 0, report);
}

bool count_instance(pf_graph *graph, const pf_function *record, uint32_t instance)
{
	evidence found(graph, record, instance);
	function_report ignored = {};

	return found.collect() && found.run(1, 0, &ignored);
}

/* A function that seldom begins and long turns has been seen in its loops and not where it begins and ends: these would
 * be next to never, and the functions that only it calls, too.  Its callers know better. */
static bool enter_as_called(pf_graph *graph, const pf_function *record, uint64_t scale, uint64_t called)
{
	evidence found(graph, record);
	function_report ignored = {};

	return found.collect() && found.run(scale, called, &ignored);
}

bool guess_graph(pf_graph *graph, uint64_t entries)
{
	pf_infer_result result;

	graph->blocks[ENTRY_BLOCK].known = PF_CERTAIN;
	graph->blocks[ENTRY_BLOCK].count = entries;
	return pf_infer(graph, NULL, &result) == 0;
}

/* Adds ENTRIES executions of which nothing is known. */
static bool add_guessed(pf_graph *graph, uint64_t entries)
{
	pf_graph *guessed = graph_of_cfg();
	bool done = guessed && guess_graph(guessed, entries);

	if (done)
		add_counts(graph, guessed);
	pf_graph_free(guessed);
	return done;
}

/* Counts are of CALLED entries.  Where the record has a small part of them, the compiler had made one of what the
 * function and its caller do in a row, as a test that both make, and what it left under the function's lines is not
 * what a call does.  Where a link will inline across units, what ran and no look saw begin has begun as often as could
 * be overseen: once in the profile, which is what other units take it for. */
static bool count_entered(pf_graph *graph, const pf_function *record, uint64_t scale, uint64_t called)
{
	uint64_t entries = graph->blocks[ENTRY_BLOCK].count;
	bool is_overseen = flag_generate_lto && record->total && !record->head;

	if (is_overseen && (!entries || TREE_PUBLIC(current_function_decl)))
		return enter_as_called(graph, record, scale, MAX(called, scale));
	if (!entries || entries >= called)
		return true;
	if (entries < scale)
		return enter_as_called(graph, record, scale, called);
	return called / seen_calls < entries || add_guessed(graph, called - entries);
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
		set_sum(graph, parts);
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
