/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that no look saw.  Of a block without a count GCC takes for granted that its speed is of no account, and a loop
 * whose header is such a block is neither vectorised nor are its operations chosen for speed.  So the body takes thrice
 * as long where it runs after all, as a loop for a case does that the recorded input did not have: two runs more, where
 * a straight line without a count loses half a run (heat.c).  By a profile that cannot rule out that it runs
 * (pf_heat_may_turn) it is hot by a guess.
 *
 * The hard case is what that costs where it does not run.  Vectors make a loop larger, and so only what they can make
 * faster is kept: innermost loops without calls that are left in one place, when a counter of theirs says so.  Nothing
 * is called there, hence the inliner does nothing for the guess.  They are not unrolled, which gains little next to
 * that and makes the most code.  The way to the loop and from it to what was seen has what one entry in GCC's guess of
 * the turns brings, and stays cool.  All of that is of the quality of a guess: no pass takes the turns for known.
 *
 * Of a function without any count the compiler guesses what is hot, by local frequencies, and what a profile switches
 * on makes code grow for those guesses.  Such a function keeps that for what it may inline, which was seen; its own
 * loops go without.  The marks go where the loops go, into other functions and through -flto. */
#include "plugin/unseen.h"
#include "plugin/chances.h"
#include "plugin/settings.h"
#include "plugin/trips.h"

namespace pathfdo
{

namespace
{

const unsigned short as_it_is = 1; /* loop.unroll: as `#pragma GCC unroll 1` has it */
const int most_turns = 100;        /* that a guess may come to */

/* A zero that is no more than what was seen: the compiler has no reason of its own for it. */
bool is_unseen(basic_block bb)
{
	return bb->count.initialized_p() && !bb->count.nonzero_p() && !(bb->count == profile_count::zero());
}

bool is_vector_ready(const gimple *stmt)
{
	if (is_gimple_call(stmt))
		return gimple_call_internal_p(stmt) || (gimple_call_builtin_p(stmt) && !gimple_vdef(stmt));
	return gimple_code(stmt) != GIMPLE_ASM && gimple_code(stmt) != GIMPLE_SWITCH;
}

bool is_simple(class loop *loop)
{
	basic_block *body = get_loop_body(loop);
	bool simple = true;

	for (unsigned i = 0; i < loop->num_nodes; i++) {
		for (gimple_stmt_iterator at = gsi_start_bb(body[i]); !gsi_end_p(at) && simple; gsi_next(&at))
			simple = is_vector_ready(gsi_stmt(at));
	}
	free(body);
	return simple;
}

profile_count guess_of(double count)
{
	return profile_count::from_gcov_type(MAX((gcov_type)count, 1)).guessed();
}

double share_of(edge e)
{
	return e->probability.initialized_p() ? (double)e->probability.to_reg_br_prob_base() / REG_BR_PROB_BASE : 0;
}

/* Gives the body COUNT at the header, and elsewhere what control makes of it; returns what enters the loop then. ORDER:
 * the function's BLOCKS in reverse post-order. */
double count_body(class loop *loop, double count, const int *order, int blocks)
{
	hash_map<edge, double> runs; /* of the ways in the loop, those that come back left out */
	double returns = 0;

	for (int i = 0; i < blocks; i++) {
		basic_block bb = BASIC_BLOCK_FOR_FN(cfun, order[i]);
		double sum = bb == loop->header ? count : 0;
		edge_iterator ei;
		edge e;

		if (bb->loop_father != loop)
			continue;
		FOR_EACH_EDGE(e, ei, bb->preds)
		sum += runs.get(e) ? *runs.get(e) : 0;
		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			if (e->dest == loop->header)
				returns += sum * share_of(e);
			else
				runs.put(e, sum * share_of(e));
		}
		bb->count = guess_of(sum);
	}
	return MAX(count - returns, count / most_turns);
}

/* The shortest way from BB, out of LOOP, to a block that was seen, backwards if BACK: its edges, the last of them
 * first. */
void find_way(class loop *loop, basic_block bb, bool back, auto_vec<edge> *way)
{
	hash_map<basic_block, edge> by;
	auto_vec<basic_block> todo;
	edge last = NULL, e;
	edge_iterator ei;

	todo.safe_push(bb);
	by.put(bb, NULL);
	for (unsigned i = 0; i < todo.length() && !last; i++) {
		FOR_EACH_EDGE(e, ei, back ? todo[i]->preds : todo[i]->succs)
		{
			basic_block next = back ? e->src : e->dest;

			if (last || (e->flags & EDGE_COMPLEX) || next->count == profile_count::zero() ||
			    flow_bb_inside_loop_p(loop, next) || by.get(next))
				continue;
			by.put(next, e);
			todo.safe_push(next);
			last = is_unseen(next) ? NULL : e;
		}
	}
	for (e = last; e; e = *by.get(back ? e->dest : e->src))
		way->safe_push(e);
}

/* What was seen is taken for likelier than what was not. */
void open_way(const auto_vec<edge> &in, double entries)
{
	profile_probability most = profile_probability::even().apply_scale(2, 3);

	if (in.is_empty() || in[0]->probability > profile_probability::never())
		return;
	profile_count from = in[0]->src->count, count = guess_of(entries);
	profile_probability share = count < from ? count.probability_in(from) : most;
	give_chance(in[0], (share < most ? share : most).guessed());
}

void keep_loop(class loop *loop, edge exit, double count, const int *order, int blocks)
{
	auto_vec<edge> in, out;
	hash_set<basic_block> between;

	find_way(loop, loop->header, true, &in);
	if (is_unseen(exit->dest))
		find_way(loop, exit->dest, false, &out);
	double entries = count_body(loop, count, order, blocks);

	for (edge e : in)
		between.add(e->dest);
	for (edge e : out)
		between.add(e->src);
	between.remove(loop->header);
	for (basic_block bb : between)
		bb->count = is_unseen(bb) ? guess_of(entries) : bb->count + guess_of(entries);
	open_way(in, entries);
	if (settings_implied_loops(current_function_decl).copies && !loop->unroll)
		loop->unroll = as_it_is;
}

} // namespace

void keep_loops(uint64_t count)
{
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(cfun));
	int blocks = pre_and_rev_post_order_compute(NULL, order, false);

	for (auto loop : loops_list(cfun, LI_ONLY_INNERMOST)) {
		edge exit = is_unseen(loop->header) && is_simple(loop) ? exit_by_counter(loop) : NULL;

		if (exit)
			keep_loop(loop, exit, (double)count, order, blocks);
	}
	free(order);
	update_max_bb_count();
}

void leave_loops(tree decl)
{
	implied_loops implied = settings_implied_loops(decl);
	unsigned turns;
	basic_block test;

	push_cfun(DECL_STRUCT_FUNCTION(decl));
	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	calculate_dominance_info(CDI_DOMINATORS);
	for (auto loop : loops_list(cfun, 0)) {
		if (constant_turns(loop, &turns, &test))
			continue;
		loop->dont_vectorize |= implied.vectors && !loop->force_vectorize;
		if (implied.copies && !loop->unroll)
			loop->unroll = as_it_is;
	}
	free_dominance_info(CDI_DOMINATORS);
	loop_optimizer_finalize();
	pop_cfun();
}

} // namespace pathfdo
