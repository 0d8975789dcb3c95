/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps that need counts and no profile, from the inliner on.  The hard case is a program that is compiled at its
 * link (-flto): these passes run there, on counts that came with the code, in a compiler that knows no profile.  So
 * what is done in a compile and at a link is one list, and each of its steps asks the function itself whether counts
 * were read for it. */
#include "plugin/late.h"
#include "plugin/guards.h"
#include "plugin/jammed.h"
#include "plugin/latches.h"
#include "plugin/layout.h"
#include "plugin/peels.h"
#include "plugin/recursion.h"
#include "plugin/switches.h"
#include "plugin/tails.h"
#include "plugin/zeros.h"

namespace pathfdo
{

void late_setup()
{
	zeros_setup();
	layout_setup();
	tails_setup();
	switches_setup();
	peels_setup();
	latches_setup();
	jammed_setup();
	guards_setup();
	recursion_setup();
}

} // namespace pathfdo
