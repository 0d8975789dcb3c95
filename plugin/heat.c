/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is hot: a fraction of the highest count, as GCC has it where counts are exact, or a share of all that ran,
 * whichever is more.
 *
 * The hard case is the program without one dominating loop.  The fraction falls below the weight of a single sighting
 * there; then all that was ever seen would be hot, the code would grow, and what is seen by chance would decide.  A
 * call that is one in so many of all that ran saves less than the noise of any measurement when it is inlined, and what
 * its caller grows by is missed where the caller itself would be inlined; and hot is only what was seen several times.
 *
 * And it is the program of which all parts run a little.  No share is small there, as it is their sum that counts: what
 * is not hot takes half a run more (PF_AGREEMENT_LOOKS_TO_COOL), and with so much of the run left out that is what a
 * measurement shows.  So the share is lowered to what nearly all that ran is above; the fraction is the user's. */
#include "plugin/heat.h"
#include "profile/agreement.h"

/* Of the counts that a compiler gets. */
#define WANTED_MAXIMUM ((uint64_t)1 << 27)

/* So many sightings are more than chance: the standard error of their number is half of it. */
#define ENOUGH_SIGHTINGS 4

/* Of all counts of the profile; see doc/measurements.md for what others do. */
#define SMALLEST_SHARE 50000

/* Permille of all that ran which are hot at the least.  Half of the rest is lost: a 400th. */
#define LEAST_COVERED 995

/* What is hot over this is nearly so: what one recording of a program sees five times another may see eighteen times.
 */
#define NEARLY 4

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A burst of the recorder's default length. */
#define USUAL_BURST 1024

/* Code that is far away and optimised for size may take thrice as long: two runs more, where code that is merely cool
 * (PF_AGREEMENT_LOOKS_TO_COOL) takes half a run more.  And by less than three looks nothing is known. */
#define LOOKS_TO_KNOW 3
#define LOOKS_TO_FREEZE (4 * PF_AGREEMENT_LOOKS_TO_COOL)

/* Permille: three of the looks that suffice to cool.  The rule is of one thing that is named before; all that was not
 * seen together may be more, where there is much of which each has little. */
#define MOST_UNSEEN 40

uint64_t pf_heat_looks(const struct pf_summary *summary, uint64_t looks, uint64_t count)
{
	if (!looks)
		return count / USUAL_BURST;
	return summary->total ? (uint64_t)((double)count / (double)summary->total * (double)looks) : 0;
}

bool pf_heat_may_be_other(uint64_t looks)
{
	return looks < LOOKS_TO_KNOW;
}

bool pf_heat_is_short(uint64_t looks, uint32_t unseen)
{
	return looks < PF_AGREEMENT_LOOKS_TO_COOL || unseen > MOST_UNSEEN;
}

bool pf_heat_may_turn(uint64_t looks, uint32_t unseen)
{
	return looks < LOOKS_TO_FREEZE || unseen > MOST_UNSEEN / (LOOKS_TO_FREEZE / PF_AGREEMENT_LOOKS_TO_COOL);
}

bool pf_heat_may_freeze(uint64_t looks)
{
	return looks >= LOOKS_TO_FREEZE;
}

/* The lowest of the counts that together are PERMILLE of all. */
static uint64_t covering(const struct pf_summary *summary, unsigned permille)
{
	unsigned i = 0;

	while (i + 1 < PF_CUTOFF_COUNT && summary->cutoffs[i].permille < permille)
		i++;
	return summary->cutoffs[i].minimum;
}

uint64_t pf_heat_scale(const struct pf_summary *summary)
{
	return summary->maximum && summary->maximum < WANTED_MAXIMUM ? WANTED_MAXIMUM / summary->maximum : 1;
}

uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned fraction)
{
	uint64_t least = fraction ? summary->maximum / fraction : summary->maximum;

	least = larger(least, smaller(summary->total / SMALLEST_SHARE, covering(summary, LEAST_COVERED)));
	least = smaller(larger(least, ENOUGH_SIGHTINGS), summary->maximum);
	return least ? least : 1;
}

/* Without a profile the compiler inlines what is declared inline, as it did in the profiled binary; with one it leaves
 * a call that is not hot alone, and by how much a part of the program that was looked at a few times is hot chance
 * decides. */
bool pf_heat_is_replayed(uint64_t entries, uint64_t around, bool declared, uint64_t hot)
{
	return entries >= hot || (declared && entries > (hot - 1) / NEARLY && entries >= around);
}

uint64_t pf_heat_working_set(const struct pf_summary *summary, unsigned permille, uint64_t hot)
{
	return larger(covering(summary, permille), hot);
}
