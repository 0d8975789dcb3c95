/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library calls through which a program handles, blocks, awaits or sees signals.  Each does what libc's would, in a
 * view in which the recorder is not there (signals.c).  The hard case: a program may call any of them before the
 * recorder is set up, in a signal handler, or in the child of vfork; so none allocates or takes a lock of anybody
 * else's. */
#include "runtime/agent/caller.h"
#include "runtime/agent/exported.h"
#include "runtime/agent/next.h"
#include "runtime/agent/resting.h"
#include "runtime/agent/signals.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

#define INTERNAL_SIGNALS (3ull << 31) /* libc's own 32 and 33, which nobody may block */

static int *errno_place(void)
{
	static int none;
	int *(*place)(void) = (int *(*)(void))PF_NEXT(__errno_location);
	return place ? place() : &none;
}

long pf_set_errno(int error)
{
	*errno_place() = error;
	return -1;
}

/* Would libc's own work show what the recorder hides, or leave what it believes behind? */
static bool is_seen(int signal)
{
	return pf_signals_started() && signal > 0 && signal <= 64 &&
	       (signal == PF_SIGNAL || pf_signals_faults() >> (signal - 1) & 1 || pf_signals_masks_own(signal));
}

PF_EXPORT int sigaction(int signal, const struct sigaction *restrict new, struct sigaction *restrict old)
{
	if (!pf_signals_started())
		return PF_NEXT(sigaction)(signal, new, old);
	return (int)pf_result(pf_signals_action(signal, new, old));
}
PF_RESTS(sigaction);

/* libc's other name for it, which programs can find, too. */
PF_EXPORT int __sigaction(int signal, const struct sigaction *new, struct sigaction *old);
PF_EXPORT int __sigaction(int signal, const struct sigaction *new, struct sigaction *old)
{
	return sigaction(signal, new, old);
}
PF_RESTS(__sigaction);

/* signal and its kin for a signal that we stand in front of: FLAGS and whether the signal itself is in the mask tell
 * them apart. */
static sighandler_t set_handler(int number, sighandler_t handler, int flags, bool masks)
{
	struct sigaction new = { .sa_handler = handler, .sa_flags = flags }, old;
	if (handler == SIG_ERR)
		return (sighandler_t)pf_set_errno(EINVAL);
	if (masks)
		*(uint64_t *)(void *)&new.sa_mask = 1ull << (number - 1);
	long result = pf_signals_action(number, &new, &old);
	return result ? (sighandler_t)pf_result(result) : old.sa_handler;
}

static sighandler_t set_bsd(int number, sighandler_t handler)
{
	return set_handler(number, handler, pf_signals_interrupts(number) ? 0 : SA_RESTART, true);
}

static sighandler_t set_sysv(int number, sighandler_t handler)
{
	return set_handler(number, handler, SA_RESETHAND | SA_NODEFER | SA_INTERRUPT, false);
}

/* SIG_HOLD blocks and leaves the handler; all else unblocks. */
static sighandler_t set_held(int number, sighandler_t handler)
{
	uint64_t bit = 1ull << (number - 1), was = 0;
	struct sigaction old;
	sighandler_t before;
	if (handler == SIG_HOLD) {
		pf_signals_action(number, NULL, &old);
		before = old.sa_handler;
	} else {
		before = set_handler(number, handler, 0, false);
		if (before == SIG_ERR)
			return before;
	}
	pf_signals_mask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &bit, &was);
	return was & bit ? SIG_HOLD : before;
}

#define SIGNAL_LIKE(name, ours)                                                                                        \
	PF_EXPORT sighandler_t name(int number, sighandler_t handler);                                                 \
	PF_EXPORT sighandler_t name(int number, sighandler_t handler)                                                  \
	{                                                                                                              \
		return is_seen(number) ? ours(number, handler) : PF_NEXT(name)(number, handler);                       \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
SIGNAL_LIKE(signal, set_bsd)
SIGNAL_LIKE(bsd_signal, set_bsd)
SIGNAL_LIKE(ssignal, set_bsd)
SIGNAL_LIKE(sysv_signal, set_sysv)
SIGNAL_LIKE(__sysv_signal, set_sysv)
SIGNAL_LIKE(sigset, set_held)

PF_EXPORT int sigignore(int number)
{
	if (is_seen(number))
		return set_handler(number, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
	return PF_NEXT(sigignore)(number);
}

PF_EXPORT int siginterrupt(int number, int interrupt)
{
	if (number == PF_SIGNAL && pf_signals_started())
		return 0;
	int result = PF_NEXT(siginterrupt)(number, interrupt);
	if (result == 0 && pf_signals_started())
		pf_signals_interrupt(number, interrupt);
	return result;
}

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set;
}

/* The way of all that libc's own sigprocmask does; a thread that blocks its internal signals is never cancelled. */
static long change_mask(int how, const uint64_t *new, uint64_t *old)
{
	uint64_t mask = new ? *new & ~INTERNAL_SIGNALS : 0;
	return pf_signals_mask(how, new ? &mask : NULL, old);
}

PF_EXPORT int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict old)
{
	return (int)pf_result(change_mask(how, (const void *)new, (void *)old));
}
PF_RESTS(sigprocmask);

PF_EXPORT int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict old)
{
	return (int)-change_mask(how, (const void *)new, (void *)old);
}
PF_RESTS(pthread_sigmask);

