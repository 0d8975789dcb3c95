/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program sees of signals, where the recorder has one of its own and stands in front of the program's handlers
 * for faults.  The handlers for faults are installed once, with the program's own flags and mask, so that the kernel
 * delivers on the stack and under the mask that the program asked for, and pass on by a jump: a fault that is not a
 * burst's reaches the program exactly as it would have.  A signal that the program ignores stays ignored in the kernel,
 * because that is inherited by the programs that it starts; if that is SIGSEGV or SIGBUS there are no bursts.
 * The view is two records a signal of which a generation number names the valid one: a handler reads it without a lock,
 * a writer blocks all signals first.  The hard cases: a child of vfork calls sigaction with its parent's memory but
 * dispositions of its own; what it asks for goes to the kernel alone.  And programs (or a second C library) that go to
 * the kernel themselves: each burst looks, and stands in front of such a handler for as long as it takes.  In a process
 * that the recorder has been attached to all calls are of that kind. */
#include "runtime/agent/signals.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/thread.h"
#include "runtime/agent/whole.h"

#include <errno.h>
#include <stdatomic.h>
#include <ucontext.h>

#define FAULTS 5
#define INTERNAL_SIGNALS (3ull << 31) /* libc's own 32 and 33 */
#define UNBLOCKABLE (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))

struct view {
	_Atomic uint64_t generation;
	struct pf_kernel_action actions[2];
};

int pf_signals_own = PF_SIGNAL_OF_TIMER;

static const int faults[FAULTS] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
static int fault_count = FAULTS - 1; /* SIGTRAP is the recorder's in a whole run only */
static struct view views[FAULTS], timer_view;
static _Atomic uint32_t writing; /* in a fork's child a writer may be missing: see lock_views */
static _Atomic int writer;
static _Atomic uint64_t wants_blocked; /* signals in whose mask the program has the timer's signal */
static _Atomic uint64_t interrupting;  /* signals that siginterrupt has taken SA_RESTART from */
static _Atomic bool started, guarding;
static _Atomic bool stacks_are_shared; /* by threads that would be interrupted on them: altstack.c */
static bool lent;            /* nothing stands in for library calls: all is as the program left it but during bursts */
static bool swapped[FAULTS]; /* in the present burst: see stand_in_front */
static struct pf_kernel_action before_burst[FAULTS];
static void *restorer;               /* libc's, which unwinders know */
static uint64_t known_flags = ~0ull; /* of handlers; the kernel forgets the others, by which programs ask for them */

static int index_of(int signal)
{
	for (int i = 0; i < fault_count; i++)
		if (faults[i] == signal)
			return i;
	return -1;
}

uint64_t pf_signals_faults(void)
{
	uint64_t mask = 0;
	for (int i = 0; i < fault_count; i++)
		mask |= 1ull << (faults[i] - 1);
	return mask;
}

static struct pf_kernel_action read_view(struct view *view)
{
	struct pf_kernel_action action;
	uint64_t generation;
	do {
		generation = atomic_load(&view->generation);
		action = view->actions[generation & 1];
		atomic_thread_fence(memory_order_acquire);
	} while (generation != atomic_load(&view->generation));
	return action;
}

static void write_view(struct view *view, const struct pf_kernel_action *action)
{
	uint64_t generation = atomic_load(&view->generation) + 1;
	view->actions[generation & 1] = *action;
	atomic_store(&view->generation, generation);
}

/* Writers do nothing but a few system calls, signals blocked, so this wait is short; the writer of another process is
 * one that this process was forked from in the middle of its work, and will never come back. */
static uint64_t lock_views(void)
{
	uint64_t all = ~0ull, before = 0;
	if (pf_process.shut)
		return 0; /* nothing is in front of the program's handlers any more, and it may have forbidden our calls
			   */
	int pid = (int)PF_SYS0(SYS_getpid);
	pf_sys_mask(SIG_BLOCK, &all, &before);
	for (unsigned int round = 0; atomic_exchange(&writing, 1) && atomic_load(&writer) == pid; round++)
		pf_sys_relax(round);
	atomic_store(&writer, pid);
	return before;
}

void pf_signals_forked(void)
{
	atomic_store(&writer, pf_process.pid);
	atomic_store(&writing, 0);
}

static void unlock_views(uint64_t before)
{
	atomic_store(&writing, 0);
	if (!pf_process.shut)
		pf_sys_mask(SIG_SETMASK, &before, NULL);
}

