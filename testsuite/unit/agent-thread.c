/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that get their timer, or their counter, while another thread takes the recorder out of the process, or finds
 * it crowded, at each of the system calls that they make for it: what stays then sends a signal that meets no handler,
 * and ends the program.  The kernel is one of the test's own, and the other thread's work is done in its calls, so no
 * order of events is left to chance. */
#include "runtime/agent/sys.h"

static long kernel(long number, long a, long b, long c, long d, long e, long f);

static long real(long number, long a, long b, long c, long d, long e, long f)
{
	return pf_sys(number, a, b, c, d, e, f);
}

#define pf_sys kernel
#include "runtime/agent/counter.c" /* the files themselves, as the calls are theirs */
#include "runtime/agent/segments.c"
#include "runtime/agent/thread.c"
#include "runtime/agent/waits.c"
#include "testsuite/unit/suite.h"

#define TIMER 7

enum other { SHUTS, CROWDS };
enum means { BY_TIMER, BY_COUNTER, BY_NO_COUNTER, MEANS }; /* the third: the kernel refuses it */

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
} now;

bool pf_process_is_mine(void)
{
	return true;
}

void pf_process_lasts(void)
{
}

struct pf_slot *pf_thread_self(void)
{
	return NULL;
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

static long kernel(long number, long a, long b, long c, long d, long e, long f)
{
	if (now.calls++ == now.meanwhile)
		work_of_other();
	switch (number) {
	case SYS_timer_create:
		now.timers++;
		*(int *)c = TIMER;
		return 0;
	case SYS_timer_settime:
		return a == TIMER && now.timers ? 0 : -EINVAL;
	case SYS_timer_delete:
		ck_assert_int_eq(a, TIMER);
		ck_assert_int_gt(now.timers, 0);
		now.timers--;
		return 0;
	case SYS_perf_event_open: /* a page of this can be mapped */
		return now.means == BY_NO_COUNTER ? -EACCES : real(SYS_memfd_create, (long)"counter", 0, 0, 0, 0, 0);
	default:
		return real(number, a, b, c, d, e, f);
	}
}

/* A thread begins, and has a tick if it has a counter, which is replaced then.  Returns its slot. */
static struct pf_slot *begin(enum other other, int meanwhile, enum means means)
{
	struct pf_slot *slot;

	pf_settings = (struct pf_settings) {
		.frequency = 100, .branches = 1024, .overhead_ppm = 10000, .event_pace = means == BY_TIMER ? 0 : 1000
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
	now.meanwhile = meanwhile;
	pf_thread_start(slot);
	if (slot->counter.page)
		pf_counter_tick(slot);
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

		ck_assert_int_eq(slot->timer, means == BY_COUNTER ? -1 : TIMER);
		ck_assert_int_eq(now.timers, means != BY_COUNTER);
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

int main(void)
{
	return RUN_SUITE("agent-thread", undisturbed, shut, crowded, places);
}
