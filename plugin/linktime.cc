/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link with -flto.  Counts come with the code, and what goes by them is done here as it is in a compile (late.cc).
 *
 * The hard case is what is hot.  In a compile a count is hot from a ten-thousandth of the highest one on, or what takes
 * the place of that with sampled counts (heat.h).  A link goes by the code that 99 percent of the time are spent in by
 * its reckoning (ipa-profile.cc), and the rest, a percent at each of many places, is compiled for size, with
 * -fprofile-use, too.  What was hot when it was inlined as in the profiled program is not hot then.  So the limit is
 * that of the compiles, right behind the pass that computes the other; the parts into which the program is divided get
 * it from there. */
#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"
#include "plugin/late.h"
#include "plugin/linkmark.h"
#include "plugin/linktime.h"
#include "plugin/passes.h"
#include "plugin/settings.h"
#include "plugin/warnings.h"

namespace pathfdo
{

namespace
{

gcov_type hot; /* from this count on; 0: nothing is known */

unsigned set_heat(function *)
{
	set_hot_bb_threshold(hot);
	return 0;
}

/* Whether counts came with any of the code. */
bool knows_heat(function *)
{
	return hot && profile_info;
}

gcov_type read_heat(const char *profile)
{
	pf_bodies *bodies;
	pf_error error;

	if (pf_bodies_open(profile, &bodies, &error) != PF_OK) {
		warn(warning::missing, UNKNOWN_LOCATION, "%s; linking without a profile", error.text);
		return 0;
	}
	const pf_summary *summary = pf_bodies_summary(bodies);
	gcov_type heat = pf_heat_threshold(summary, param_hot_bb_count_fraction) * pf_heat_scale(summary);
	pf_bodies_close(bodies);
	return heat;
}

} // namespace

void linktime_setup(const char *plugin_name)
{
	passes_begin(plugin_name, [] { return true; });
	linkmark_setup();
	if (!optimize)
		return;
	late_setup();
	if (options.profile && !flag_ltrans)
		hot = read_heat(options.profile);
	passes_add({ IPA_PASS, "pathfdo_heat", TV_IPA_PROFILE, "profile_estimate", 1, PASS_POS_INSERT_AFTER, knows_heat,
		     set_heat });
}

} // namespace pathfdo
