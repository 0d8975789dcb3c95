/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One timer a thread, on the thread's own CPU clock, aimed at the thread (or a counter, see counter.c).  It is set
 * once (and once more at the first tick: see below) and ticks on: in a program that has forbidden itself system calls,
 * by whatever way, the recorder must make none either, and the signal's own return is always allowed.  A tick that
 * comes before the next burst is due costs its delivery and a comparison, so that a handler slower than the period
 * cannot starve the program; which tick it will be is random.  Such a timer only runs while the thread does, so it
 * cannot cut a sleep short; from kernel 5.9 on its signal is made on the way back to the program, and no system call
 * ever returns EINTR for it.  (On older kernels one that is about to sleep can: SA_RESTART restarts those that may be
 * restarted; poll, select, nanosleep and epoll_wait return EINTR, as they would for any profiler.) Not recorded are
 * threads made by a bare clone, and code that runs where the program blocks the signal by a bare system call.  The
 * hard case is the end of a thread: a POSIX timer outlives it, its last signal may still be on the way, and nothing
 * tells of a thread that ends by pthread_exit or is cancelled (a destructor's key would be one less for the program).
 * Slots are therefore static, a slot that is free proves no signal, and new threads look for the slots of ended ones.
 *
 * Up to its first tick the timer is on another clock, that of the kernel's ticks which meet the thread.  To set one on
 * the exact clock the kernel brings the thread's time up to date, and where it finds the thread's slice used up (which
 * is .7 ms of a new process from Linux 6.6 on, less than what it takes to load) and another task waiting, that one has
 * the processor up to a tick: a short process whose recorder started so had hardly any tick in what was left of it. */
#include "runtime/agent/thread.h"
#include "runtime/agent/altstack.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"
#include "runtime/agent/segments.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/waits.h"
#include "runtime/agent/whole.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define SIGEV_THREAD_ID_ 4
#define MOST_OVERRUN 1000000
#define FAULT_STACK 16384
#define CPU_CLOCK_OF(tid) ((int)(~(unsigned int)(tid) << 3 | 6))  /* pthread_getcpuclockid(3) */
#define TICK_CLOCK_OF(tid) ((int)(~(unsigned int)(tid) << 3 | 4)) /* CPUCLOCK_PROF: goes on by a tick at each tick */
#ifndef PF_TIMER_CLOCK /* a test builds the recorder with a finer clock, to be in the cache most of the time */
#define PF_TIMER_CLOCK CPU_CLOCK_OF(slot->tid)
#define PF_TIMER_TICK pf_settings.tick_ns
#else
#define PF_TIMER_TICK 0
#endif

_Alignas(4096) struct pf_slot pf_thread_slots[PF_MAX_SLOTS] __attribute__((visibility("hidden")));
static _Atomic uint32_t sweep; /* where pf_thread_slot looks for ended threads next */
static _Atomic uint32_t timer_count;
static _Atomic int slot_count; /* no slot from here on was ever used: most programs never touch their pages */

static uint64_t wanted_mean(void)
{
	return 1000000000u / pf_settings.frequency;
}

static uint64_t tick_of(uint64_t kernel_ns)
{
	return pf_waits_tick(wanted_mean(), 8ull * PF_DELIVERY_NS * 1000000 / pf_settings.overhead_ppm, kernel_ns);
}

/* So seldom that the ticks on which nothing happens stay within an eighth of the budget. */
uint64_t pf_thread_interval(void)
{
	return tick_of(0);
}

static uint64_t timer_interval(void)
{
	return tick_of(PF_TIMER_TICK);
}

uint64_t pf_thread_frame_room(void)
{
	uint64_t size = pf_next_auxiliary(51); /* AT_MINSIGSTKSZ: with all features that the processor has */
	return ((size < 4096 ? 4096 : size) + 4095) & ~4095ull;
}

static uint64_t frame_size(void)
{
	return PF_FRAME_FPSTATE + pf_thread_frame_room() + FAULT_STACK;
}

/* The stack for faults lies below the frame: when the signal returns through that, it is for a moment the stack. */
static uint8_t *map_frame(void)
{
	uint8_t *memory = pf_sys_map(0, frame_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return memory ? memory + FAULT_STACK : NULL;
}

bool pf_thread_frame(struct pf_slot *slot)
{
	if (!slot->frame)
		slot->frame = map_frame();
	return slot->frame != NULL;
}

stack_t pf_thread_fault_stack(const struct pf_slot *slot)
{
	return (stack_t) { .ss_sp = slot->frame - FAULT_STACK, .ss_size = FAULT_STACK };
}

static void delete_timer(int timer)
{
	PF_SYS1(SYS_timer_delete, timer);
	atomic_fetch_sub(&timer_count, 1);
}

static void take_away(struct pf_slot *slot)
{
	int timer = __atomic_exchange_n(&slot->timer, -1, __ATOMIC_SEQ_CST);
	if (timer >= 0)
		delete_timer(timer);
	pf_counter_stop(slot);
}

/* A slot without either is passed by, so where no system call is to be made they tick on. */
void pf_thread_stop(struct pf_slot *slot)
{
	if (pf_process.quiet)
		pf_thread_forget(slot);
	else
		take_away(slot);
}

bool pf_thread_is_recorded(const struct pf_slot *slot)
{
	return slot->timer >= 0 || slot->counter.page;
}

void pf_thread_forget(struct pf_slot *slot)
{
	if (__atomic_exchange_n(&slot->timer, -1, __ATOMIC_SEQ_CST) >= 0)
		atomic_fetch_sub(&timer_count, 1);
	slot->counter.page = NULL;
}

void pf_thread_put(struct pf_slot *slot)
{
	pf_thread_forget(slot);
	slot->self = NULL;
	slot->tid = 0;
	pf_altstack_forget(slot);
	atomic_store(&slot->used, 0);
}

/* Of a few slots on each call: is the thread still there? */
static void reclaim(void)
{
	long pid = PF_SYS0(SYS_getpid);
	int count = atomic_load(&slot_count);
	for (int i = 0; i < 2 && i < count; i++) {
		struct pf_slot *slot = &pf_thread_slots[atomic_fetch_add(&sweep, 1) % (uint32_t)count];
		int used = 1, tid = slot->tid;
		if (atomic_load(&slot->used) != 1 || tid == 0 || PF_SYS3(SYS_tgkill, pid, tid, 0) != -ESRCH)
			continue;
		if (slot->tid != tid || !atomic_compare_exchange_strong(&slot->used, &used, 2))
			continue;
		pf_thread_stop(slot);
		pf_thread_put(slot);
	}
}

struct pf_slot *pf_thread_by_fs(void)
{
	if (!pf_segments_are_free() && pf_process.shut)
		return pf_thread_self();
	uint64_t fs = pf_segments_fs();
	for (int i = 0; i < slot_count; i++)
		if (atomic_load_explicit(&pf_thread_slots[i].used, memory_order_relaxed) && pf_thread_slots[i].fs == fs)
			return &pf_thread_slots[i];
	return NULL;
}

struct pf_slot *pf_thread_slot(void)
{
	reclaim();
	for (int i = 0; i < PF_MAX_SLOTS; i++) {
		struct pf_slot *slot = &pf_thread_slots[i];
		int empty = 0;
		if (atomic_load_explicit(&slot->used, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&slot->used, &empty, 1))
			continue;
		for (int seen = slot_count; seen <= i;)
			atomic_compare_exchange_weak(&slot_count, &seen, i + 1);
		slot->timer = -1;
		slot->name = 0;
		return slot;
	}
	return NULL;
}

uint64_t pf_thread_random(struct pf_slot *slot)
{
	return pf_waits_random(&slot->random);
}

void pf_thread_count_refusal(enum pf_refusal reason)
{
	struct pf_engine *engine = pf_process.engine;
	uint64_t *refusals = engine ? engine->recording.header->refusals : pf_control->refusals;
	if (pf_process.quiet || pf_sys_can_write(&refusals[reason]))
		__atomic_fetch_add(&refusals[reason], 1, __ATOMIC_RELAXED);
}

/* -1: there can be none. */
static int create_timer(struct pf_slot *slot, int clock)
{
	struct {
		union sigval value;
		int signal, notify, tid, pad[13];
	} event = { .value = { .sival_ptr = slot }, .signal = PF_SIGNAL, .notify = SIGEV_THREAD_ID_ };
	int timer = -1;
	event.tid = slot->tid;
	if (atomic_fetch_add(&timer_count, 1) < pf_process_places &&
	    PF_SYS3(SYS_timer_create, clock, &event, &timer) == 0)
		return timer;
	atomic_fetch_sub(&timer_count, 1);
	return -1;
}

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec) { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
}

static bool set_timer(int timer, uint64_t first)
{
	struct itimerspec when = { time_of(timer_interval()), time_of(first) };
	return PF_SYS4(SYS_timer_settime, timer, 0, &when, NULL) == 0;
}

/* Where the kernel's tick is not known, nothing tells how many of them there are to be up to the first burst. */
static bool begins_by_ticks(const struct pf_slot *slot)
{
	return PF_TIMER_TICK && !slot->began;
}

static bool start_timer(struct pf_slot *slot)
{
	int timer = create_timer(slot, begins_by_ticks(slot) ? TICK_CLOCK_OF(slot->tid) : PF_TIMER_CLOCK);
	if (timer < 0)
		return false;
	slot->timer = timer;
	return set_timer(timer, slot->first);
}

/* At a thread's first tick: from now on time is counted, and not ticks, so that what runs between them has its weight.
 * The new timer is due in the middle between two, as one that is due at a tick comes there or at the next.  If there
 * can be none the other one ticks on, and if another thread has taken that away meanwhile there is to be none. */
static void go_on_by_time(struct pf_slot *slot)
{
	int old = slot->timer, timer = old < 0 ? -1 : create_timer(slot, PF_TIMER_CLOCK);
	if (timer < 0)
		return;
	if (set_timer(timer, timer_interval() - PF_TIMER_TICK / 2) &&
	    __atomic_compare_exchange_n(&slot->timer, &old, timer, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		timer = old;
	delete_timer(timer);
}

static bool is_over(void)
{
	return pf_process_crowded || pf_process.shut;
}

void pf_thread_by_timer(struct pf_slot *slot)
{
	/* Asked once more: who shuts the process, or finds it crowded, may have passed this slot before it had a timer,
	 * and the signal of one that is left would meet no handler. */
	if (!is_over() && start_timer(slot) && !is_over())
		return;
	pf_thread_stop(slot);
	pf_thread_count_refusal(PF_REFUSE_TIMER);
}

static struct pf_waits waits_of(uint64_t floor)
{
	return pf_waits_of(timer_interval(), wanted_mean(), floor, pf_settings.fixed);
}

static void wait_for_timer(struct pf_slot *slot, uint64_t spent, uint64_t floor)
{
	struct pf_waits waits = waits_of(floor);
	uint64_t drawn = pf_waits_draw(&waits, &slot->random), wait = drawn + spent / waits.tick_ns;
	slot->ticks = 0;
	slot->owed = (int64_t)pf_waits_mean(&waits) - (int64_t)(drawn * waits.tick_ns) - (int64_t)spent;
	slot->wait = wait > UINT32_MAX ? UINT32_MAX : (uint32_t)wait;
}

/* What a burst at the first tick stands for. */
static int64_t owed_at_first(void)
{
	struct pf_waits waits = waits_of(0);
	return (int64_t)pf_waits_mean(&waits);
}

void pf_thread_wait(struct pf_slot *slot, uint64_t spent, uint64_t floor)
{
	if (!slot->counter.page || !pf_counter_wait(slot, spent, floor))
		wait_for_timer(slot, spent, floor);
}

uint64_t pf_thread_period(const struct pf_slot *slot)
{
	return slot->owed > 0 ? (uint64_t)slot->owed : 0;
}

/* Nothing that could be compared is known of a burst that a timer begins among those of counters. */
uint64_t pf_thread_stands(const struct pf_slot *slot)
{
	if (slot->counter.page)
		return pf_counter_stands(slot);
	return pf_counter_is_wanted() ? 0 : pf_thread_period(slot);
}

int pf_thread_tick(struct pf_slot *slot, const siginfo_t *info, const ucontext_t *context)
{
	int over = info->si_overrun < 0 ? 0 : info->si_overrun > MOST_OVERRUN ? MOST_OVERRUN : info->si_overrun;
	uint32_t ticks = 1 + (uint32_t)over;
	if (!pf_thread_is_recorded(slot) || pf_process.shut)
		return 0;
	/* The last signal of a counter may come when a timer has its place.  Where a timer's has its overrun, half of
	 * an address is in it. */
	bool counts = info->si_code == PF_CODE_COUNTER;
	if (counts != (slot->counter.page != NULL))
		return 0;
	if (counts)
		return pf_counter_tick(slot);
	if (!pf_altstack_is_known(slot, &context->uc_stack))
		pf_altstack_note(slot, &context->uc_stack);
	if (!pf_thread_is_recorded(slot))
		return 0;
	slot->owed = slot->began ? slot->owed + (int64_t)(ticks * timer_interval()) : owed_at_first();
	if (slot->began || over)
		pf_process_lasts();
	if (begins_by_ticks(slot) && !pf_process.quiet)
		go_on_by_time(slot);
	slot->began = true;
	slot->ticks += ticks;
	return pf_settings.whole ? pf_whole_tick(slot, context) : slot->ticks >= slot->wait;
}

/* Its weight rides on to the next one. */
int pf_thread_skip(struct pf_slot *slot)
{
	struct pf_engine *engine = pf_process.engine;
	if (pf_settings.whole)
		return pf_whole_wait(slot);
	if (engine)
		__atomic_fetch_add(&engine->skipped, 1, __ATOMIC_RELAXED);
	return 0;
}

void pf_thread_refuse(struct pf_slot *slot, enum pf_refusal reason)
{
	if (!slot || !pf_thread_is_recorded(slot))
		return;
	pf_thread_stop(slot);
	pf_thread_count_refusal(reason);
}

void pf_thread_start(struct pf_slot *slot)
{
	struct pf_waits waits = waits_of(0);
	slot->random = (pf_settings.seed + (uint64_t)slot->tid) * 0x9e3779b97f4a7c15ull | 1;
	slot->ticks = slot->wait = 0;
	slot->owed = 0;
	slot->began = slot->stepping = slot->trap_blocked = slot->resting = slot->step_pops = false;
	slot->timer = -1;
	slot->self = slot;
	slot->name = slot->name ? slot->name : slot->tid;
	for (int i = 0; i < 8; i++)
		pf_thread_random(slot);
	slot->first = pf_waits_first(&waits, PF_TIMER_TICK, &slot->random);
	if (pf_counter_is_wanted())
		pf_counter_start(slot);
	else
		pf_thread_by_timer(slot);
}

void pf_thread_put_others(const struct pf_slot *slot)
{
	for (int i = 0; i < slot_count; i++)
		if (&pf_thread_slots[i] != slot && atomic_load_explicit(&pf_thread_slots[i].used, memory_order_relaxed))
			pf_thread_put(&pf_thread_slots[i]);
}

void pf_thread_prepare(void)
{
	for (int i = 0; i < slot_count; i++)
		if (atomic_load(&pf_thread_slots[i].used)) {
			pf_thread_frame(&pf_thread_slots[i]);
			pf_counter_prepare(&pf_thread_slots[i]);
		}
}

void pf_thread_stop_all(void)
{
	for (int i = 0; i < slot_count; i++)
		if (atomic_load(&pf_thread_slots[i].used))
			take_away(&pf_thread_slots[i]);
}

void pf_thread_spare_timers(void)
{
	for (int i = 0; i < slot_count; i++)
		if (atomic_load(&pf_thread_slots[i].used) && pf_thread_slots[i].timer >= 0)
			pf_thread_refuse(&pf_thread_slots[i], PF_REFUSE_TIMER);
}

void pf_thread_drop_frames(void)
{
	for (int i = 0; i < slot_count; i++) {
		if (pf_thread_slots[i].frame)
			PF_SYS2(SYS_munmap, pf_thread_slots[i].frame - FAULT_STACK, frame_size());
		pf_thread_slots[i].frame = NULL;
	}
}