static bool is_ours(const struct pf_kernel_action *action)
{
	return action->handler == (void *)pf_signal_fault;
}

static uint64_t own_stack(void)
{
	return atomic_load(&stacks_are_shared) ? 0 : SA_ONSTACK;
}

/* What the kernel is told for what the program wants. */
static struct pf_kernel_action overlay(int index, const struct pf_kernel_action *action)
{
	struct pf_kernel_action ours = { (void *)pf_signal_fault, SA_SIGINFO | own_stack() | PF_RESTORER_FLAG, restorer,
					 ~0ull };
	/* The trap that takes the program back into its burst: nothing of the program's matters to it. */
	if (faults[index] == SIGTRAP) {
		ours.mask = ~pf_signals_faults();
		return ours;
	}
	if (action->handler == (void *)SIG_IGN)
		return *action;
	if (action->handler == (void *)SIG_DFL)
		return ours;
	ours.flags = (action->flags & ~(uint64_t)SA_RESETHAND) | SA_SIGINFO | PF_RESTORER_FLAG;
	ours.mask = action->mask;
	if (action->flags & PF_RESTORER_FLAG)
		ours.restorer = action->restorer; /* the handler's return must not need us */
	return ours;
}

/* Makes ACTION the program's for fault signal INDEX. */
static void install(int index, const struct pf_kernel_action *action)
{
	struct pf_kernel_action ours = overlay(index, action);
	write_view(&views[index], action);
	pf_sys_action(faults[index], &ours, NULL);
}

/* Ours in front of what the kernel has for fault INDEX.  If that is not what the program's library calls have made of
 * it, it was put there by a bare system call, and bare calls must find it again: it gets its place back after the
 * burst. */
static void stand_in_front(int index)
{
	struct pf_kernel_action now = { 0 }, known = read_view(&views[index]);
	pf_sys_action(faults[index], NULL, &now);
	swapped[index] = lent;
	if (lent) {
		/* Ours, though no burst is under way: another thread has asked in one, and put back what it was told.
		 */
		install(index, is_ours(&now) ? &known : &now);
		return;
	}
	if (is_ours(&now))
		return;
	if (now.handler == (void *)SIG_IGN)
		known.handler = now.handler;
	if (now.handler != known.handler) {
		swapped[index] = true;
		before_burst[index] = known;
	}
	install(index, &now);
}

bool pf_signals_guard(void)
{
	uint64_t mask = pf_signals_faults();
	if (atomic_exchange(&writing, 1) && atomic_load(&writer) == pf_process.pid)
		return false;
	atomic_store(&writer, pf_process.pid);
	for (int i = 0; i < fault_count; i++)
		stand_in_front(i);
	guarding = true;
	atomic_store(&writing, 0);
	if (lent)
		pf_sys_mask(SIG_UNBLOCK, &mask, NULL);
	return true;
}

bool pf_signals_stand(void)
{
	return guarding && !lent;
}

void pf_signals_keep(void)
{
	for (int i = 0; i < fault_count; i++)
		swapped[i] = false;
}

void pf_signals_end_burst(void)
{
	uint64_t mask = pf_signals_faults();
	bool any = false;
	for (int i = 0; i < fault_count; i++)
		any |= swapped[i];
	if (any) /* the program's own handler must not begin while the recorder is on the stack */
		pf_sys_mask(SIG_BLOCK, &mask, NULL);
	for (int i = 0; i < fault_count; i++) {
		struct pf_kernel_action now = { 0 }, action = read_view(&views[i]);
		if (!swapped[i])
			continue;
		swapped[i] = false;
		pf_sys_action(faults[i], NULL, &now);
		if (is_ours(&now))
			pf_sys_action(faults[i], &action, NULL);
		if (!lent)
			write_view(&views[i], &before_burst[i]);
	}
}

bool pf_signals_ignore_faults(void)
{
	return pf_signals_view(SIGSEGV).handler == (void *)SIG_IGN ||
	       pf_signals_view(SIGBUS).handler == (void *)SIG_IGN;
}

