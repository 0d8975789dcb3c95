/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timer's signal, and what each thread believes of its mask, where the recorder stands in for the library's calls:
 * whether it has blocked the timer's signal, which in truth is open.  The hard cases: somebody sends that very signal
 * while a thread believes it blocked; from then on it is, in that thread, which is recorded no more.  And a child of
 * vfork, or of a bare clone: it has its parent's memory, and the belief in it, but a mask of its own.  It has no timer
 * either, so there the belief is made true once, and then the kernel's mask is all there is. */
#include "runtime/agent/caller.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/resting.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

#include <errno.h>
#include <ucontext.h>

/* Of a thread: it believes that the timer's signal is blocked; and it really is, since somebody sent it one. */
static __thread bool blocks __attribute__((tls_model("initial-exec")));
static __thread bool holds __attribute__((tls_model("initial-exec")));
/* It has begun as one that could be recorded; the mask of any other is the kernel's. */
static __thread bool begun __attribute__((tls_model("initial-exec")));
/* The last child in this memory that has made the belief true. */
static __thread int settled __attribute__((tls_model("initial-exec")));

/* Is the calling process one that is not recorded, made by one that is?  From now on its mask is what it believes. */
static bool settles(void)
{
	uint64_t bit = PF_SIGNAL_BIT;
	int before = settled;
	/* What the program may have forbidden itself is the question, too. */
	if (pf_process_barred && !settled)
		return false;
	int pid = (int)PF_SYS0(SYS_getpid);
	settled = pid == pf_process.pid ? 0 : pid;
	if (settled && settled != before && blocks)
		pf_sys_mask(SIG_BLOCK, &bit, NULL);
	return settled;
}

/* Is the timer's signal kept from the calling thread?  WANTED: it is just about to block or open it. */
static bool hides(bool wanted)
{
	return pf_signals_started() && begun && !holds && !((wanted || blocks || settled) && settles());
}

/* From the timer or the counter of SLOT; see dispatch.S. */
static bool is_own(const siginfo_t *info, const struct pf_slot *slot)
{
	return (info->si_code == PF_CODE_TIMER || info->si_code == PF_CODE_COUNTER) && info->si_value.sival_ptr == slot;
}

/* The timer or the counter is no more, but its last signal may be waiting, blocked as it is here, and would for ever.
 * What is the program's and waits behind FIRST (NULL: there is none) takes its turn again. */
static void send_in_turn(const struct pf_slot *slot, siginfo_t *first)
{
	static const struct timespec none = { 0, 0 };
	uint64_t set = PF_SIGNAL_BIT;
	siginfo_t behind[8];
	int count = 0;
	while (count < 8 && PF_SYS4(SYS_rt_sigtimedwait, &set, &behind[count], &none, sizeof set) == PF_SIGNAL)
		if (!is_own(&behind[count], slot))
			count++;
	if (first)
		pf_sent_again(PF_SIGNAL, first);
	for (int i = 0; i < count; i++)
		pf_sent_again(PF_SIGNAL, &behind[i]);
}

/* The program has blocked the signal, so it thinks.  From now on it has, in this thread, which is not recorded any
 * more, and the signal waits where it would have. */
static void hold(siginfo_t *info, ucontext_t *frame)
{
	struct pf_slot *slot = pf_thread_self();
	*(uint64_t *)(void *)&frame->uc_sigmask |= PF_SIGNAL_BIT;
	if (settles()) {
		pf_sent_again(PF_SIGNAL, info);
		return;
	}
	holds = true;
	pf_thread_refuse(slot, PF_REFUSE_SIGNAL);
	send_in_turn(slot, info);
}

/* A breakpoint of the program's own: no mask keeps it off, and who blocks or ignores it dies of it. */
static bool is_breakpoint(int signal, const siginfo_t *info)
{
	return signal == SIGTRAP && info->si_code > 0 && info->si_code != PF_CODE_COUNTER;
}

/* All signals but faults are blocked here; the program's handler gets the mask that it asked for. */
void *pf_signals_foreign(int signal, siginfo_t *info, void *context)
{
	ucontext_t *frame = context;
	struct pf_kernel_action action = pf_signals_view(PF_SIGNAL), standard = { (void *)SIG_DFL, 0, NULL, 0 };
	bool blocked = pf_thread_by_fs() && blocks && !holds, breakpoint = is_breakpoint(signal, info);
	if (blocked && !breakpoint) {
		hold(info, frame);
		return NULL;
	}
	if (action.handler == (void *)SIG_IGN && !breakpoint)
		return NULL;
	if (action.handler == (void *)SIG_DFL || action.handler == (void *)SIG_IGN || blocked) {
		pf_sys_action(signal, &standard, NULL);
		PF_SYS3(SYS_tgkill, PF_SYS0(SYS_getpid), PF_SYS0(SYS_gettid), signal);
		return NULL;
	}
	if (action.flags & SA_RESETHAND)
		pf_signals_reset(signal);
	pf_signals_enter_handler(PF_SIGNAL, &action, frame);
	return action.handler;
}

void pf_signals_before_thread(uint64_t *mask)
{
	uint64_t bit = PF_SIGNAL_BIT, was = 0;
	*mask = 0;
	if (hides(false) && blocks && pf_sys_mask(SIG_BLOCK, &bit, &was) == 0)
		*mask = bit & ~was;
}

void pf_signals_after_thread(uint64_t mask)
{
	if (mask && hides(false))
		pf_sys_mask(SIG_UNBLOCK, &mask, NULL);
}

