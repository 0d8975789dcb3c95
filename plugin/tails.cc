/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equal ends of blocks.  GCC keeps one of them and has the others jump there (-fcrossjumping), at -O2 wherever it finds
 * them: that saves space, and costs a jump each time one of the others runs.  An interpreter has such an end behind
 * each of its operations.  A function that the profile says is hot is no place to save space in.
 *
 * The hard case is that GCC asks for neither heat nor size here.  With -fprofile-use most of this is avoided by chance,
 * as it does not merge where ends lie in the hot and in the cold section, and exact counts make cold blocks of all that
 * did not run; a sample, which knows less of what never runs, cannot wait for that. */
#include "plugin/gcc-compat.h"
#include "plugin/settings.h"
#include "plugin/tails.h"

namespace pathfdo
{

namespace
{

bool (*is_wanted)();

/* Whether counts, not GCC's guesses, say that a block of F is hot. */
bool has_hot_block(function *f)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		if (bb->count.ipa().nonzero_p() && maybe_hot_bb_p(f, bb))
			return true;
	}
	return false;
}

const pass_data tails_data = {
	RTL_PASS, "pathfdo_tails", OPTGROUP_NONE, TV_JUMP, 0, 0, 0, 0, 0,
};

class tails_pass : public rtl_opt_pass
{
      public:
	tails_pass(gcc::context *context) : rtl_opt_pass(tails_data, context)
	{
	}

	bool gate(function *f) final override
	{
		return is_wanted() && flag_crossjumping && profile_status_for_fn(f) == PROFILE_READ &&
		       optimize_function_for_speed_p(f) && has_hot_block(f);
	}

	unsigned int execute(function *) final override
	{
		settings_keep_tails();
		return 0;
	}
};

} // namespace

void tails_setup(const char *plugin_name, bool (*wanted)())
{
	register_pass_info pass = { new tails_pass(g), "jump2", 1, PASS_POS_INSERT_BEFORE };

	is_wanted = wanted;
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
}

} // namespace pathfdo
