/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zero counts before the vectoriser.  To scale the epilogue of a vectorised loop it divides each block's count by that
 * same count times a guessed probability (tree-vect-loop-manip.cc, vect_do_peeling).  The division is left out if both
 * are equal, which takes the quality into account: a zero of better quality than a guess meets a guessed zero, and the
 * compiler dies of SIGFPE.  The annotation writes its zeros as guesses therefore.
 *
 * The hard case is the zero that comes later, when inlining scales a small count down; for those a pass goes over the
 * function right before.  A precise zero is let through by GCC and stays. */
#include "plugin/gcc-compat.h"
#include "plugin/zeros.h"

namespace pathfdo
{

namespace
{

bool (*is_wanted)();

const pass_data zeros_data = {
	GIMPLE_PASS, "pathfdo_zeros", OPTGROUP_LOOP, TV_TREE_VECTORIZATION, PROP_cfg, 0, 0, 0, 0,
};

class zeros_pass : public gimple_opt_pass
{
      public:
	zeros_pass(gcc::context *context) : gimple_opt_pass(zeros_data, context)
	{
	}

	bool gate(function *) final override
	{
		return is_wanted();
	}

	unsigned int execute(function *f) final override
	{
		basic_block bb;

		FOR_EACH_BB_FN(bb, f)
		{
			if (bb->count.initialized_p() && !bb->count.nonzero_p() &&
			    !(bb->count == profile_count::zero()))
				bb->count = bb->count.guessed();
		}
		return 0;
	}
};

} // namespace

void zeros_setup(const char *plugin_name, bool (*wanted)())
{
	register_pass_info pass = { new zeros_pass(g), "vect", 1, PASS_POS_INSERT_BEFORE };

	is_wanted = wanted;
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
}

} // namespace pathfdo