/* To be ignored for a moment: a signal that waits, of a timer that is no more, would end the program. */
static void withdraw(void)
{
	struct pf_kernel_action ignored = { (void *)SIG_IGN, 0, NULL, 0 }, first = read_view(&timer_view), now = { 0 };
	pf_sys_action(PF_SIGNAL, NULL, &now);
	if (now.handler != (void *)pf_signal_timer)
		return;
	pf_sys_action(PF_SIGNAL, &ignored, NULL);
	pf_sys_action(PF_SIGNAL, &first, NULL);
}

void pf_signals_unguard(void)
{
	uint64_t before = lock_views();
	/* SIGTRAP stays: another thread may be on its way to it. */
	for (int i = 0; guarding && i < FAULTS - 1; i++) {
		struct pf_kernel_action now = { 0 }, action = read_view(&views[i]);
		pf_sys_action(faults[i], NULL, &now);
		if (is_ours(&now))
			pf_sys_action(faults[i], &action, NULL);
	}
	guarding = false;
	if (lent)
		withdraw();
	unlock_views(before);
}

struct pf_kernel_action pf_signals_view(int signal)
{
	int index = index_of(signal);
	return read_view(index < 0 ? &timer_view : &views[index]);
}

void pf_signals_enter_handler(int signal, const struct pf_kernel_action *action, const ucontext_t *frame)
{
	uint64_t mask = *(const uint64_t *)(const void *)&frame->uc_sigmask | action->mask;
	if (!(action->flags & SA_NODEFER))
		mask |= 1ull << (signal - 1);
	pf_sys_mask(SIG_SETMASK, &mask, NULL);
}

void pf_signals_reset(int signal)
{
	int index = index_of(signal);
	struct pf_kernel_action standard = { (void *)SIG_DFL, 0, NULL, 0 };
	uint64_t before = lock_views();
	if (index < 0)
		write_view(&timer_view, &standard);
	else if (pf_process_is_mine())
		install(index, &standard);
	else
		pf_sys_action(signal, &standard, NULL);
	unlock_views(before);
}

bool pf_signals_install(const struct pf_kernel_action *first, void *restorer_for, bool lends)
{
	if (pf_settings.whole)
		fault_count = FAULTS;
	struct pf_kernel_action action = { (void *)pf_signal_timer,
					   SA_SIGINFO | own_stack() | SA_RESTART | PF_RESTORER_FLAG, restorer_for,
					   lends ? ~0ull : ~pf_signals_faults() };
	timer_view.actions[0] = *first;
	atomic_store(&timer_view.generation, 0);
	restorer = restorer_for;
	lent = lends;
	started = pf_sys_action(PF_SIGNAL, &action, NULL) == 0;
	return started;
}

void pf_signals_share_stacks(void)
{
	struct pf_kernel_action now = { 0 };
	uint64_t before = lock_views();
	atomic_store(&stacks_are_shared, true);
	pf_sys_action(PF_SIGNAL, NULL, &now);
	if (now.handler == (void *)pf_signal_timer) {
		now.flags &= ~(uint64_t)SA_ONSTACK;
		pf_sys_action(PF_SIGNAL, &now, NULL);
	}
	/* The trap that a whole run comes back by is for all threads, too. */
	if (guarding && fault_count == FAULTS) {
		struct pf_kernel_action trap = read_view(&views[FAULTS - 1]);
		install(FAULTS - 1, &trap);
	}
	unlock_views(before);
}

bool pf_signals_stacks_are_shared(void)
{
	return atomic_load(&stacks_are_shared);
}

void pf_signals_know(uint64_t flags)
{
	known_flags = flags;
}

static struct pf_kernel_action to_kernel(const struct sigaction *action)
{
	struct pf_kernel_action kernel = { (void *)action->sa_handler, (uint32_t)action->sa_flags | PF_RESTORER_FLAG,
					   restorer, *(const uint64_t *)(const void *)&action->sa_mask };
	return kernel;
}

static void from_kernel(const struct pf_kernel_action *kernel, struct sigaction *action)
{
	action->sa_handler = (__sighandler_t)kernel->handler;
	action->sa_flags = (int)kernel->flags;
	action->sa_restorer = (void (*)(void))kernel->restorer;
	*(uint64_t *)(void *)&action->sa_mask = kernel->mask;
}

/* Is the memory that of the process's parent, as a child of vfork's is?  What is noted there of its actions would be
 * noted of the parent's.  (The child of a fork has a clear page, or is the process that it says.)  Behind a filter,
 * where nothing is noted any more, nobody asks. */
