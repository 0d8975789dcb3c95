/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions at which GCC splits loops.  A condition on a loop's counter that is one way in its first turns and the
 * other way in all that follow is taken out of the loop by making two loops of it (tree-ssa-loop-split.cc), which share
 * the counts by the condition's chance.  GCC gives the chance that it is true to the first loop, and that is right
 * where the first turns are those of which it is true.  Else, as with `if (i > first)`, the loop that turns once gets
 * the counts of the one that does the work, which for GCC hardly runs, then: neither vectorised nor laid out as hot.
 * With counts from -fprofile-use this is no different.
 *
 * So a condition that begins false is written the other way around, with its ways exchanged, before GCC looks.
 *
 * The hard case is to know what GCC will take the condition for; it is asked with GCC's own analysis of the counter.
 * What is turned around needlessly means what it meant. */
#include "plugin/guards.h"
#include "plugin/passes.h"

namespace pathfdo
{

namespace
{

/* Whether CONDITION of LOOP compares a counter with something fixed so that it is false at first. */
bool begins_false(class loop *loop, gcond *condition)
{
	tree_code code = gimple_cond_code(condition);
	tree type = TREE_TYPE(gimple_cond_lhs(condition));
	affine_iv left, right;

	if (code != LT_EXPR && code != LE_EXPR && code != GT_EXPR && code != GE_EXPR)
		return false;
	if ((!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type)) ||
	    !simple_iv(loop, loop, gimple_cond_lhs(condition), &left, false) ||
	    !simple_iv(loop, loop, gimple_cond_rhs(condition), &right, false))
		return false;
	if (!integer_zerop(right.step)) {
		std::swap(left, right);
		code = swap_tree_comparison(code);
	}
	if (!integer_zerop(right.step) || integer_zerop(left.step))
		return false;
	bool falls = tree_int_cst_sign_bit(left.step), is_less = code == LT_EXPR || code == LE_EXPR;
	return is_less == falls;
}

void turn_around(gcond *condition)
{
	edge_iterator ei;
	edge e;

	gimple_cond_set_code(condition, invert_tree_comparison(gimple_cond_code(condition), false));
	FOR_EACH_EDGE(e, ei, gimple_bb(condition)->succs)
	e->flags ^= EDGE_TRUE_VALUE | EDGE_FALSE_VALUE;
	update_stmt(condition);
}

bool splits_loops(function *f)
{
	return flag_split_loops && profile_status_for_fn(f) == PROFILE_READ;
}

unsigned turn_guards(function *f)
{
	basic_block bb;

	if (!scev_initialized_p())
		return 0;
	FOR_EACH_BB_FN(bb, f)
	{
		gcond *condition = safe_dyn_cast<gcond *>(pf_gcc_last_stmt(bb));
		class loop *loop = bb->loop_father;

		if (condition && loop_outer(loop) && !loop_exits_from_bb_p(loop, bb) && begins_false(loop, condition))
			turn_around(condition);
	}
	return 0;
}

} // namespace

void guards_setup()
{
	passes_add({ GIMPLE_PASS, "pathfdo_guards", TV_LOOP_SPLIT, "lsplit", 1, PASS_POS_INSERT_BEFORE, splits_loops,
		     turn_guards });
}

} // namespace pathfdo
