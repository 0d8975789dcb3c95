/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the bursts of a thread begin that has a timer, and what CPU time each stands for.  See waits.c. */
#ifndef PF_AGENT_WAITS_H
#define PF_AGENT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Waits between bursts, in whole ticks of TICK_NS: one is drawn evenly from FROM_NS to TO_NS, rounded to a tick before
 * or behind it by lot, so that its mean stays, and is LEAST ticks if that is more. */
struct pf_waits {
	uint64_t tick_ns, least, from_ns, to_ns;
};

/* The ticks of a timer of which bursts every MEAN_NS are wanted, and that may tick every LEAST_NS.  KERNEL_NS is the
 * time between two ticks of the kernel's, at which alone timers of CPU time expire; 0: they expire when due. */
uint64_t pf_waits_tick(uint64_t mean_ns, uint64_t least_ns, uint64_t kernel_ns);

/* Waits of MEAN_NS on average, none shorter than FLOOR_NS; where that is longer, 1.125 times as long on average.
 * FIXED: all the same, of the whole ticks nearest to that. */
struct pf_waits pf_waits_of(uint64_t tick_ns, uint64_t mean_ns, uint64_t floor_ns, bool fixed);

/* A wait, in ticks, 1 at the least.  RANDOM is the state of a xorshift generator, not 0. */
uint64_t pf_waits_draw(const struct pf_waits *waits, uint64_t *random);

/* The mean of what pf_waits_draw gives, in ns. */
uint64_t pf_waits_mean(const struct pf_waits *waits);

/* When a thread's first burst is due, in ns of its CPU time.  KERNEL_NS as above. */
uint64_t pf_waits_first(const struct pf_waits *waits, uint64_t kernel_ns, uint64_t *random);

uint64_t pf_waits_random(uint64_t *random);

#endif
