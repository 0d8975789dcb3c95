/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops keep one latch.  Where the ways through a loop's body meet before its next turn, GCC's tail duplication
 * (tracer.cc) copies the meeting block into each of them, as it does with any join.  It spares loop headers, but not
 * the latch that leads back to one, with the loop's test or without.  Such a copy saves a jump at most, and the
 * ordering of blocks copies small blocks for that as well (bb-reorder.cc, copy_bb_p).  But the loop has several latches
 * then: what it steps from turn to turn is stepped on each way by itself and merged in the header, with a move for
 * each, and the loop is none any more of those that the later loop passes work on.
 *
 * The hard case is how to tell the pass.  It asks the hook of the control flow graph whether a block can be copied, and
 * for nothing else; so the hook is ours while the pass runs, and says what GCC's says of all other blocks. */
#include "plugin/latches.h"
#include "plugin/passes.h"

namespace pathfdo
{

namespace
{

bool (*can_copy)(const_basic_block); /* GCC's hook while ours is in its place */

bool is_shared_latch(basic_block bb)
{
	edge_iterator ei;
	edge e;

	if (EDGE_COUNT(bb->preds) < 2)
		return false;
	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		if (e->flags & EDGE_DFS_BACK)
			return true;
	}
	return false;
}

bool may_copy(const_basic_block bb)
{
	return can_copy(bb) && !is_shared_latch(const_cast<basic_block>(bb));
}

bool (*set_hook(bool (*hook)(const_basic_block)))(const_basic_block)
{
	cfg_hooks hooks = get_cfg_hooks();
	auto before = hooks.can_duplicate_block_p;

	hooks.can_duplicate_block_p = hook;
	set_cfg_hooks(hooks);
	return before;
}

bool copies_tails(function *f)
{
	return flag_tracer && profile_status_for_fn(f) == PROFILE_READ;
}

unsigned refuse_latches(function *)
{
	mark_dfs_back_edges();
	can_copy = set_hook(may_copy);
	return 0;
}

bool is_refusing(function *)
{
	return can_copy;
}

unsigned give_hook_back(function *)
{
	set_hook(can_copy);
	can_copy = NULL;
	return 0;
}

} // namespace

void latches_setup()
{
	passes_add({ GIMPLE_PASS, "pathfdo_latches", TV_TRACER, "tracer", 1, PASS_POS_INSERT_BEFORE, copies_tails,
		     refuse_latches });
	passes_add({ GIMPLE_PASS, "pathfdo_latched", TV_TRACER, "tracer", 1, PASS_POS_INSERT_AFTER, is_refusing,
		     give_hook_back });
}

} // namespace pathfdo
