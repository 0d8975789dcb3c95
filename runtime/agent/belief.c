/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timer's signal, and what each thread believes of its mask, where the recorder stands in for the library's calls:
 * whether it has blocked the timer's signal, which in truth is open.  The hard case: somebody sends that very signal
 * while a thread believes it blocked.  From then on it is, in that thread, which is recorded no more. */
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

#include <ucontext.h>

/* Of a thread: it believes that the timer's signal is blocked; and it really is, since somebody sent it one. */
static __thread bool blocks __attribute__((tls_model("initial-exec")));
static __thread bool holds __attribute__((tls_model("initial-exec")));

/* The timer is no more, but its last signal may be waiting, blocked as it is here, and would for ever.  What is the
 * program's and waits behind FIRST takes its turn again. */
static void send_in_turn(const struct pf_slot *slot, siginfo_t *first)
{
	static const struct timespec none = { 0, 0 };
	uint64_t set = PF_SIGNAL_BIT;
	siginfo_t behind[8];
	int count = 0;
	while (count < 8 && PF_SYS4(SYS_rt_sigtimedwait, &set, &behind[count], &none, sizeof set) == PF_SIGNAL)
		if (behind[count].si_code != SI_TIMER || behind[count].si_value.sival_ptr != slot)
			count++;
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
	holds = true;
	pf_thread_refuse(slot, PF_REFUSE_SIGNAL);
	send_in_turn(slot, info);
}

/* All signals but faults are blocked here; the program's handler gets the mask that it asked for. */
void *pf_signals_foreign(int signal, siginfo_t *info, void *context)
{
	ucontext_t *frame = context;
	struct pf_kernel_action action = pf_signals_view(PF_SIGNAL), standard = { (void *)SIG_DFL, 0, NULL, 0 };
	uint64_t mask = *(const uint64_t *)(const void *)&frame->uc_sigmask | action.mask;
	if (pf_thread_by_fs() && blocks && !holds) {
		hold(info, frame);
		return NULL;
	}
	if (action.handler == (void *)SIG_IGN)
		return NULL;
	if (action.handler == (void *)SIG_DFL) {
		pf_sys_action(signal, &standard, NULL);
		PF_SYS3(SYS_tgkill, PF_SYS0(SYS_getpid), PF_SYS0(SYS_gettid), signal);
		return NULL;
	}
	if (action.flags & SA_RESETHAND)
		pf_signals_reset(signal);
	if (!(action.flags & SA_NODEFER))
		mask |= PF_SIGNAL_BIT;
	pf_sys_mask(SIG_SETMASK, &mask, NULL);
	return action.handler;
}

void pf_signals_begin_thread(bool blocked)
{
	uint64_t bit = PF_SIGNAL_BIT, was = 0;
	pf_sys_mask(SIG_UNBLOCK, &bit, &was);
	blocks = blocked || was & PF_SIGNAL_BIT;
}

/* Not in a child of vfork: what is believed is its parent's belief. */
static bool carries_mask(void)
{
	return blocks && !holds && pf_process_is_mine();
}

void pf_signals_before_exec(uint64_t *mask)
{
	uint64_t bit = PF_SIGNAL_BIT;
	*mask = 0;
	if (carries_mask())
		pf_sys_mask(SIG_BLOCK, &bit, mask);
}

void pf_signals_after_exec(uint64_t mask)
{
	if (carries_mask())
		pf_sys_mask(SIG_SETMASK, &mask, NULL);
}

/* What the thread believes now.  A child of vfork has its parent's memory, and only its own mask. */
static void believe(bool blocked)
{
	if (blocked != blocks && (!pf_process.pid || pf_process_is_mine()))
		blocks = blocked;
}

long pf_signals_mask(int how, const uint64_t *new, uint64_t *old)
{
	uint64_t mask = new ? *new : 0, was = 0;
	bool wanted = mask & PF_SIGNAL_BIT, blocked = blocks, hidden = pf_signals_started() && !holds;
	if (hidden)
		mask &= ~PF_SIGNAL_BIT;
	long result = pf_sys_mask(how, new ? &mask : NULL, &was);
	if (result)
		return result;
	if (new &&how == SIG_SETMASK)
		believe(wanted);
	else if (new &&wanted)
		believe(how == SIG_BLOCK);
	if (hidden)
		was = blocked ? was | PF_SIGNAL_BIT : was & ~PF_SIGNAL_BIT;
	if (old)
		*old = was;
	return 0;
}

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set;
}

bool pf_signals_hides(void)
{
	return pf_signals_started() && !holds;
}

sigset_t pf_signals_without(const sigset_t *set)
{
	sigset_t copy = *set;
	*(uint64_t *)(void *)&copy = bits(set) & ~(pf_signals_hides() ? PF_SIGNAL_BIT : 0);
	return copy;
}

sigset_t pf_signals_with(const sigset_t *set)
{
	sigset_t copy = *set;
	*(uint64_t *)(void *)&copy = bits(set) | (pf_signals_hides() ? PF_SIGNAL_BIT : 0);
	return copy;
}

bool pf_signals_start(void)
{
	static void *const handler = (void *)pf_signal_timer;
	struct sigaction first = { .sa_handler = SIG_DFL };
	struct pf_kernel_action action;
	if (!PF_NEXT(sigaction) || PF_NEXT(sigaction)(PF_SIGNAL, NULL, &first) != 0)
		return false;
	/* libc knows its restorer, which unwinders know, and installs it with any handler. */
	struct sigaction probe = { .sa_sigaction = (void (*)(int, siginfo_t *, void *))handler,
				   .sa_flags = SA_SIGINFO };
	if (PF_NEXT(sigaction)(PF_SIGNAL, &probe, NULL) != 0 || pf_sys_action(PF_SIGNAL, NULL, &action) != 0)
		return false;
	struct pf_kernel_action before = { (void *)first.sa_handler, (uint64_t)first.sa_flags, NULL, 0 };
	return pf_signals_install(&before, action.restorer, false);
}