static int old_style_mask(int how, int mask)
{
	uint64_t new = (uint32_t)mask, old = 0;
	change_mask(how, &new, &old);
	return (int)old;
}

PF_EXPORT int sigblock(int mask)
{
	return old_style_mask(SIG_BLOCK, mask);
}
PF_RESTS(sigblock);

PF_EXPORT int sigsetmask(int mask)
{
	return old_style_mask(SIG_SETMASK, mask);
}
PF_RESTS(sigsetmask);

static int change_one(int how, int number)
{
	uint64_t bit = 1ull << ((unsigned int)number - 1);
	if (number < 1 || number > 64 || bit & INTERNAL_SIGNALS)
		return (int)pf_set_errno(EINVAL);
	return (int)pf_result(change_mask(how, &bit, NULL));
}

PF_EXPORT int sighold(int number)
{
	return change_one(SIG_BLOCK, number);
}
PF_RESTS(sighold);

PF_EXPORT int sigrelse(int number)
{
	return change_one(SIG_UNBLOCK, number);
}
PF_RESTS(sigrelse);
#pragma GCC diagnostic pop

PF_EXPORT int sigpending(sigset_t *set)
{
	pf_sent_settle();
	int result = PF_NEXT(sigpending)(set);
	if (result == 0 && pf_signals_hides())
		*(uint64_t *)(void *)set &= ~PF_SIGNAL_BIT;
	return result;
}

/* SET, with which the kernel is to wait, as CHANGE makes it, in COPY; or SET itself, where nothing is to be hidden, and
 * where it is no memory, for the kernel to say so. */
static const sigset_t *waits_with(const sigset_t *set, uint64_t (*change)(uint64_t), sigset_t *copy)
{
	uint64_t mask;
	if (!set || !pf_signals_hides() || !pf_caller_reads(&mask, set, sizeof mask))
		return set;
	*copy = (sigset_t) { 0 };
	*(uint64_t *)(void *)copy = change(mask);
	return copy;
}

/* Waits anew when the wait was cut short because the program's own signal of the timer's number has come. */
static int wait_info(const sigset_t *set, siginfo_t *info)
{
	for (;;) {
		sigset_t copy;
		const sigset_t *given = waits_with(set, pf_signals_without, &copy);
		int result = PF_NEXT(sigwaitinfo)(given, info);
		if (result >= 0 || given == set || pf_signals_hides())
			return result;
	}
}

PF_EXPORT int sigwait(const sigset_t *restrict set, int *restrict signal)
{
	int number;
	do /* a handler that ran meanwhile, or a stop, is not told of */
		number = wait_info(set, NULL);
	while (number < 0 && *errno_place() == EINTR);
	if (number < 0)
		return *errno_place();
	*signal = number;
	return 0;
}

PF_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	return wait_info(set, info);
}

PF_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			   const struct timespec *restrict timeout)
{
	static const struct timespec none = { 0, 0 };
	sigset_t copy;
	const sigset_t *given = waits_with(set, pf_signals_without, &copy);
	int result = PF_NEXT(sigtimedwait)(given, info, timeout);
	if (result < 0 && given != set && !pf_signals_hides())
		return PF_NEXT(sigtimedwait)(set, info, timeout);
	if (result >= 0 || *errno_place() != EAGAIN)
		return result;
	pf_sent_settle();
	return PF_NEXT(sigtimedwait)(given, info, &none);
}

PF_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;
	return PF_NEXT(signalfd)(fd, waits_with(set, pf_signals_without, &copy), flags);
}

/* Has the program's own signal of the timer's number come while the thread waited under SET, in which it is open?  It
 * waits still, as what the thread believes of its mask is not SET (belief.c); now the kernel knows, and brings it. */
static bool was_put_off(const sigset_t *set, bool hidden)
{
	return hidden && !(bits(set) & PF_SIGNAL_BIT) && !pf_signals_hides();
}

PF_EXPORT int sigsuspend(const sigset_t *set)
{
	sigset_t copy;
	const sigset_t *given = waits_with(set, pf_signals_with, &copy);
	int result = PF_NEXT(sigsuspend)(given);
	return was_put_off(set, given != set) ? PF_NEXT(sigsuspend)(set) : result;
}

/* WAIT under SET, or under none: it is given MASK. */
#define WAIT_UNDER(set, wait)                                                                                          \
	sigset_t copy;                                                                                                 \
	const sigset_t *mask = waits_with(set, pf_signals_with, &copy);                                                \
	int result = wait;                                                                                             \
	if (result < 0 && was_put_off(set, mask != (set))) {                                                           \
		mask = set;                                                                                            \
		result = wait;                                                                                         \
	}                                                                                                              \
	return result

PF_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
	WAIT_UNDER(set, PF_NEXT(ppoll)(fds, count, timeout, mask));
}

PF_EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		      const struct timespec *restrict timeout, const sigset_t *restrict set)
{
	WAIT_UNDER(set, PF_NEXT(pselect)(count, in, out, except, timeout, mask));
}

PF_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *set)
{
	WAIT_UNDER(set, PF_NEXT(epoll_pwait)(fd, events, most, timeout, mask));
}

/* A program that asks whether there is such a function finds this one, also where glibc, before 2.35, has none. */
PF_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *timeout,
			   const sigset_t *set)
{
	if (!PF_NEXT(epoll_pwait2))
		return (int)pf_set_errno(ENOSYS);
	WAIT_UNDER(set, PF_NEXT(epoll_pwait2)(fd, events, most, timeout, mask));
}
