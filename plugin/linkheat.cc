/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In a compile a count is hot from a ten-thousandth of the highest one on, or what takes the place of that with sampled
 * counts (heat.h).  A link with -flto goes by the code that 99 percent of the time are spent in by its reckoning
 * (ipa-profile.cc), and the rest, a percent at each of many places, is compiled for size, with -fprofile-use, too. What
 * was hot when it was inlined as in the profiled program is not hot then.
 *
 * The hard case is a link that is without the plugin (linkmark.cc), and has nothing but what comes with the code: for
 * each unit, how much time is spent in code of which counts.  So that says, of all that is hot here, that it has the
 * lowest count that is hot, and of the rest that it does not run: the 99 percent end there. */
#include "plugin/gcc-compat.h"
#include "plugin/linkheat.h"

namespace pathfdo
{

namespace
{

void (*summarise)(); /* GCC's */

/* Calls VISIT with each block of which ipa-profile.cc adds up the time. */
template <typename Visit> void each_block(Visit visit)
{
	cgraph_node *node;
	basic_block bb;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		FOR_EACH_BB_FN(bb, DECL_STRUCT_FUNCTION(node->decl))
		visit(bb);
	}
}

void summarise_by_heat()
{
	const gcov_type least = profile_info ? get_hot_bb_threshold() : 0; /* 0: nothing has counts */
	auto_vec<profile_count> counts;
	unsigned next = 0;

	each_block([&](basic_block bb) {
		counts.safe_push(bb->count);
		if (bb->count.initialized_p() && bb->count.ipa_p())
			bb->count = bb->count.ipa().to_gcov_type() >= least ? profile_count::from_gcov_type(least)
									    : profile_count::zero();
	});
	summarise();
	each_block([&](basic_block bb) { bb->count = counts[next++]; });
}

} // namespace

void linkheat_leave()
{
	opt_pass *pass = g->get_passes()->all_regular_ipa_passes;

	while (flag_generate_lto && !summarise && pass && strcmp(pass->name, "profile_estimate") != 0)
		pass = pass->next;
	if (!flag_generate_lto || summarise || !pass)
		return;
	ipa_opt_pass_d *estimate = static_cast<ipa_opt_pass_d *>(pass);
	summarise = estimate->generate_summary;
	estimate->generate_summary = summarise_by_heat;
}

} // namespace pathfdo
