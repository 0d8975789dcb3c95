/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first burst of a process makes all that bursts need and translates all that it meets: half a millisecond to one,
 * ten to twenty times what a later one costs.  Where processes are short, as those of a build or a script, a budget of
 * 1% allows few of them one; and to give many a single burst each would be the dearest way to look.  So a lot decides,
 * when a process's first burst is due: some have their bursts as if the budget were no matter, and each of these bursts
 * stands for those of the others, too; the others have none.  Once a process has used so much CPU time that a first
 * burst is within its own budget it is young no more, and has bursts that stand for themselves.  So each moment of each
 * process's time is seen with the same weight, whoever is drawn.
 *
 * The share that is drawn follows from what all processes together have used and what bursts have cost: the share so
 * far, times what is allowed by what was spent.  The hard case is the begin, when nothing is known: as if a few
 * processes had been there, whose cost was half of what was allowed: the only process of a recording always has
 * its bursts. */
#include "runtime/agent/young.h"

#define FIRST_BURST_NS 1000000u
#define BEFORE 4u /* processes that are imagined in front of the first */

static uint64_t grown_up_ns(uint64_t overhead_ppm)
{
	return FIRST_BURST_NS * 1000000ull / overhead_ppm;
}

uint32_t pf_young_share(const struct pf_control *control, uint64_t overhead_ppm)
{
	uint64_t cpu = __atomic_load_n(&control->cpu_ns, __ATOMIC_RELAXED) + 2 * BEFORE * grown_up_ns(overhead_ppm);
	uint64_t cost = __atomic_load_n(&control->cost_ns, __ATOMIC_RELAXED) + BEFORE * FIRST_BURST_NS;
	uint64_t asked = __atomic_load_n(&control->asked, __ATOMIC_RELAXED) + BEFORE;
	uint64_t drawn = __atomic_load_n(&control->drawn, __ATOMIC_RELAXED) + BEFORE;
	uint64_t allowed = cpu / 1000000 * overhead_ppm + cpu % 1000000 * overhead_ppm / 1000000;
	/* Starts are paid for as well; where they alone are dear, half is left for bursts. */
	uint64_t starts = __atomic_load_n(&control->start_ns, __ATOMIC_RELAXED);
	cost += starts < allowed / 2 ? starts : allowed / 2;
	/* The page is every process's to write; sums that wrap are nobody's measurement. */
	if (cost < BEFORE || asked < BEFORE)
		return 1;
	drawn = drawn < asked ? drawn : asked;
	uint64_t change = allowed / cost >= PF_YOUNG_ALL ? PF_YOUNG_ALL * PF_YOUNG_ALL : allowed * PF_YOUNG_ALL / cost;
	/* Squared, so that what was spent too much at the begin is saved soon. */
	uint64_t share = (drawn * PF_YOUNG_ALL / asked + 1) * change / PF_YOUNG_ALL * change / PF_YOUNG_ALL;

	return share >= PF_YOUNG_ALL ? PF_YOUNG_ALL : share ? (uint32_t)share : 1;
}

static void draw(struct pf_young *young, struct pf_control *control, uint64_t overhead_ppm, uint64_t lot)
{
	young->share = pf_young_share(control, overhead_ppm);
	young->has_bursts = lot % PF_YOUNG_ALL < young->share;
	__atomic_fetch_add(&control->asked, 1, __ATOMIC_RELAXED);
	if (young->has_bursts)
		__atomic_fetch_add(&control->drawn, 1, __ATOMIC_RELAXED);
}

bool pf_young_is(const struct pf_young *young, uint64_t overhead_ppm)
{
	return young->age_ns < grown_up_ns(overhead_ppm);
}

bool pf_young_may(struct pf_young *young, struct pf_control *control, uint64_t overhead_ppm, uint64_t cpu_ns,
		  uint64_t lot)
{
	if (!young->share)
		draw(young, control, overhead_ppm, lot);
	young->age_ns += cpu_ns;
	return young->has_bursts || !pf_young_is(young, overhead_ppm);
}

uint64_t pf_young_weigh(const struct pf_young *young, uint64_t overhead_ppm, uint64_t value)
{
	if (!young->share || !pf_young_is(young, overhead_ppm) || young->share == PF_YOUNG_ALL)
		return value;
	return value / young->share * PF_YOUNG_ALL + value % young->share * PF_YOUNG_ALL / young->share;
}
