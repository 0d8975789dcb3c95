/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of loops that were unrolled with a rest behind them, by unroll-and-jam and predictive commoning.  Up to GCC 13
 * tree_transform_and_unroll_loop (tree-ssa-loop-manip.cc) gives the unrolled loop the count of one turn for each entry,
 * and its exit the chance that belongs to all of its turns.  So the hottest loop of a program may count as one that
 * runs a few times: it is compiled for size from there on, which leaves its inner loops as they are.
 *
 * The hard case is which loops these are, as the pass does not say.  They contradict themselves: what enters the loop
 * and what comes back from its end are twice what its header counts.  A loop whose counts agree is left alone, so
 * nothing is done where the compiler gets this right.  How often the loop turns follows from the share that comes back.
 */
#include "plugin/jammed.h"
#include "plugin/passes.h"

namespace pathfdo
{

namespace
{

const double amiss = 1.5; /* what flows into a header, for each of its own count */
const double most = 1e18; /* of any count */

void settle_turns(class loop *loop)
{
	profile_count header = loop->header->count;
	edge entry = loop_preheader_edge(loop), latch = loop_latch_edge(loop);

	if (!header.nonzero_p() || !entry->count().nonzero_p() || !latch->count().initialized_p())
		return;
	double in = (double)entry->count().to_gcov_type(), all = (double)header.to_gcov_type();
	double back = (double)latch->count().to_gcov_type();

	/* Where all comes back nothing is known of the turns. */
	if (in + back < amiss * all || back >= all)
		return;
	double settled = MIN(in * all / (all - back), most);
	basic_block *body = get_loop_body(loop);

	for (unsigned i = 0; i < loop->num_nodes; i++)
		body[i]->count = body[i]->count.apply_scale((gcov_type)settled, (gcov_type)all);
	free(body);
}

unsigned settle_loops(function *)
{
	for (auto loop : loops_list(cfun, LI_FROM_INNERMOST)) {
		if (loop->latch && single_exit(loop))
			settle_turns(loop);
	}
	return 0;
}

bool has_loops(function *f)
{
	return profile_status_for_fn(f) == PROFILE_READ && number_of_loops(f) > 1;
}

} // namespace

void jammed_setup()
{
	passes_add({ GIMPLE_PASS, "pathfdo_jammed", TV_LOOP_JAM, "unrolljam", 1, PASS_POS_INSERT_AFTER, has_loops,
		     settle_loops });
	passes_add(
	    { GIMPLE_PASS, "pathfdo_commoned", TV_PREDCOM, "pcom", 1, PASS_POS_INSERT_AFTER, has_loops, settle_loops });
}

} // namespace pathfdo