/* One may be waiting for the whole process: who opens it must believe it blocked by then. */
void pf_signals_begin_thread(void)
{
	uint64_t bit = PF_SIGNAL_BIT, mask = 0;
	pf_sys_mask(SIG_BLOCK, NULL, &mask);
	begun = true;
	blocks = mask & bit;
	if (blocks)
		pf_sys_mask(SIG_UNBLOCK, &bit, NULL);
}

void pf_signals_end_thread(bool ticks)
{
	uint64_t bit = PF_SIGNAL_BIT;
	if (ticks || blocks)
		pf_sys_mask(SIG_BLOCK, &bit, NULL);
}

/* A signal of its that waits, as the program has blocked it by a bare system call, would end the new program.  (The
 * kernel itself takes a timer's away.) */
static void rest_counter(void)
{
	struct pf_slot *slot = pf_process_is_mine() ? pf_thread_self() : NULL;
	if (!slot || !slot->counter.page || pf_process.quiet)
		return;
	pf_counter_stop(slot);
	slot->counter.rests = true;
	send_in_turn(slot, NULL);
}

void pf_signals_before_exec(uint64_t *mask)
{
	rest_counter();
	pf_signals_before_thread(mask);
}

void pf_signals_after_exec(uint64_t mask)
{
	pf_signals_after_thread(mask);
	struct pf_slot *slot = pf_process_is_mine() ? pf_thread_self() : NULL;
	if (slot && slot->counter.rests) {
		slot->counter.rests = false;
		if (!pf_process.shut)
			pf_counter_start(slot);
	}
}

/* What the kernel is told: a signal that is really blocked, by a context's mask or a bare call, must be opened. */
static uint64_t hidden_mask(int how, uint64_t mask)
{
	return how == SIG_UNBLOCK ? mask : mask & ~PF_SIGNAL_BIT;
}

static void show(uint64_t *mask, bool blocked)
{
	*mask = blocked ? *mask | PF_SIGNAL_BIT : *mask & ~PF_SIGNAL_BIT;
}

long pf_signals_mask(int how, const uint64_t *new, uint64_t *old)
{
	uint64_t mask = new ? *new : 0;
	bool wanted = mask & PF_SIGNAL_BIT, hidden = hides(wanted), blocked = blocks;
	if (hidden)
		mask = hidden_mask(how, mask);
	long result = pf_resting_mask(how, new ? &mask : NULL, old);
	if (result && result != -EFAULT) /* by then the mask is changed */
		return result;
	if (hidden && new &&how == SIG_SETMASK)
		blocks = wanted;
	else if (hidden && new &&wanted)
		blocks = how == SIG_BLOCK;
	if (hidden && old && result == 0)
		show(old, blocked);
	return result;
}

/* The kernel reads the mask where it lies, as it does for libc's: to ask for it first would be one more call for each
 * switch.  It closes the recorder's signal for a moment where the context wants it blocked. */
static long go_to(const uint64_t *mask, uint64_t *old)
{
	uint64_t bit = PF_SIGNAL_BIT;
	bool hidden = hides(false), blocked = blocks;
	long result = pf_sys_mask(SIG_SETMASK, mask, old);
	if (result)
		return result;
	bool wanted = *mask & bit;
	hidden = wanted ? hides(true) : hidden;
	if (hidden) { /* before what somebody has sent meanwhile can come */
		blocks = wanted;
		show(old, blocked);
	}
	if (hidden && wanted)
		pf_sys_mask(SIG_UNBLOCK, &bit, NULL);
	return 0;
}

static long go_to_whole(const uint64_t *mask, uint64_t *old)
{
	uint64_t wanted;
	return pf_caller_reads(&wanted, mask, sizeof wanted) ? pf_signals_mask(SIG_SETMASK, &wanted, old) : -EFAULT;
}

long pf_signals_context(const uint64_t *to, uint64_t *from)
{
	uint64_t was = 0;
	long result = !to                 ? pf_signals_mask(SIG_BLOCK, NULL, &was)
		      : pf_settings.whole ? go_to_whole(to, &was)
					  : go_to(to, &was);
	if (from && result == 0)
		*from = was;
	return result;
}

bool pf_signals_hides(void)
{
	return hides(false);
}

uint64_t pf_signals_without(uint64_t set)
{
	return set & ~PF_SIGNAL_BIT;
}

/* Has the program a handler for its own signal of that number?  A wait may be for it. */
static bool is_handled(void)
{
	void *handler = pf_signals_view(PF_SIGNAL).handler;
	return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN;
}

uint64_t pf_signals_with(uint64_t set)
{
	return is_handled() ? set : set | PF_SIGNAL_BIT;
}

bool pf_signals_start(void)
{
	static void *const handler = (void *)pf_signal_timer;
	struct sigaction first = { .sa_handler = SIG_DFL };
	struct pf_kernel_action action;
	if (!PF_NEXT(sigaction) || PF_NEXT(sigaction)(PF_SIGNAL, NULL, &first) != 0)
		return false;
	/* libc knows its restorer, which unwinders know, and installs it with any handler; of flags the kernel keeps
	 * what it knows. */
	struct sigaction probe = { .sa_sigaction = (void (*)(int, siginfo_t *, void *))handler, .sa_flags = ~0 };
	if (PF_NEXT(sigaction)(PF_SIGNAL, &probe, NULL) != 0 || pf_sys_action(PF_SIGNAL, NULL, &action) != 0)
		return false;
	pf_signals_know(action.flags);
	struct pf_kernel_action before = { (void *)first.sa_handler, (uint64_t)first.sa_flags, NULL, 0 };
	return pf_signals_install(&before, action.restorer, false);
}
