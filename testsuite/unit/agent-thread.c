/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that get their timer, or their counter, while another thread takes the recorder out of the process, or finds
 * it crowded, at each of the system calls that they make for it: what stays then sends a signal that meets no handler,
 * and ends the program.  The kernel is one of the test's own, and the other thread's work is done in its calls, so no
 * order of events is left to chance.
 *
 * It also has tasks that wait for the processor: who sets a timer on the exact clock of its time loses it there, up to
 * a tick.  All the same each moment of a thread's time is to have its share of what bursts stand for.
 *
 * And threads that have one alternate stack, or the one that a thread had that is gone. */
#include "runtime/agent/sys.h"

static long kernel(long number, long a, long b, long c, long d, long e, long f);

static long real(long number, long a, long b, long c, long d, long e, long f)
{
	return pf_sys(number, a, b, c, d, e, f);
}

#define pf_sys kernel
#include "runtime/agent/altstack.c" /* the files themselves, as the calls are theirs */
#include "runtime/agent/counter.c"
#include "runtime/agent/segments.c"
#include "runtime/agent/thread.c"
#include "runtime/agent/waits.c"
#include "testsuite/unit/suite.h"

#define TIMER 7
#define TIMERS 2
#define MS 1000000u
#define TICK_NS (4 * MS)
#define BIN_NS (2 * MS)
#define BINS 20
#define HANDLER_NS 30000u /* from a tick to the calls of its handler */
#define THREADS 100000

enum other { SHUTS, CROWDS };
/* The second: a timer in a kernel whose ticks are known.  The last: the kernel refuses the counter. */
enum means { BY_TIMER, BY_TICKS, BY_COUNTER, BY_NO_COUNTER, MEANS };

static struct pf_control control;
struct pf_control *pf_control = &control;
struct pf_process pf_process;
struct pf_settings pf_settings;
bool pf_process_crowded;
uint64_t pf_process_places = 3;
int pf_signals_own = PF_SIGNAL_OF_TIMER;

static struct {
	enum other other;
	enum means means;
	int calls, meanwhile; /* the call at which the other thread works */
	int timers;
	struct timer {
		bool made, exact;
		uint64_t due, interval;
	} timer[TIMERS];
	uint64_t time, ticks, next_tick; /* of the thread: ns that it has run, and has when it meets its next tick */
	bool in_tick;
	bool stacks_are_shared;
} now;

bool pf_process_is_mine(void)
{
	return true;
}

struct pf_slot *pf_thread_self(void)
{
	return NULL;
}

void pf_signals_share_stacks(void)
{
	now.stacks_are_shared = true;
}

bool pf_signals_stacks_are_shared(void)
{
	return now.stacks_are_shared;
}

int pf_whole_tick(struct pf_slot *slot, const ucontext_t *context)
{
	(void)slot;
	(void)context;
	return 0;
}

int pf_whole_wait(struct pf_slot *slot)
{
	(void)slot;
	return 0;
}

unsigned long pf_next_auxiliary(unsigned long type)
{
	(void)type;
	return 0;
}

static void work_of_other(void)
{
	if (now.other == SHUTS) {
		pf_process.shut = true;
		pf_thread_stop_all();
	} else {
		pf_process_crowded = true;
		pf_thread_spare_timers();
	}
}

/* One more place at which another thread may work. */
void pf_process_lasts(void)
{
	if (now.calls++ == now.meanwhile)
		work_of_other();
}

static long make(int clock, int *number)
{
	int i = now.timer[0].made;

	ck_assert(!now.timer[i].made);
	now.timers++;
	now.timer[i] = (struct timer) { .made = true, .exact = (clock & 3) == 2 };
	*number = TIMER + i;
	return 0;
}

