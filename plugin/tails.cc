/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of an interpreter's operations.  Each fetches the next operation and goes there through a table, so that all
 * end alike.  GCC keeps one of equal ends and has the others jump to it (-fcrossjumping), which adds a jump to each
 * operation that runs; the copies of the computed goto, which it makes for speed later, are then copies of the goto
 * alone.
 *
 * The hard case is that GCC means to do so only for size where a block ends in a computed goto, says a comment, and
 * asks the opposite (cfgcleanup.cc, try_crossjump_bb).  With -fprofile-use it is mostly spared by chance: it does not
 * merge what leads to the hot and what leads to the cold section, and exact counts put one of the ends into the latter.
 */
#include "plugin/gcc-compat.h"
#include "plugin/passes.h"
#include "plugin/settings.h"
#include "plugin/tails.h"

namespace pathfdo
{

namespace
{

/* Whether counts, not GCC's guesses, say that a computed goto of F is hot. */
bool has_hot_goto(function *f)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		if (computed_jump_p(BB_END(bb)) && bb->count.ipa().nonzero_p() && maybe_hot_bb_p(f, bb))
			return true;
	}
	return false;
}

bool merges_tails(function *f)
{
	return flag_crossjumping && profile_status_for_fn(f) == PROFILE_READ && optimize_function_for_speed_p(f) &&
	       has_hot_goto(f);
}

unsigned keep_tails(function *)
{
	settings_keep_tails();
	return 0;
}

} // namespace

void tails_setup()
{
	passes_add(
	    { RTL_PASS, "pathfdo_tails", TV_JUMP, "jump2", 1, PASS_POS_INSERT_BEFORE, merges_tails, keep_tails });
}

} // namespace pathfdo
