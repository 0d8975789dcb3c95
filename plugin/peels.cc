/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which loops are worth peeling.  Where a profile says that a loop turns a few times, GCC lays that many turns in front
 * of it (-fpeel-loops, tree-ssa-loop-ivcanon.cc, try_peel_loop), and goes by nothing but their number and size.  What
 * that gains is what is known of the first turns and not of the others: a counter that starts at a constant is one in
 * each of them, the distance from a start is none at first.  And where a loop hardly ever turns, what is in front of it
 * is as good as no loop.
 *
 * The hard case is the loop that goes on from wherever something else left off, as a comparison of two strings does
 * from where they are known to be equal.  Nothing is known of any of its turns.  The copies compute each address from
 * the start, which the loop steps from turn to turn, and a third of the entries, where the turns are as good as random,
 * go through all copies to the loop and have what it steps by to set up then.  Where it came to is the result, which
 * each copy has at hand for its own way out besides.  Such a loop is left as it is.  What steps nothing by a fixed
 * amount, as it follows a list, or nothing that is asked for behind the loop, as it adds something up, has addresses
 * with fixed distances in its copies, and saves the steps. */
#include "plugin/peels.h"
#include "plugin/passes.h"

namespace pathfdo
{

namespace
{

const unsigned short whole = 1; /* loop.unroll: as `#pragma GCC unroll 1` has it */

/* The block in which a use needs its value: for the argument of a phi the one that it comes from. */
basic_block block_of(use_operand_p use)
{
	gphi *phi = dyn_cast<gphi *>(USE_STMT(use));

	return phi ? gimple_phi_arg_edge(phi, PHI_ARG_INDEX_FROM_USE(use))->src : gimple_bb(USE_STMT(use));
}

/* Whether NAME, from outside, is used within LOOP or behind it as itself, and not only as what one of the loop's
 * variables starts with. */
bool is_used_later(class loop *loop, tree name)
{
	imm_use_iterator uses;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, uses, name)
	{
		if (!is_gimple_debug(USE_STMT(use)) && dominated_by_p(CDI_DOMINATORS, block_of(use), loop->header))
			return true;
	}
	return false;
}

/* Whether the first turn of LOOP knows more of one of its variables than the others do: what it is, or that it is the
 * same as something else. */
bool starts_known(class loop *loop)
{
	edge entry = loop_preheader_edge(loop);

	for (gphi_iterator i = gsi_start_phis(loop->header); !gsi_end_p(i); gsi_next(&i)) {
		tree first = PHI_ARG_DEF_FROM_EDGE(i.phi(), entry);

		if (!virtual_operand_p(gimple_phi_result(i.phi())) &&
		    (is_gimple_min_invariant(first) || is_used_later(loop, first)))
			return true;
	}
	return false;
}

/* Whether VARIABLE, of which LOOP has a value for each turn, is asked for behind the loop: this value or the next. */
bool outlives(class loop *loop, gphi *variable)
{
	tree values[] = { gimple_phi_result(variable), PHI_ARG_DEF_FROM_EDGE(variable, loop_latch_edge(loop)) };
	imm_use_iterator uses;
	use_operand_p use;

	for (tree value : values) {
		if (TREE_CODE(value) != SSA_NAME)
			continue;
		FOR_EACH_IMM_USE_FAST(use, uses, value)
		{
			if (!is_gimple_debug(USE_STMT(use)) && !flow_bb_inside_loop_p(loop, gimple_bb(USE_STMT(use))))
				return true;
		}
	}
	return false;
}

/* Whether LOOP steps a variable by a fixed amount that is asked for behind it. */
bool steps(class loop *loop)
{
	affine_iv counter;

	for (gphi_iterator i = gsi_start_phis(loop->header); !gsi_end_p(i); gsi_next(&i)) {
		tree variable = gimple_phi_result(i.phi());

		if (!virtual_operand_p(variable) && simple_iv(loop, loop, variable, &counter, false) &&
		    !integer_zerop(counter.step) && outlives(loop, i.phi()))
			return true;
	}
	return false;
}

/* Whether most entries to LOOP, by its counts, go through it once and out again. */
bool hardly_turns(class loop *loop)
{
	profile_count entries = loop_preheader_edge(loop)->count(), all = loop->header->count;

	return entries.initialized_p() && all.initialized_p() &&
	       2 * (double)all.to_gcov_type() < 3 * (double)entries.to_gcov_type();
}

/* The loops that are marked here, by their numbers.  Other marks are their author's, or say that nobody saw the loop.
 */
auto_vec<int> marked;

/* Marks the loops of the current function, as its author would.  A loop of at most so many turns may be unrolled
 * completely, which the mark would forbid, too. */
unsigned keep_whole(function *)
{
	calculate_dominance_info(CDI_DOMINATORS);
	marked.truncate(0);
	for (auto loop : loops_list(cfun, LI_ONLY_INNERMOST)) {
		HOST_WIDE_INT most = max_loop_iterations_int(loop);

		if (!loop->unroll && (most < 0 || most > param_max_completely_peel_times) && !hardly_turns(loop) &&
		    steps(loop) && !starts_known(loop)) {
			loop->unroll = whole;
			marked.safe_push(loop->num);
		}
	}
	return 0;
}

/* Nobody behind the peeling has to do with the marks. */
unsigned forget(function *)
{
	for (int number : marked) {
		class loop *loop = get_loop(cfun, number);

		if (loop)
			loop->unroll = 0;
	}
	return 0;
}

/* What the command line asks for is done. */
bool peels_loops(function *f)
{
	return flag_peel_loops && !OPTION_SET_P(flag_peel_loops) && profile_status_for_fn(f) == PROFILE_READ &&
	       number_of_loops(f) > 1;
}

} // namespace

void peels_setup()
{
	passes_add({ GIMPLE_PASS, "pathfdo_peels", TV_COMPLETE_UNROLL, "cunroll", 1, PASS_POS_INSERT_BEFORE,
		     peels_loops, keep_whole });
	passes_add({ GIMPLE_PASS, "pathfdo_peeled", TV_COMPLETE_UNROLL, "cunroll", 1, PASS_POS_INSERT_AFTER,
		     peels_loops, forget });
}

} // namespace pathfdo
