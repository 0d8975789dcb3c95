/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is hot.  A fraction of the highest count, as GCC has it where counts are exact, falls below the weight of a
 * single sighting in a sampled profile of a program without one dominating loop; then all that was ever seen is hot,
 * the code grows, and what is seen by chance decides.  So the working set decides, as GCC itself does at link time: hot
 * is what belongs to the positions that together make up most of all executions.
 *
 * The hard case is the profile with few sightings, where even the working set ends at things that were seen once. */
#include "plugin/heat.h"

/* So many sightings are more than chance: the standard error of their number is half of it. */
#define ENOUGH_SIGHTINGS 4

static uint64_t working_set(const struct pf_summary *summary, unsigned permille)
{
	unsigned i = 0;

	while (i + 1 < PF_CUTOFF_COUNT && summary->cutoffs[i].permille < permille)
		i++;
	return summary->cutoffs[i].minimum;
}

uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned permille)
{
	uint64_t least = working_set(summary, permille);
	uint64_t sighting = summary->cutoffs[PF_CUTOFF_COUNT - 1].minimum;

	if (least / ENOUGH_SIGHTINGS < sighting)
		least = sighting < summary->maximum / ENOUGH_SIGHTINGS ? sighting * ENOUGH_SIGHTINGS : summary->maximum;
	if (least > summary->maximum)
		least = summary->maximum;
	return least ? least : 1;
}
