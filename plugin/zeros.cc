/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zero counts that harm, in three places.
 *
 * The vectoriser.  To scale the epilogue of a vectorised loop it divides each block's count by that same count times a
 * guessed probability (tree-vect-loop-manip.cc, vect_do_peeling).  The division is left out if both are equal, which
 * takes the quality into account: a zero of better quality than a guess meets a guessed zero, and the compiler dies of
 * SIGFPE.  The annotation writes its zeros as guesses therefore.  The hard case is the zero that comes later, when
 * inlining scales a small count down; for those a pass goes over the function right before.  A precise zero is let
 * through by GCC and stays.
 *
 * The expansion.  It makes a precise zero of whatever control reaches through precise zeros alone, whatever was
 * counted there (predict.cc, propagate_unlikely_bbs_forward).  Where the annotation wrote the zero there was another
 * way: past the body of a loop that ran long before the first sample, its test led to the rest of the function.  That
 * way goes when the test is copied in front of the loop and folded.  So right before, each block that may run gets a
 * way from the entry.  The hard case is what was inlined where no count is: its own are local guesses there, and the
 * status of the function is that of its guesses.
 *
 * The jump table.  The lowering of switches goes by how many values lead where (tree-switch-conversion.cc,
 * jump_table_cluster::emit), and the default of a table without gaps has none.  The expansion puts a range check in
 * front of the table and takes the default off the table's chances, with a precise zero (stmt.cc,
 * emit_case_dispatch_table).  The hard case is a default that begins with a join, as of a loop: its values are copied
 * on the edge, in a block that is made before the range check has its own edge, and gets that zero.  It closes the
 * default, whatever was counted there, with -fprofile-use, too.  So right before, the edge gets what its destination
 * lacks, and the block for the copies; where the chances of the switch are known (switches.cc), that block alone. */
#include "plugin/gcc-compat.h"
#include "plugin/chances.h"
#include "plugin/passes.h"
#include "plugin/switches.h"
#include "plugin/zeros.h"

namespace pathfdo
{

namespace
{

unsigned guess_zeros(function *f)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		if (bb->count.initialized_p() && !bb->count.nonzero_p() && !(bb->count == profile_count::zero()))
			bb->count = bb->count.guessed();
	}
	return 0;
}

/* Control as the expansion sees it. */
class ways
{
      public:
	explicit ways(function *f);
	void open_to(basic_block bb);

      private:
	hash_set<basic_block> reached;
	auto_vec<int> position; /* by index, in reverse post-order */

	void go_on_from(basic_block bb);
	edge likeliest_into(basic_block bb);
};

bool is_closed(edge e)
{
	return e->count() == profile_count::zero();
}

ways::ways(function *f)
{
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(f));
	int count = pre_and_rev_post_order_compute(NULL, order, false);

	position.safe_grow_cleared(last_basic_block_for_fn(f), true);
	for (int i = 0; i < count; i++)
		position[order[i]] = i + 1;
	free(order);
	go_on_from(ENTRY_BLOCK_PTR_FOR_FN(f));
}

void ways::go_on_from(basic_block bb)
{
	auto_vec<basic_block> todo;
	edge_iterator ei;
	edge e;

	reached.add(bb);
	todo.safe_push(bb);
	while (todo.length()) {
		bb = todo.pop();
		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			if (!is_closed(e) && !(e->dest->count == profile_count::zero()) && !reached.add(e->dest))
				todo.safe_push(e->dest);
		}
	}
}

/* From an earlier block, so that following it ends at the entry; NULL where nothing leads to BB. */
edge ways::likeliest_into(basic_block bb)
{
	edge found = NULL, e;
	edge_iterator ei;

	FOR_EACH_EDGE(e, ei, bb->preds)
	{
		if (e->src != ENTRY_BLOCK_PTR_FOR_FN(cfun) &&
		    (!position[e->src->index] || position[e->src->index] >= position[bb->index]))
			continue;
		if (!found || (is_closed(found) && (!is_closed(e) || found->probability < e->probability)))
			found = e;
	}
	return found;
}

/* What must have run before BB has, once at least.  That is known as well as BB's count is: those of the program and
 * those of a function by itself, to which GCC goes back where nothing is known of its entry, do not mix. */
void ways::open_to(basic_block bb)
{
	profile_quality known = MIN(bb->count.quality(), ADJUSTED);

	while (!reached.contains(bb)) {
		edge e = likeliest_into(bb);

		go_on_from(bb);
		if (!e)
			return;
		if (e->src->count == profile_count::zero())
			e->src->count = profile_count::from_gcov_type(1, known);
		if (is_closed(e) && single_succ_p(e->src))
			e->probability = profile_probability::always();
		else if (is_closed(e))
			e->probability = profile_probability::very_unlikely();
		bb = e->src;
	}
}

/* What enters the destination of E and comes in by no other edge. */
profile_count lacking_of(edge e)
{
	profile_count rest = e->dest->count;
	edge_iterator ei;
	edge other;

	FOR_EACH_EDGE(other, ei, e->dest->preds)
	{
		if (other != e)
			rest -= other->count();
	}
	return rest;
}

/* A default that cannot be reached loses its edge in the expansion, which knows it by having no way on. */
void open_default(gswitch *at)
{
	tree label = CASE_LABEL(gimple_switch_default_label(at));
	edge e = find_edge(gimple_bb(at), label_to_block(cfun, label));
	profile_count lacking = lacking_of(e);

	if (!e->src->count.nonzero_p() || !lacking.nonzero_p() || EDGE_COUNT(e->dest->succs) == 0)
		return;
	if (!(e->probability > profile_probability::never()) && !switches_are_settled(at))
		give_chance(e, lacking.probability_in(e->src->count));
	if (!gimple_seq_empty_p(phi_nodes(e->dest)))
		split_edge(e);
}

bool has_counts(function *f)
{
	return profile_status_for_fn(f) != PROFILE_ABSENT;
}

unsigned wake(function *f)
{
	auto_vec<gswitch *> switches;
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		gimple *last = pf_gcc_last_stmt(bb);

		if (last && gimple_code(last) == GIMPLE_SWITCH)
			switches.safe_push(as_a<gswitch *>(last));
	}
	for (gswitch *at : switches)
		open_default(at);

	ways open(f);

	FOR_EACH_BB_FN(bb, f)
	{
		if (bb->count.nonzero_p())
			open.open_to(bb);
	}
	return 0;
}

} // namespace

void zeros_setup()
{
	passes_add({ GIMPLE_PASS, "pathfdo_zeros", TV_TREE_VECTORIZATION, "vect", 1, PASS_POS_INSERT_BEFORE, NULL,
		     guess_zeros });
	passes_add(
	    { GIMPLE_PASS, "pathfdo_waking", TV_TREE_CFG, "optimized", 1, PASS_POS_INSERT_AFTER, has_counts, wake });
}

} // namespace pathfdo
