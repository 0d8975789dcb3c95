/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bursts that begin by the count of an event: taken branches, the unit in which bursts are measured, so that code which
 * waits for memory is not seen more often than it runs.  The kernel counts for each thread and sends it a signal every
 * so many events.  The descriptor is closed at once, as the program may close it or be given its number; the event
 * lives on by the page that is mapped of it, which no fork inherits and exec takes away.  Another period takes another
 * event then, so ticks are half of the mean period apart, as a timer's are, a burst waits for a random number of them,
 * and there is a new event only where the program turns out to be twice as fast, or half, as was thought.  A burst says
 * how many events it stands for, so that this changes no proportion.
 *
 * The hard case is the signal.  One that the kernel sends for a descriptor (F_SETSIG) carries nothing of ours, comes in
 * the middle of a system call, and becomes SIGIO, which ends a program, where the user's queue is full.  An event with
 * `sigtrap` has none of that: the kernel makes a SIGTRAP on the way back to the program, as for a timer, with the slot
 * in the very place in which a timer's signal has it (and a code that no breakpoint has); and exec takes the event
 * away. Before Linux 6.1 such a signal ended a program that had blocked it, so the recorder does not choose events
 * there. */
#include "runtime/agent/counter.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#define LEAST_STEP 16u
#define MOST_STEP (1ull << 36)
#define SETTLED 8 /* ticks in which it is known how fast the program is, or the time that they should take */
#define REMEMBERED (1ull << 46) /* events */
#define SHORTEST_FIRST 16       /* the part of a tick that the first takes at least */

static _Atomic uint64_t known_pace; /* events in a millisecond of this process; 0: not known yet */

bool pf_counter_is_wanted(void)
{
	return pf_settings.event_pace > 0 && !pf_settings.whole;
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static uint64_t mean_ns(void)
{
	return 1000000000u / pf_settings.frequency;
}

/* Events in NS of the program. */
static uint64_t events_in(uint64_t ns, uint64_t pace)
{
	return clamp(ns / 1000000 * pace + ns % 1000000 * pace / 1000000, LEAST_STEP, MOST_STEP);
}

static int open_event(const struct pf_slot *slot, uint64_t step)
{
	struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER7,
		.type = pf_settings.event_type,
		.config = pf_settings.event_config,
		.sample_period = step,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
		.sig_data = (uint64_t)slot,
	};
	return (int)pf_sys(SYS_perf_event_open, (long)&attr, slot->tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

/* An event that ticks every STEP, in place of the one that there may be.  False if the kernel will not; the thread has
 * a timer then.  There is no other way to a counter, so no thread that loses one is left without both. */
static bool open_counter(struct pf_slot *slot, uint64_t step)
{
	pf_counter_stop(slot);
	int fd = open_event(slot, step);
	if (fd >= 0) {
		slot->counter.step = step;
		slot->counter.page = pf_sys_map(0, PF_WIRE_PAGE, PROT_READ, MAP_SHARED, fd);
		PF_SYS1(SYS_close, fd);
	}
	if (pf_process.shut) /* see pf_thread_by_timer */
		pf_counter_stop(slot);
	else if (!slot->counter.page)
		pf_thread_by_timer(slot);
	return slot->counter.page;
}

/* No two threads have the same, so that no loop of the program can be in step with all. */
static uint64_t usual_step(struct pf_slot *slot)
{
	uint64_t step = events_in(pf_thread_interval(), slot->counter.pace);
	return step - step / 8 + pf_thread_random(slot) % (step / 4);
}

void pf_counter_start(struct pf_slot *slot)
{
	uint64_t known = atomic_load(&known_pace);
	slot->counter = (struct pf_counter) { .pace = known ? known : pf_settings.event_pace };
	if (pf_process.quiet)
		return;
	uint64_t period = events_in(mean_ns(), slot->counter.pace);
	slot->counter.stands = period;
	slot->counter.seen_ns = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID);
	open_counter(slot, clamp(pf_thread_random(slot) % period, usual_step(slot) / SHORTEST_FIRST + 1, period));
}

void pf_counter_stop(struct pf_slot *slot)
{
	const void *page = __atomic_exchange_n(&slot->counter.page, NULL, __ATOMIC_SEQ_CST);
	if (page)
		PF_SYS2(SYS_munmap, page, PF_WIRE_PAGE);
}

void pf_counter_prepare(struct pf_slot *slot)
{
	if (slot->counter.page && !slot->counter.beats)
		open_counter(slot, usual_step(slot));
}

/* What the thread's clock says is the time since it was last asked; where system calls are to be left out it is what
 * ticks usually take. */
static void take_time(struct pf_slot *slot)
{
	struct pf_counter *counter = &slot->counter;
	if (pf_process.quiet)
		return;
	uint64_t now = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID);
	slot->owed += (int64_t)(now - counter->seen_ns);
	counter->seen_ns = now;
}

