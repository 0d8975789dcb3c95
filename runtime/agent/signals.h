/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one owner of what the program sees of signals: dispositions, masks, alternate stacks.  See signals.c. */
#ifndef PF_AGENT_SIGNALS_H
#define PF_AGENT_SIGNALS_H

#include "runtime/agent/sys.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The recorder's own signal, one for the whole recording.  A timer's is SIGRTMAX - 3: queued, so that one that the
 * program sends cannot swallow it, nor be.  For a counter's see counter.c. */
#define PF_SIGNAL pf_signals_own
#define PF_SIGNAL_BIT (1ull << (PF_SIGNAL - 1))
#define PF_SIGNAL_OF_TIMER 61
#define PF_SIGNAL_OF_COUNTER SIGTRAP
#define PF_RESTORER_FLAG 0x04000000u

extern int pf_signals_own;

/* Installs the handler of the recorder's own signal, which FIRST is the program's action for; handlers return through
 * RESTORER. LENDS: nothing stands in for the program's calls, so dispositions are as the program left them but during
 * bursts. False if the kernel will not have it. */
bool pf_signals_install(const struct pf_kernel_action *first, void *restorer, bool lends);
/* Those FLAGS of handlers are all that the kernel knows. */
void pf_signals_know(uint64_t flags);
/* Two threads have the same alternate stack: the recorder's own handlers are on none from now on.  Is it so? */
void pf_signals_share_stacks(void);
bool pf_signals_stacks_are_shared(void);
/* belief.c: the same, where the library's calls are stood in for. */
bool pf_signals_start(void);
/* Before each burst: sees to it that the handlers for faults are in front of the program's.  False if somebody is just
 * changing one. */
bool pf_signals_guard(void);
/* Are they there between bursts, too? */
bool pf_signals_stand(void);
/* After it: what bare system calls had put there comes back.  Or it does not, and ours stay in front of it. */
void pf_signals_end_burst(void);
void pf_signals_keep(void);
/* In a forked child, whose other threads are gone: nobody is changing anything. */
void pf_signals_forked(void);
/* Gives the program's own handlers back; where they were lent, that for the timer's signal, too. */
void pf_signals_unguard(void);
/* Does the program ignore SIGSEGV or SIGBUS?  Then no burst may run. */
bool pf_signals_ignore_faults(void);
/* The signals that the frame of a signal has blocked. */
static inline uint64_t pf_mask_in(const ucontext_t *context)
{
	return *(const uint64_t *)(const void *)&context->uc_sigmask;
}

/* A mask that lets fault signals through. */
uint64_t pf_signals_faults(void);

/* Is there anything that the program must not see?  Until then its calls are libc's. */
bool pf_signals_started(void);
/* sigaction as the program sees it, libc's and the system call; 0, or a negative errno. */
long pf_signals_action(int signal, const struct sigaction *new, struct sigaction *old);
long pf_signals_kernel_action(int signal, const struct pf_kernel_action *new, struct pf_kernel_action *old);
/* sigprocmask(2) as the program sees it; 0, or a negative errno.  OLD may be no memory. */
long pf_signals_mask(int how, const uint64_t *new, uint64_t *old);
/* Likewise for the masks in contexts: TO becomes the thread's, and FROM what that was; either may be NULL, and TO no
 * memory.  Called by switching.S. */
long pf_signals_context(const uint64_t *to, uint64_t *from);
/* Around the start of a program by the calling thread: what it has blocked, the new program inherits.  *MASK is what is
 * to be opened again. */
void pf_signals_before_exec(uint64_t *mask);
void pf_signals_after_exec(uint64_t mask);
/* Around the making of a thread, which inherits the creator's mask, likewise. */
void pf_signals_before_thread(uint64_t *mask);
void pf_signals_after_thread(uint64_t mask);
/* A thread begins, and believes of its mask what it is; and ends, its timer's ticks perhaps still to come: from now on
 * its mask is what it believed. */
void pf_signals_begin_thread(void);
void pf_signals_end_thread(bool ticks);
/* Is the timer's signal kept from the calling thread?  Not once somebody has sent it one while it was blocked, and not
 * from a child that is not recorded. */
bool pf_signals_hides(void);
/* Where it is: a set that the kernel is to wait for without the timer's signal, and a mask to wait under with it: a
 * wait uses no CPU time, so nothing is missed, and it cannot be cut short.  But not where the program handles that
 * signal itself. */
uint64_t pf_signals_without(uint64_t set);
uint64_t pf_signals_with(uint64_t set);
/* What siginterrupt has changed behind our back. */
void pf_signals_interrupt(int signal, int interrupt);
bool pf_signals_interrupts(int signal);
/* Has the program the recorder's own signal in the mask of its handler for SIGNAL? */
bool pf_signals_masks_own(int signal);

/* fault.c: the program's handler to go on to, as the kernel would have called it; NULL: the signal was the burst's. */
void *pf_fault(int signal, siginfo_t *info, void *context);
/* sent.c: INFO's signal goes back to the queue that it was taken from.  It must be blocked, or the thread's handler may
 * be called at once. */
void pf_sent_again(int signal, siginfo_t *info);
/* A signal for faults that somebody sent, and that came in a burst: it is the program's when the burst is over. */
void pf_sent_keep(int signal, const siginfo_t *info);
/* The same for one that came when the burst had given back: it waits for the burst's return. */
void pf_sent_put_off(int signal, siginfo_t *info, void *context);
/* The burst is over.  With the lock held. */
void pf_sent_give_back(void);
/* Waits until a burst that is under way has given back what came in it; for a second at most. */
void pf_sent_settle(void);
/* Of the timer's signal, sent by somebody else: the program's handler, NULL: nothing to call. */
void *pf_signals_foreign(int signal, siginfo_t *info, void *context);

/* What the program believes is installed for a fault signal. */
struct pf_kernel_action pf_signals_view(int signal);
/* Gives the calling thread the mask with which the program's handler of SIGNAL by ACTION begins, FRAME being what was
 * interrupted, where the recorder's handler has one of its own. */
void pf_signals_enter_handler(int signal, const struct pf_kernel_action *action, const ucontext_t *frame);
/* Back to the default action, as after a handler that runs once. */
void pf_signals_reset(int signal);

/* dispatch.S */
void pf_signal_timer(int signal, siginfo_t *info, void *context);
void pf_signal_fault(int signal, siginfo_t *info, void *context);

#endif
