/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every moment of a thread's time should be as likely as any other to have a burst, from its first on, and each burst
 * stand for the time that there is one in.  So bursts are a stationary renewal process: waits are drawn around their
 * mean, and the first burst comes as if the thread had been recorded for ever, which is at a random moment of a wait
 * that is drawn with a probability in proportion to its length (Cox, Renewal Theory, 1962, chapter 5).  What a burst
 * stands for is the mean wait and not its own: a part of the first one's is before the thread began, and what was drawn
 * would only add noise.
 *
 * The hard case is the kernel's tick.  A timer that is due between two of them expires at the second, so that what runs
 * between a thread's start and its first tick would hardly ever have a burst.  Those ticks come at any moment of a
 * thread's time, and any of them may be where the first burst begins, the very first included: due is then the tick
 * before.  The timer's own ticks are whole ones of the kernel's, or some would come late, and others not. */
#include "runtime/agent/waits.h"

#define SHORTEST_NS 20000u /* a tick that came at once would be in the thread's own start */

uint64_t pf_waits_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Half the mean, so that whole ticks can be random around it. */
uint64_t pf_waits_tick(uint64_t mean_ns, uint64_t least_ns, uint64_t kernel_ns)
{
	uint64_t least = larger(least_ns, SHORTEST_NS), half = mean_ns / 2;

	if (kernel_ns == 0)
		return larger(half, least);
	return larger(half / kernel_ns, (least + kernel_ns - 1) / kernel_ns) * kernel_ns;
}

struct pf_waits pf_waits_of(uint64_t tick_ns, uint64_t mean_ns, uint64_t floor_ns, bool fixed)
{
	uint64_t mean = larger(mean_ns, floor_ns), least = larger((floor_ns + tick_ns - 1) / tick_ns, 1);

	if (fixed) {
		least = larger((mean + tick_ns / 2) / tick_ns, least);
		return (struct pf_waits) { tick_ns, least, least * tick_ns, least * tick_ns };
	}
	return (struct pf_waits) { tick_ns, least, mean - mean / 2, mean + mean / 2 };
}

uint64_t pf_waits_draw(const struct pf_waits *waits, uint64_t *random)
{
	uint64_t drawn = waits->from_ns + pf_waits_random(random) % (waits->to_ns - waits->from_ns + 1);

	return larger((drawn + pf_waits_random(random) % waits->tick_ns) / waits->tick_ns, waits->least);
}

uint64_t pf_waits_mean(const struct pf_waits *waits)
{
	uint64_t least = waits->least * waits->tick_ns, from = waits->from_ns, to = waits->to_ns;

	if (least >= to)
		return least;
	if (least <= from)
		return from + (to - from) / 2;
	/* LEAST, and half of what is beyond it as often as there is something; in 1/1024, as years of ns are to fit. */
	return least + (to - least) / 2 * (((to - least) << 10) / (to - from)) / 1024;
}

uint64_t pf_waits_first(const struct pf_waits *waits, uint64_t kernel_ns, uint64_t *random)
{
	uint64_t most = larger(waits->to_ns / waits->tick_ns + 1, waits->least), wait, due;

	do
		wait = pf_waits_draw(waits, random);
	while (pf_waits_random(random) % most >= wait);
	due = wait * waits->tick_ns;
	if (waits->from_ns == waits->to_ns)
		return SHORTEST_NS + due - kernel_ns;
	due = pf_waits_random(random) % due;
	return SHORTEST_NS + (kernel_ns ? due - due % kernel_ns : due);
}