static uint64_t ns_of(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

static long arm(long number, const struct itimerspec *when)
{
	struct timer *timer = &now.timer[number - TIMER];

	if (number < TIMER || number >= TIMER + TIMERS || !timer->made)
		return -EINVAL;
	timer->due = (timer->exact ? now.time : now.ticks * TICK_NS) + ns_of(when->it_value);
	timer->due += timer->exact && now.in_tick ? HANDLER_NS : 0;
	timer->interval = ns_of(when->it_interval);
	/* At a tick it was brought up to date before. */
	if (timer->exact && !now.in_tick)
		now.next_tick = now.time + TICK_NS;
	return 0;
}

static long unmake(long number)
{
	ck_assert(number >= TIMER && number < TIMER + TIMERS);
	ck_assert_int_gt(now.timers, 0);
	now.timers--;
	now.timer[number - TIMER].made = false;
	return 0;
}

static long kernel(long number, long a, long b, long c, long d, long e, long f)
{
	if (now.calls++ == now.meanwhile)
		work_of_other();
	switch (number) {
	case SYS_timer_create:
		return make((int)a, (int *)c);
	case SYS_timer_settime:
		return arm(a, (const struct itimerspec *)c);
	case SYS_timer_delete:
		return unmake(a);
	case SYS_perf_event_open: /* a page of this can be mapped */
		return now.means == BY_NO_COUNTER ? -EACCES : real(SYS_memfd_create, (long)"counter", 0, 0, 0, 0, 0);
	default:
		return real(number, a, b, c, d, e, f);
	}
}

/* COUNT expiries of the slot's timer; is a burst due? */
static bool expire(struct pf_slot *slot, uint64_t count)
{
	siginfo_t info = { .si_code = PF_CODE_TIMER };
	ucontext_t context = { .uc_stack = { .ss_flags = SS_DISABLE } };
	bool due;

	info.si_overrun = (int)count - 1;
	now.in_tick = true;
	due = pf_thread_tick(slot, &info, &context);
	now.in_tick = false;
	return due;
}

/* A thread begins, and has a tick if it has a counter or the kernel's ticks are known: what it has is replaced then.
 * Returns its slot. */
static struct pf_slot *begin(enum other other, int meanwhile, enum means means)
{
	struct pf_slot *slot;

	pf_settings = (struct pf_settings) {
		.frequency = 100,
		.branches = 1024,
		.overhead_ppm = 10000,
		.tick_ns = means == BY_TICKS ? TICK_NS : 0,
		.event_pace = means == BY_TIMER || means == BY_TICKS ? 0 : 1000,
	};
	pf_process = (struct pf_process) { .pid = 1 };
	pf_process_crowded = false;
	now.meanwhile = -1;
	slot = pf_thread_slot();
	ck_assert_ptr_nonnull(slot);
	slot->tid = (int)real(SYS_gettid, 0, 0, 0, 0, 0, 0);
	now.other = other;
	now.means = means;
	now.calls = now.timers = 0;
	now.timer[0].made = now.timer[1].made = false;
	now.meanwhile = meanwhile;
	pf_thread_start(slot);
	if (slot->counter.page)
		pf_counter_tick(slot);
	if (means == BY_TICKS)
		expire(slot, 2);
	return slot;
}

static void end(struct pf_slot *slot)
{
	now.meanwhile = -1;
	pf_thread_stop(slot);
	pf_thread_put(slot);
}

START_TEST(undisturbed)
{
	for (enum means means = BY_TIMER; means < MEANS; means++) {
		struct pf_slot *slot = begin(SHUTS, -1, means);

		ck_assert_int_eq(slot->timer, means == BY_COUNTER ? -1 : means == BY_TICKS ? TIMER + 1 : TIMER);
		ck_assert_int_eq(now.timers, means != BY_COUNTER);
		ck_assert(means == BY_COUNTER || now.timer[slot->timer - TIMER].exact);
		ck_assert((slot->counter.page != NULL) == (means == BY_COUNTER));
		end(slot);
	}
}
END_TEST

/* Nothing is left wherever the other thread comes. */
static void disturb(enum other other, enum means means)
{
	bool before = true;

	for (int meanwhile = 0; before; meanwhile++) {
		struct pf_slot *slot = begin(other, meanwhile, means);

		before = now.calls > meanwhile;
		if (before) {
			ck_assert_msg(now.timers == 0, "a timer is left behind call %d", meanwhile);
			ck_assert_int_lt(slot->timer, 0);
			ck_assert_msg(!slot->counter.page || other == CROWDS, "a counter is left behind call %d",
				      meanwhile);
		}
		ck_assert(before || meanwhile > 1);
		end(slot);
	}
}

START_TEST(shut)
{
	for (enum means means = BY_TIMER; means < MEANS; means++)
		disturb(SHUTS, means);
}
END_TEST

START_TEST(crowded)
{
	for (enum means means = BY_TIMER; means < MEANS; means++)
		disturb(CROWDS, means);
}
END_TEST

/* Threads that end, and a process that is forked, give their timers' places back. */
START_TEST(places)
{
	struct pf_slot *slots[4];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++) {
			slots[i] = begin(SHUTS, -1, BY_TIMER);
			ck_assert_int_eq(now.timers, i < 3);
			ck_assert_int_eq(slots[i]->timer, i < 3 ? TIMER : -1);
		}
		now.timers = 3;
		for (int i = 0; i < 4; i++) {
			if (round == 0)
				pf_thread_forget(slots[i]);
			end(slots[i]);
		}
	}
}
END_TEST

/* A thread that meets its first tick after PHASE ns, if the kernel lets it: adds what its bursts stand for to the bins
 * that they are in.  QUIET: no system call is to be made once it has begun. */
