/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements that the compiler may have moved out of their loops.  What does not change in a loop is computed in front
 * of it, under its old place, and has the count of the loop's entries then.  As it is with most of what a small
 * function computes of its arguments once it is inlined into a loop, such statements can outnumber all others.
 *
 * The hard case is memory: a load moves if nothing in the loop stores to the same place, and what that is, is for later
 * passes to find out.  Here only loads of loops without any store count as movable. */
#include "plugin/movable.h"

namespace pathfdo
{

namespace
{

const int depth_limit = 64; /* generated code has chains of any length */

} // namespace

/* Whether NAME has one value in all turns of LOOP.  A value that goes round is not followed: what is asked about a
 * second time meanwhile is not known to be fixed. */
bool movables::is_fixed(tree name, class loop *loop)
{
	gimple *def = TREE_CODE(name) == SSA_NAME ? SSA_NAME_DEF_STMT(name) : NULL;

	if (!def || gimple_nop_p(def) || !flow_bb_inside_loop_p(loop, gimple_bb(def)))
		return true;
	if (gimple_bb(def)->loop_father != loop)
		return false;
	bool existed, &fixed = known.get_or_insert(name, &existed);
	if (existed)
		return fixed;
	fixed = false;
	depth++;
	bool found = depth < depth_limit && has(def);
	depth--;
	known.put(name, found);
	return found;
}

bool movables::has(const gimple *stmt)
{
	class loop *loop = gimple_bb(stmt)->loop_father;
	ssa_op_iter i;
	tree name;

	if (!loop_outer(loop) || !is_gimple_assign(stmt) || gimple_vdef(stmt) || gimple_has_volatile_ops(stmt))
		return false;
	if (gimple_vuse(stmt) && !is_fixed(gimple_vuse(stmt), loop))
		return false;
	FOR_EACH_SSA_TREE_OPERAND(name, const_cast<gimple *>(stmt), i, SSA_OP_USE)
	{
		if (!is_fixed(name, loop))
			return false;
	}
	return true;
}

} // namespace pathfdo
