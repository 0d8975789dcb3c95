/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One timer a thread, on the thread's own CPU clock, aimed at the thread; armed once for each burst, for a random
 * period, so that a handler slower than its period cannot starve the program and sampling cannot fall into step with
 * it.  Such a timer only runs while the thread does, so it cannot cut a sleep short; from kernel 5.9 on its signal is
 * made on the way back to the program, and no system call ever returns EINTR for it.  (On older kernels one that is
 * about to sleep can: SA_RESTART restarts those that may be restarted; poll, select, nanosleep and epoll_wait return
 * EINTR, as they would for any profiler.)  Not recorded are threads made by a bare clone, and code that runs where the
 * program blocks the signal by a bare system call.  The hard case is the end of a thread: a POSIX timer outlives it,
 * and its last signal may still be on the way; slots are therefore static and a signal is believed only if its slot is
 * the running thread's. */
#include "runtime/agent/engine.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#define SHORTEST_NS 20000u
#define SIGEV_THREAD_ID_ 4
#ifndef PF_TIMER_CLOCK /* a test builds the recorder with a finer clock, to be in the cache most of the time */
#define PF_TIMER_CLOCK CLOCK_THREAD_CPUTIME_ID
#endif

struct pf_slot pf_agent_slots[PF_MAX_SLOTS];
static __thread struct pf_slot *self __attribute__((tls_model("initial-exec")));

struct pf_slot *pf_agent_self(void)
{
	return self;
}

uint64_t pf_agent_frame_size(void)
{
	uint64_t size = getauxval(51); /* AT_MINSIGSTKSZ: with all features that the processor has */
	return ((size < 4096 ? 4096 : size) + PF_FRAME_FPSTATE + 4095) & ~4095ull;
}

struct pf_slot *pf_agent_slot_get(void)
{
	for (int i = 0; i < PF_MAX_SLOTS; i++) {
		int empty = 0;
		if (atomic_load_explicit(&pf_agent_slots[i].used, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&pf_agent_slots[i].used, &empty, 1))
			continue;
		pf_agent_slots[i].timer = -1;
		return &pf_agent_slots[i];
	}
	return NULL;
}

void pf_agent_slot_put(struct pf_slot *slot)
{
	slot->self = NULL;
	slot->tid = 0;
	atomic_store(&slot->used, 0);
}

static uint64_t next_random(struct pf_slot *slot)
{
	slot->random ^= slot->random << 13;
	slot->random ^= slot->random >> 7;
	slot->random ^= slot->random << 17;
	return slot->random;
}

static void set_timer(const struct pf_slot *slot, uint64_t period)
{
	struct itimerspec when = { { 0, 0 }, { (time_t)(period / 1000000000u), (long)(period % 1000000000u) } };
	PF_SYS4(SYS_timer_settime, slot->timer, 0, &when, NULL);
}

void pf_agent_thread_arm(struct pf_slot *slot, uint64_t floor)
{
	uint64_t mean = 1000000000u / pf_engine->frequency;
	if (mean < floor)
		mean = floor;
	uint64_t period = mean / 2 + next_random(slot) % (mean + 1);
	period = period > slot->late ? period - slot->late : 0;
	period = period < floor ? floor : period;
	slot->asked = period < SHORTEST_NS ? SHORTEST_NS : period;
	set_timer(slot, slot->asked);
}

void pf_agent_thread_late(struct pf_slot *slot, uint64_t period)
{
	uint64_t mean = 1000000000u / pf_engine->frequency;
	slot->late = period > slot->asked ? period - slot->asked : 0;
	slot->late = slot->late > mean ? mean : slot->late;
}

/* The engine is busy with another thread: the next burst carries this one's weight. */
void pf_agent_skip(struct pf_slot *slot)
{
	struct pf_engine *engine = pf_engine;
	if (slot != self || slot->self != slot || engine->dead)
		return;
	__atomic_fetch_add(&engine->wire->bursts_skipped, 1, __ATOMIC_RELAXED);
	pf_agent_thread_arm(slot, 0);
}