static void live(struct pf_slot *slot, uint64_t phase, bool quiet, double bins[BINS])
{
	now.time = now.ticks = 0;
	now.next_tick = phase;
	pf_thread_start(slot);
	pf_process.quiet = quiet;
	while ((now.time = now.next_tick) < BINS * BIN_NS) {
		struct timer *timer = &now.timer[slot->timer - TIMER];
		uint64_t count = 0;

		now.ticks++;
		now.next_tick += TICK_NS;
		for (; timer->due <= (timer->exact ? now.time : now.ticks * TICK_NS); timer->due += timer->interval)
			count++;
		if (!count || !expire(slot, count))
			continue;
		bins[now.time / BIN_NS] += (double)pf_thread_period(slot);
		pf_thread_wait(slot, 0, 0);
	}
	pf_process.quiet = false;
}

static void check_shares(uint32_t frequency, bool quiet)
{
	double bins[BINS] = { 0 };
	uint64_t random = 88172645463325252u;
	struct pf_slot *slot = begin(SHUTS, -1, BY_TIMER);

	pf_settings.tick_ns = TICK_NS;
	pf_settings.frequency = frequency;
	slot->tid = 1; /* lots follow from it: the same in each run */
	for (int i = 0; i < THREADS; i++) {
		pf_thread_stop(slot);
		pf_settings.seed = pf_waits_random(&random);
		live(slot, 1 + pf_waits_random(&random) % TICK_NS, quiet, bins);
	}
	end(slot);
	for (int i = 0; i < BINS; i++) {
		double share = bins[i] / ((double)THREADS * BIN_NS);

		ck_assert_msg(share > .95 && share < 1.05, "bin %d at %u Hz%s: %.3f", i, frequency,
			      quiet ? ", quiet" : "", share);
	}
}

START_TEST(every_moment_has_its_share_where_others_wait_for_the_processor)
{
	check_shares(100, false);
	check_shares(250, false);
	check_shares(20, false);
	check_shares(100, true);
	check_shares(20, true);
}
END_TEST

/* Is it shared, if a thread that LIVES has the first of two stacks, and another one gets SECOND? */
static bool is_mixed_up(bool lives, stack_t second)
{
	static char room[4 * PF_LEAST_ALTERNATE_STACK];
	stack_t first = { .ss_sp = room + PF_LEAST_ALTERNATE_STACK, .ss_size = 2 * PF_LEAST_ALTERNATE_STACK };
	struct pf_slot *one = begin(SHUTS, -1, BY_TIMER), *other = pf_thread_slot();

	second.ss_sp = room + (long)second.ss_sp;
	other->tid = one->tid + 1;
	if (!lives)
		one->tid = INT32_MAX; /* no thread has this number */
	now.stacks_are_shared = false;
	pf_altstack_note(one, &first);
	ck_assert(!now.stacks_are_shared && pf_altstack_is_known(one, &first));
	pf_altstack_note(other, &second);
	ck_assert(pf_altstack_is_known(other, &second) && !pf_altstack_is_known(other, &first));
	pf_thread_put(other);
	end(one);
	return now.stacks_are_shared;
}

START_TEST(a_stack_of_two_threads_is_noticed)
{
	const long unit = PF_LEAST_ALTERNATE_STACK;

	ck_assert(is_mixed_up(true, (stack_t) { .ss_sp = (void *)unit, .ss_size = 3 * unit }));
	ck_assert(is_mixed_up(true, (stack_t) { .ss_sp = (void *)0, .ss_size = unit + 1 }));
	ck_assert(is_mixed_up(true, (stack_t) { .ss_sp = (void *)(3 * unit - 1), .ss_size = unit }));
	ck_assert(!is_mixed_up(true, (stack_t) { .ss_sp = (void *)0, .ss_size = unit }));
	ck_assert(!is_mixed_up(true, (stack_t) { .ss_sp = (void *)(3 * unit), .ss_size = unit }));
	ck_assert(!is_mixed_up(true, (stack_t) { .ss_sp = (void *)unit, .ss_size = unit, .ss_flags = SS_DISABLE }));
	ck_assert(!is_mixed_up(false, (stack_t) { .ss_sp = (void *)unit, .ss_size = 3 * unit }));
}
END_TEST

/* As many as there is room for, each of its own; whether one more is another's, too, nobody can tell. */
START_TEST(a_stack_without_room_is_taken_for_shared)
{
	static char rooms[MOST][2];
	static struct pf_slot *slots[MOST];

	now.stacks_are_shared = false;
	for (int i = 0; i < MOST; i++) {
		stack_t own = { .ss_sp = rooms[i], .ss_size = sizeof rooms[i] };

		slots[i] = pf_thread_slot();
		slots[i]->tid = (int)PF_SYS0(SYS_gettid);
		pf_altstack_note(slots[i], &own);
		ck_assert_int_eq(now.stacks_are_shared, i == MOST - 1);
	}
	for (int i = 0; i < MOST; i++)
		pf_thread_put(slots[i]);
	for (int i = 1; i < MOST; i++)
		ck_assert_int_eq(alternates[i].owner, 0);
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-thread", undisturbed, shut, crowded, places, a_stack_of_two_threads_is_noticed,
			 a_stack_without_room_is_taken_for_shared,
			 every_moment_has_its_share_where_others_wait_for_the_processor);
}
