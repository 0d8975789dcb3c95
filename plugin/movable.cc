/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements that the compiler may have moved out of their loops.  What does not change in a loop is computed in front
 * of it, under its old place, and has the count of the loop's entries then.  As it is with most of what a small
 * function computes of its arguments once it is inlined into a loop, such statements can outnumber all others.
 *
 * The hard case is memory: a load moves if nothing in the loop stores to the same place, which GCC's alias analysis
 * knows of most.  What only later passes will find out, or what the loop has too many stores to ask of, does not count
 * as movable. */
#include "plugin/movable.h"

namespace pathfdo
{

namespace
{

const int depth_limit = 64;      /* generated code has chains of any length */
const unsigned store_limit = 64; /* of a loop, each of which is asked about for each load */

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

void movables::list_stores(class loop *loop)
{
	basic_block *body;

	if (listed == loop->num)
		return;
	listed = loop->num;
	stores.truncate(0);
	body = get_loop_body(loop);
	for (unsigned i = 0; i < loop->num_nodes && stores.length() <= store_limit; i++) {
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (gimple_vdef(gsi_stmt(gsi)))
				stores.safe_push(gsi_stmt(gsi));
		}
	}
	free(body);
}

/* Whether what LOAD reads, if it does, stays as it is in LOOP. */
bool movables::is_kept(const gimple *load, class loop *loop)
{
	ao_ref read;

	if (!gimple_vuse(load) || is_fixed(gimple_vuse(load), loop))
		return true;
	if (!gimple_assign_load_p(load))
		return false;
	list_stores(loop);
	if (stores.length() > store_limit)
		return false;
	ao_ref_init(&read, gimple_assign_rhs1(load));
	for (gimple *store : stores) {
		if (stmt_may_clobber_ref_p_1(store, &read))
			return false;
	}
	return true;
}

bool movables::has(const gimple *stmt)
{
	class loop *loop = gimple_bb(stmt)->loop_father;
	ssa_op_iter i;
	tree name;

	if (!loop_outer(loop) || !is_gimple_assign(stmt) || gimple_vdef(stmt) || gimple_has_volatile_ops(stmt))
		return false;
	if (!is_kept(stmt, loop))
		return false;
	FOR_EACH_SSA_TREE_OPERAND(name, const_cast<gimple *>(stmt), i, SSA_OP_USE)
	{
		if (!is_fixed(name, loop))
			return false;
	}
	return true;
}

} // namespace pathfdo