int pf_counter_tick(struct pf_slot *slot)
{
	struct pf_counter *counter = &slot->counter;
	if (counter->own) {
		counter->own = false;
		return 0;
	}
	if (slot->began)
		pf_process_lasts();
	slot->began = true;
	slot->ticks++;
	/* However short the first period was, there is one tick of it, also where a burst has to wait. */
	if (!counter->beats && !pf_process.quiet && !open_counter(slot, usual_step(slot)))
		return 0;
	counter->beats = true;
	counter->events += counter->step;
	if (pf_process.quiet)
		slot->owed += (int64_t)(counter->step * 1000000 / counter->pace);
	if (slot->ticks < slot->wait)
		return 0;
	take_time(slot);
	return 1;
}

/* Events in a millisecond, where they are known to be more than twice, or less than half, of what was thought; else 0.
 * Not what they are in a phase of the program: a period that followed it would have few bursts stand for the fast ones.
 */
static uint64_t other_pace(struct pf_counter *counter)
{
	if (counter->events < SETTLED * counter->step && counter->ns < SETTLED * pf_thread_interval())
		return 0;
	uint64_t pace = clamp(counter->events * 1000 / (counter->ns / 1000 + 1), 1, PF_WIRE_MOST_PACE);
	for (; counter->events > REMEMBERED; counter->events /= 2)
		counter->ns /= 2;
	return pace > 2 * counter->pace || pace < counter->pace / 2 ? pace : 0;
}

static bool adapt(struct pf_slot *slot)
{
	struct pf_counter *counter = &slot->counter;
	uint64_t pace = other_pace(counter);
	if (pace)
		atomic_store(&known_pace, counter->pace = pace);
	return !pace || open_counter(slot, usual_step(slot));
}

bool pf_counter_wait(struct pf_slot *slot, uint64_t spent, uint64_t floor)
{
	struct pf_counter *counter = &slot->counter;
	uint64_t pending = 0;
	counter->ns += pf_thread_period(slot);
	if (!pf_process.quiet) {
		if (!adapt(slot))
			return false;
		PF_SYS2(SYS_rt_sigpending, &pending, sizeof pending);
		counter->own = pending & PF_SIGNAL_BIT;
	}
	uint64_t least = events_in(floor, counter->pace) / counter->step + 1;
	uint64_t mean =
	    (events_in(mean_ns() > floor ? mean_ns() : floor, counter->pace) + counter->step / 2) / counter->step;
	mean = mean < least ? least : mean;
	least = least < mean / 2 ? mean / 2 : least;
	uint64_t wait = least + pf_thread_random(slot) % (2 * (mean - least) + 1);
	slot->ticks = 0;
	slot->owed = -(int64_t)spent;
	slot->wait = wait > UINT32_MAX ? UINT32_MAX : (uint32_t)wait;
	counter->stands = mean * counter->step;
	return true;
}

uint64_t pf_counter_stands(const struct pf_slot *slot)
{
	uint64_t late = slot->ticks > slot->wait ? slot->ticks - slot->wait : 0;
	return slot->counter.stands + late * slot->counter.step;
}
