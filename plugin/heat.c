/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is hot: a fraction of the highest count, as GCC has it where counts are exact, so that a profile is as sparing
 * with code size as -fprofile-use is.
 *
 * The hard case is a program without one dominating loop: the fraction falls below the weight of a single sighting
 * there; then all that was ever seen would be hot, the code would grow, and what is seen by chance would decide.  So
 * hot is only what was seen several times. */
#include "plugin/heat.h"

/* So many sightings are more than chance: the standard error of their number is half of it. */
#define ENOUGH_SIGHTINGS 4

uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned fraction)
{
	uint64_t least = fraction ? summary->maximum / fraction : summary->maximum;

	if (least < ENOUGH_SIGHTINGS)
		least = ENOUGH_SIGHTINGS;
	if (least > summary->maximum)
		least = summary->maximum;
	return least ? least : 1;
}
