/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that a process needs for its bursts, made when the first one is due.  Its parts know nothing of each other but
 * what their headers say: the run (run.h), the code cache (cache.h), the modules (modules.h), the recording
 * (recording.h). A burst owns the whole by the lock of struct pf_process, which nobody ever waits for inside a signal
 * handler: a thread whose timer fires meanwhile skips its burst and lets its weight ride on to its next one.  So no
 * table needs a lock of its own, and memory does not grow with the number of threads. */
#ifndef PF_AGENT_ENGINE_H
#define PF_AGENT_ENGINE_H

#include "runtime/agent/cache.h"
#include "runtime/agent/control.h"
#include "runtime/agent/process.h"
#include "runtime/agent/section.h"

#include <signal.h>

#define PF_DELIVERY_NS 3000 /* what a signal costs outside of what its handler can see */
#define PF_TIMED_BRANCHES 1024

extern struct pf_settings pf_settings;

extern char pf_engine_exe[4096]; /* the program's path; "" until the first burst asks */

struct pf_engine {
	struct pf_run run;
	struct pf_cache cache;
	struct pf_modules modules;
	struct pf_recording recording;
	struct pf_slot *slot;       /* whose burst it is */
	ucontext_t *context;        /* its frame, which it will return through */
	uint32_t asked;             /* branches, of the run at hand */
	uint64_t ran, ran_ticks;    /* of all runs of the burst: branches, and time stamps in translated code */
	uint64_t checks;            /* of the burst: blocks that were compared with the program's code */
	uint64_t spent, taken;      /* ns that the last burst cost; that it took, with the program's own work in it */
	uint64_t complete;          /* bursts that were not cut */
	uint64_t stays, stay_ticks; /* in translated code, of the run at hand: how many, how long by the time stamp */
	uint64_t least_ticks;       /* of all stays ever */
	uint32_t timed[PF_TIMED_BRANCHES];
	uint64_t start_tsc, start_ns; /* CLOCK_MONOTONIC at a time stamp */
	int64_t debt;                 /* ns of cost that the budget has not paid for yet; negative: credit */
	uint64_t skipped;             /* bursts */
	bool guarded;                 /* the handlers for faults are in place */
	bool after_wait;              /* the burst began at once behind a system call or a `pause` */
	bool full;                    /* nothing can be stored any more */
	enum pf_refusal leaving;      /* of a whole run: why the recorder must be gone before the program goes on */
	struct pf_pulse pulse;
	size_t size; /* of the memory that holds the engine and its tables */
};

static inline uint64_t pf_tsc(void)
{
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Nanoseconds of TICKS of the time stamp; 0 for a clock that seems to go back. */
static inline uint64_t pf_ns_of(uint64_t ticks)
{
	uint64_t khz = pf_settings.tsc_khz;
	return ticks >> 63 ? 0 : ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
}

/* engine.c: with the lock held.  Makes the engine, or says why not. */
enum pf_refusal pf_engine_make(struct pf_engine **engine);
/* Reads the modules anew, if they changed since, and forgets what was translated. */
void pf_engine_look(struct pf_engine *engine);
/* Gives all of it back to the system. */
void pf_engine_leave(struct pf_engine *engine);

/* burst.c: for whole.c.  The code at PC as a block, or NULL and *WHY; the edges so far as a burst that ended by WHY,
 * after which there are none; one more edge, false if it has no number. */
const struct pf_block *pf_burst_block(struct pf_engine *engine, uint64_t pc, int *why);
void pf_burst_keep(struct pf_engine *engine, int why);
bool pf_burst_edge(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind);

/* burst.c: from dispatch.S, on the recorder's own stack, with the lock held. */
_Noreturn void pf_burst(struct pf_slot *slot, ucontext_t *context);

/* dispatch.S: returns from the signal through a frame; gives the lock back on the way. */
_Noreturn void pf_signal_return(const void *frame, _Atomic uint32_t *lock);
extern const uint8_t pf_signal_taken[] __attribute__((visibility("hidden")));
extern const uint8_t pf_signal_taken_end[] __attribute__((visibility("hidden")));
extern const uint8_t pf_signal_return_end[] __attribute__((visibility("hidden")));

#endif
