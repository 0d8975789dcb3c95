/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of what GCC splits off functions, so that the test of an early return is inlined and the rest is called.
 *
 * The hard case is a rest that begins with a loop, as that of `if (!list) return; for (...)`.  It is entered as often
 * as it is called, and GCC takes the count of the loop's header for that, all turns included (copy_cfg_body in
 * tree-inline.cc leaves out what comes from the other side of the split, but looks before it has marked that).
 * Where the rest is inlined again all its counts are divided by that entry, and the loop keeps a turn for each call:
 * no loop for the passes behind, and cold.  -fprofile-use has the same.  The calls have the right count. */
#include "plugin/callers.h"
#include "plugin/passes.h"
#include "plugin/splits.h"

namespace pathfdo
{

namespace
{

/* The current function is entered COUNT times: its blocks up to the first that is entered from elsewhere, too. */
void count_way_in(profile_count count)
{
	basic_block bb = ENTRY_BLOCK_PTR_FOR_FN(cfun);

	bb->count = count;
	while (single_succ_p(bb) && single_pred_p(single_succ(bb))) {
		bb = single_succ(bb);
		bb->count = count;
	}
}

void settle_entry(cgraph_node *node)
{
	gcov_type called = counted_calls(node);

	if (called <= 0 || called >= node->count.to_gcov_type())
		return;
	push_cfun(DECL_STRUCT_FUNCTION(node->decl));
	count_way_in(profile_count::from_gcov_type(called, ADJUSTED));
	node->count = ENTRY_BLOCK_PTR_FOR_FN(cfun)->count;
	cgraph_edge::rebuild_edges();
	pop_cfun();
}

unsigned settle_entries(function *)
{
	cgraph_node *node;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		if (node->split_part && node->count.ipa().nonzero_p())
			settle_entry(node);
	}
	return 0;
}

} // namespace

void splits_setup()
{
	passes_add({ SIMPLE_IPA_PASS, "pathfdo_splits", TV_IPA_PROFILE, "free-fnsummary", 1, PASS_POS_INSERT_BEFORE,
		     NULL, settle_entries });
}

} // namespace pathfdo