static bool is_borrowed(void)
{
	bool filtered = pf_process.shut && pf_process_barred;
	return pf_process.pid && !filtered && !pf_process_is_mine();
}

/* A program that blocks all signals in its handlers does not mean the timer's; but on an alternate stack there may be
 * no room for a second frame. */
static uint64_t mask_of(int signal, const struct pf_kernel_action *action)
{
	uint64_t bit = 1ull << (signal - 1);
	if (is_borrowed())
		return action->mask;
	if (action->mask & PF_SIGNAL_BIT)
		atomic_fetch_or(&wants_blocked, bit);
	else
		atomic_fetch_and(&wants_blocked, ~bit);
	return action->flags & SA_ONSTACK ? action->mask | PF_SIGNAL_BIT : action->mask & ~PF_SIGNAL_BIT;
}

static long change(int signal, const struct pf_kernel_action *new, struct pf_kernel_action *old)
{
	int index = index_of(signal);
	struct pf_kernel_action now = { 0 };
	long result = pf_sys_action(signal, NULL, &now);
	bool in_front = index >= 0 && is_ours(&now);
	*old = in_front ? read_view(&views[index]) : now;
	if (result || !new)
		return result;
	bool known = index >= 0 && (guarding || !pf_process.shut) && pf_process.pid && !is_borrowed();
	if (known && guarding)
		install(index, new);
	else
		result = pf_sys_action(signal, new, NULL);
	if (known && !guarding && result == 0)
		write_view(&views[index], new);
	return result;
}

static void change_timer(const struct pf_kernel_action *new, struct pf_kernel_action *old)
{
	*old = read_view(&timer_view);
	if (new && !is_borrowed())
		write_view(&timer_view, new);
}

static bool has_action(int signal)
{
	return signal >= 1 && signal <= 64 && !(INTERNAL_SIGNALS >> (signal - 1) & 1);
}

long pf_signals_kernel_action(int signal, const struct pf_kernel_action *new, struct pf_kernel_action *old)
{
	struct pf_kernel_action wanted, was = { 0 };
	long result = 0;
	if (!has_action(signal))
		return -EINVAL;
	bool stepped = pf_whole_rest();
	if (new) {
		wanted = *new;
		wanted.flags &= known_flags;
		wanted.mask &= ~UNBLOCKABLE;
	}
	uint64_t before = lock_views();
	if (signal == PF_SIGNAL) {
		change_timer(new ? &wanted : NULL, &was);
	} else {
		uint64_t hidden = atomic_load(&wants_blocked) >> (signal - 1) & 1 ? PF_SIGNAL_BIT : 0;
		if (new)
			wanted.mask = mask_of(signal, &wanted);
		result = change(signal, new ? &wanted : NULL, &was);
		was.mask = (is_borrowed() ? was.mask : was.mask & ~PF_SIGNAL_BIT) | hidden;
	}
	unlock_views(before);
	if (old && result == 0)
		*old = was;
	pf_whole_resume(stepped);
	return result;
}

long pf_signals_action(int signal, const struct sigaction *new, struct sigaction *old)
{
	struct pf_kernel_action wanted, was;
	if (!has_action(signal)) /* libc looks at the action after that only */
		return -EINVAL;
	if (new)
		wanted = to_kernel(new);
	long result = pf_signals_kernel_action(signal, new ? &wanted : NULL, &was);
	if (old && result == 0)
		from_kernel(&was, old);
	return result;
}

bool pf_signals_started(void)
{
	return started;
}

bool pf_signals_interrupts(int signal)
{
	return atomic_load(&interrupting) >> (signal - 1) & 1;
}

bool pf_signals_masks_own(int signal)
{
	return atomic_load(&wants_blocked) >> (signal - 1) & 1;
}

void pf_signals_interrupt(int signal, int interrupt)
{
	int index = index_of(signal);
	uint64_t bit = 1ull << (signal - 1);
	if (interrupt)
		atomic_fetch_or(&interrupting, bit);
	else
		atomic_fetch_and(&interrupting, ~bit);
	if (index < 0)
		return;
	uint64_t before = lock_views();
	if (guarding && pf_process_is_mine()) {
		struct pf_kernel_action action = read_view(&views[index]);
		action.flags = interrupt ? action.flags & ~(uint64_t)SA_RESTART : action.flags | SA_RESTART;
		install(index, &action);
	}
	unlock_views(before);
}
