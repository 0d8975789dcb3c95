/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is hot: a fraction of the highest count, as GCC has it where counts are exact, or a share of all that ran,
 * whichever is more.
 *
 * The hard case is the program without one dominating loop.  The fraction falls below the weight of a single sighting
 * there; then all that was ever seen would be hot, the code would grow, and what is seen by chance would decide.  A
 * call that is one in so many of all that ran saves less than the noise of any measurement when it is inlined, and what
 * its caller grows by is missed where the caller itself would be inlined; and hot is only what was seen several times.
 */
#include "plugin/heat.h"

/* So many sightings are more than chance: the standard error of their number is half of it. */
#define ENOUGH_SIGHTINGS 4

/* Of all counts of the profile; see doc/measurements.md for what others do. */
#define SMALLEST_SHARE 50000

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned fraction)
{
	uint64_t least = fraction ? summary->maximum / fraction : summary->maximum;

	least = larger(least, larger(summary->total / SMALLEST_SHARE, ENOUGH_SIGHTINGS));
	if (least > summary->maximum)
		least = summary->maximum;
	return least ? least : 1;
}
