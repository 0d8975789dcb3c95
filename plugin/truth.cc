/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Truth.  GCC's own reader of gcov data runs at the point where the annotation runs, on the same CFG, so its counts are
 * what perfect annotation would have written.  Replayed inlining scales them as GCC scales any count.
 *
 * The hard case is that the reader overwrites the guessed probabilities that the inference works with; they are kept
 * aside by edge, and put back wherever the reader's splitting and merging of blocks left the edge alive. */
#include "plugin/truth.h"
#include "plugin/counts.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

pf_comparison total;
unsigned compared;
bool counted; /* something ran, by gcov */

typedef hash_map<edge, profile_probability> guess_map;

void keep_guesses(guess_map *guesses, hash_set<basic_block> *closed)
{
	basic_block bb;
	edge e;
	edge_iterator ei;

	FOR_ALL_BB_FN(bb, cfun)
	{
		if (bb->count == profile_count::zero())
			closed->add(bb);
		FOR_EACH_EDGE(e, ei, bb->succs)
		guesses->put(e, e->probability);
	}
}

/* The estimate must not know what gcov does: neither its probabilities, nor which blocks never ran.  A certain zero in
 * front of it is the compiler's own (what ends in abort, for one), so those of gcov become uncertain. */
void restore_guesses(guess_map *guesses, hash_set<basic_block> *closed)
{
	basic_block bb;
	edge e;
	edge_iterator ei;

	FOR_ALL_BB_FN(bb, cfun)
	{
		bool known = true;

		if (bb->count == profile_count::zero() && !closed->contains(bb))
			bb->count = profile_count::adjusted_zero();
		FOR_EACH_EDGE(e, ei, bb->succs)
		known &= guesses->get(e) != NULL;
		if (!known)
			continue;
		FOR_EACH_EDGE(e, ei, bb->succs)
		e->probability = *guesses->get(e);
	}
}

/* Rewrites gcov's counts by the code that writes a profile's, to see what the writing costs. */
void write_as_profile()
{
	pf_graph *graph = graph_of_cfg();
	uint32_t i = 0;
	basic_block bb;

	if (!graph)
		return;
	FOR_ALL_BB_FN(bb, cfun)
	{
		edge e;
		edge_iterator ei;
		profile_count count = bb->count.ipa();

		graph->blocks[bb->index].count = count.initialized_p() ? count.to_gcov_type() : 0;
		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			profile_count flow = e->count().ipa();

			graph->edges[i++].count = flow.initialized_p() ? flow.to_gcov_type() : 0;
		}
	}
	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	write_graph(graph, trust::sampled, true);
	loop_optimizer_finalize();
	pf_graph_free(graph);
}

void read_function(cgraph_node *node)
{
	guess_map guesses;
	hash_set<basic_block> closed;

	push_cfun(DECL_STRUCT_FUNCTION(node->decl));
	if (execute_fixup_cfg() & TODO_cleanup_cfg)
		cleanup_tree_cfg();
	keep_guesses(&guesses, &closed);
	branch_prob(false);
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	cleanup_tree_cfg();
	update_ssa(TODO_update_ssa);
	if (!options.oracle)
		restore_guesses(&guesses, &closed);
	else if (profile_status_for_fn(cfun) == PROFILE_READ && ENTRY_BLOCK_PTR_FOR_FN(cfun)->count.ipa().nonzero_p())
		write_as_profile();
	cgraph_edge::rebuild_edges();
	compute_fn_summary(node, true);
	pop_cfun();
}

void compare_branches(pf_comparison *c, const auto_vec<uint64_t> &truth)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (EDGE_COUNT(bb->succs) != 2 || !truth[bb->index])
			continue;
		for (unsigned i = 0; i < 2; i++) {
			edge e = EDGE_SUCC(bb, i);

			if (!single_pred_p(e->dest) || !e->probability.initialized_p())
				continue;
			pf_compare_branch(c, (double)e->probability.to_reg_br_prob_base() / REG_BR_PROB_BASE,
					  (double)MIN(truth[e->dest->index], truth[bb->index]) / truth[bb->index],
					  truth[bb->index]);
			break;
		}
	}
}

void add(pf_comparison *to, const pf_comparison &from)
{
	to->truth += from.truth;
	to->estimate += from.estimate;
	to->difference += from.difference;
	to->branch_weight += from.branch_weight;
	to->branch_difference += from.branch_difference;
	to->misdirected += from.misdirected;
}

} // namespace

void truth_read()
{
	int values = flag_profile_values;
	cgraph_node *node;

	flag_profile_values = 0;
	flag_profile_correction = 1;
	FOR_EACH_DEFINED_FUNCTION(node)
	{
		if (gimple_has_body_p(node->decl) && DECL_SOURCE_LOCATION(node->decl) != BUILTINS_LOCATION)
			read_function(node);
	}
	flag_profile_values = values;
}

void truth_take(auto_vec<uint64_t> *counts)
{
	basic_block bb;

	counts->safe_grow_cleared(last_basic_block_for_fn(cfun), true);
	FOR_ALL_BB_FN(bb, cfun)
	{
		profile_count count = bb->count.ipa();

		if (count.initialized_p())
			(*counts)[bb->index] = count.to_gcov_type();
	}
}

void truth_compare(const auto_vec<uint64_t> &truth)
{
	pf_comparison c = {};
	auto_vec<uint64_t> mine;

	truth_take(&mine);
	mine[ENTRY_BLOCK] = mine[EXIT_BLOCK] = 0;
	auto_vec<uint64_t> theirs;
	theirs.safe_splice(truth);
	theirs[ENTRY_BLOCK] = theirs[EXIT_BLOCK] = 0;
	pf_compare_blocks(&c, mine.address(), theirs.address(), theirs.length());
	compare_branches(&c, truth);
	report_truth(current_function_decl, c, mine, theirs);
	add(&total, c);
	for (uint64_t runs : theirs)
		counted |= runs > 0;
	compared++;
}

void truth_finish()
{
	if (!compared)
		return;
	if (!counted) {
		fprintf(stderr,
			"pathfdo: %s: nothing to compare with: gcov has counted nothing of it, or under another name "
			"of the object file\n",
			main_input_filename);
		return;
	}
	fprintf(stderr,
		"pathfdo: %s: %u functions against gcov: block counts off by %.3f, branch probabilities by %.3f\n",
		main_input_filename, compared, pf_compare_block_error(&total), pf_compare_branch_error(&total));
}

} // namespace pathfdo