void pf_agent_refuse(struct pf_slot *slot, int reason)
{
	__atomic_fetch_add(&pf_engine->wire->refusals[reason], 1, __ATOMIC_RELAXED);
	if (slot && slot->timer >= 0) {
		PF_SYS1(SYS_timer_delete, slot->timer);
		slot->timer = -1;
	}
}

static bool create_timer(struct pf_slot *slot)
{
	struct {
		union sigval value;
		int signal, notify, tid, pad[13];
	} event = { .value = { .sival_ptr = slot }, .signal = PF_SIGNAL, .notify = SIGEV_THREAD_ID_ };
	event.tid = slot->tid;
	return PF_SYS3(SYS_timer_create, PF_TIMER_CLOCK, &event, &slot->timer) == 0;
}

/* The period before the first burst starts anywhere, so that short threads are sampled in proportion too. */
static void start_timer(struct pf_engine *engine, struct pf_slot *slot)
{
	slot->tid = (int)PF_SYS0(SYS_gettid);
	slot->random = (engine->seed + (uint64_t)slot->tid) * 0x9e3779b97f4a7c15ull | 1;
	slot->last_cpu = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID);
	slot->timer = -1;
	slot->asked = UINT64_MAX;
	slot->self = slot;
	for (int i = 0; i < 8; i++)
		next_random(slot);
	if (!create_timer(slot)) {
		slot->timer = -1;
		pf_agent_refuse(slot, PF_REFUSE_TIMER);
		return;
	}
	set_timer(slot, SHORTEST_NS + next_random(slot) % (1000000000u / engine->frequency));
}

void pf_agent_thread_start(struct pf_slot *slot)
{
	struct pf_engine *engine = pf_engine;
	uint64_t bit = PF_SIGNAL_BIT;
	if (!slot->frame)
		slot->frame =
		    pf_sys_map(0, pf_agent_frame_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	self = slot;
	if (engine->wire->pid != (uint32_t)PF_SYS0(SYS_getpid))
		engine->shut = engine->dead = true; /* a child that fork() did not make: the file is its parent's */
	if (!slot->frame || engine->shut) {
		if (!engine->shut)
			pf_agent_refuse(slot, PF_REFUSE_MEMORY);
		return;
	}
	pf_sys_mask(SIG_UNBLOCK, &bit, NULL);
	start_timer(engine, slot);
}

void pf_agent_thread_stop(void)
{
	struct pf_slot *slot = self;
	uint64_t bit = PF_SIGNAL_BIT;
	if (!slot)
		return;
	pf_sys_mask(SIG_BLOCK, &bit, NULL);
	if (slot->timer >= 0) {
		uint64_t rest = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID) - slot->last_cpu;
		PF_SYS1(SYS_timer_delete, slot->timer);
		__atomic_fetch_add(&pf_engine->wire->cpu_ns, rest, __ATOMIC_RELAXED);
	}
	self = NULL;
	pf_agent_slot_put(slot);
}

void pf_agent_thread_forked(void)
{
	struct pf_slot *slot = self;
	for (int i = 0; i < PF_MAX_SLOTS; i++)
		if (&pf_agent_slots[i] != slot && atomic_load_explicit(&pf_agent_slots[i].used, memory_order_relaxed))
			pf_agent_slot_put(&pf_agent_slots[i]);
	if (slot && slot->timer >= 0 && !pf_engine->shut) /* one that was refused stays so */
		start_timer(pf_engine, slot);
}

/* For all threads: timers belong to the process. */
void pf_agent_stop_timers(void)
{
	for (int i = 0; i < PF_MAX_SLOTS; i++)
		if (atomic_load(&pf_agent_slots[i].used) && pf_agent_slots[i].timer >= 0)
			PF_SYS1(SYS_timer_delete, pf_agent_slots[i].timer);
}
