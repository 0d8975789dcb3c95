/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library calls through which a program could take, block or see the recorder's signal, start a thread, change
 * code, or forbid system calls; each does what libc's would, and keeps up a view in which the recorder is not there.
 * The hard case: a program may call any of them before the recorder is set up, in a signal handler, or in the child
 * of vfork; so none allocates, and those that change a fault's handler take the engine, because a burst has its own
 * in place meanwhile. */
#include "runtime/agent/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <threads.h>

#define EXPORT __attribute__((visibility("default")))
#define INTERNAL_SIGNALS (3ull << 31) /* libc's own 32 and 33 */
#define SMALLEST_ALTERNATE_STACK 6144

#define NEXT(name)                                                                                                     \
	static __typeof__(&name) next;                                                                                 \
	if (!next)                                                                                                     \
	next = (__typeof__(next))dlsym(RTLD_NEXT, #name)

void pf_agent_thread_begin(struct pf_slot *slot);
void pf_agent_foreign_signal(int signal, siginfo_t *info, void *context);

static struct sigaction program_action; /* what the program believes about the recorder's signal */
static __thread bool program_blocks __attribute__((tls_model("initial-exec")));

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set;
}

static sigset_t with(const sigset_t *set, uint64_t add, uint64_t remove)
{
	sigset_t copy = *set;
	*(uint64_t *)(void *)&copy = (bits(set) | add) & ~remove;
	return copy;
}

static bool takes(int signal)
{
	return pf_engine && pf_agent_faults_is(signal);
}

/* Somebody sent the signal, not a timer: it is the program's. */
void pf_agent_foreign_signal(int signal, siginfo_t *info, void *context)
{
	struct sigaction action = program_action;
	if (action.sa_handler == SIG_IGN)
		return;
	if (action.sa_handler == SIG_DFL) {
		struct pf_kernel_action standard = { SIG_DFL, 0, NULL, 0 };
		pf_sys_action(signal, &standard, NULL);
		PF_SYS3(SYS_tgkill, PF_SYS0(SYS_getpid), PF_SYS0(SYS_gettid), signal);
	} else if (action.sa_flags & SA_SIGINFO) {
		action.sa_sigaction(signal, info, context);
	} else {
		action.sa_handler(signal);
	}
}

EXPORT int sigaction(int signal, const struct sigaction *restrict new, struct sigaction *restrict old)
{
	NEXT(sigaction);
	if (!pf_engine)
		return next(signal, new, old);
	if (signal == PF_SIGNAL) {
		struct sigaction was = program_action;
		if (new)
			program_action = *new;
		if (old)
			*old = was;
		return 0;
	}
	struct sigaction changed;
	if (new) {
		/* On an alternate stack there may be no room for a second frame. */
		bool apart = new->sa_flags &SA_ONSTACK;
		changed = *new;
		changed.sa_mask = with(&new->sa_mask, apart ? PF_SIGNAL_BIT : 0, apart ? 0 : PF_SIGNAL_BIT);
	}
	if (takes(signal))
		pf_agent_take(pf_engine);
	int result = next(signal, new ? &changed : NULL, old);
	if (takes(signal))
		pf_agent_give(pf_engine);
	return result;
}

#define SIGNAL_LIKE(name)                                                                                              \
	EXPORT sighandler_t name(int number, sighandler_t handler);                                                    \
	EXPORT sighandler_t name(int number, sighandler_t handler)                                                     \
	{                                                                                                              \
		NEXT(name);                                                                                            \
		if (pf_engine && number == PF_SIGNAL) {                                                                \
			sighandler_t was = program_action.sa_handler;                                                  \
			program_action.sa_handler = handler;                                                           \
			program_action.sa_flags = 0;                                                                   \
			return was;                                                                                    \
		}                                                                                                      \
		bool taken = takes(number);                                                                            \
		if (taken)                                                                                             \
			pf_agent_take(pf_engine);                                                                      \
		sighandler_t result = next(number, handler);                                                           \
		if (taken)                                                                                             \
			pf_agent_give(pf_engine);                                                                      \
		return result;                                                                                         \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
SIGNAL_LIKE(signal)
SIGNAL_LIKE(bsd_signal)
SIGNAL_LIKE(ssignal)
SIGNAL_LIKE(sysv_signal)
SIGNAL_LIKE(__sysv_signal)
SIGNAL_LIKE(sigset)
#pragma GCC diagnostic pop

static long change_mask(int how, const sigset_t *new, sigset_t *old)
{
	uint64_t mask = new ? bits(new) & ~INTERNAL_SIGNALS : 0, was = 0;
	bool wanted = mask & PF_SIGNAL_BIT;
	bool blocked = program_blocks;
	if (pf_engine)
		mask &= ~PF_SIGNAL_BIT;
	long result = pf_sys_mask(how, new ? &mask : NULL, &was);
	if (result)
		return result;
	if (new &&how == SIG_SETMASK)
		program_blocks = wanted;
	else if (new &&wanted)
		program_blocks = how == SIG_BLOCK;
	if (pf_engine)
		was = blocked ? was | PF_SIGNAL_BIT : was & ~PF_SIGNAL_BIT;
	if (old)
		*(uint64_t *)(void *)old = was;
	return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict old)
{
	long result = change_mask(how, new, old);
	return result ? (int)pf_agent_set_errno((int)-result) : 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict old)
{
	return (int)-change_mask(how, new, old);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int old_style_mask(int how, int mask)
{
	sigset_t new, old;
	sigemptyset(&new);
	*(uint64_t *)(void *)&new = (uint32_t)mask;
	change_mask(how, &new, &old);
	return (int)bits(&old);
}

EXPORT int sigblock(int mask)
{
	return old_style_mask(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
	return old_style_mask(SIG_SETMASK, mask);
}
#pragma GCC diagnostic pop

EXPORT int sigwait(const sigset_t *restrict set, int *restrict signal)
{
	NEXT(sigwait);
	sigset_t copy = with(set, 0, pf_engine ? PF_SIGNAL_BIT : 0);
	return next(&copy, signal);
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	NEXT(sigwaitinfo);
	sigset_t copy = with(set, 0, pf_engine ? PF_SIGNAL_BIT : 0);
	return next(&copy, info);
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict timeout)
{
	NEXT(sigtimedwait);
	sigset_t copy = with(set, 0, pf_engine ? PF_SIGNAL_BIT : 0);
	return next(&copy, info, timeout);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	NEXT(signalfd);
	sigset_t copy = with(set, 0, pf_engine ? PF_SIGNAL_BIT : 0);
	return next(fd, &copy, flags);
}

/* A wait uses no CPU time: with the signal blocked for its duration nothing is missed, and it cannot be cut short. */
EXPORT int sigsuspend(const sigset_t *set)
{
	NEXT(sigsuspend);
	sigset_t copy = with(set, pf_engine ? PF_SIGNAL_BIT : 0, 0);
	return next(&copy);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
	NEXT(ppoll);
	if (!set || !pf_engine)
		return next(fds, count, timeout, set);
	sigset_t copy = with(set, PF_SIGNAL_BIT, 0);
	return next(fds, count, timeout, &copy);
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		   const struct timespec *restrict timeout, const sigset_t *restrict set)
{
	NEXT(pselect);
	if (!set || !pf_engine)
		return next(count, in, out, except, timeout, set);
	sigset_t copy = with(set, PF_SIGNAL_BIT, 0);
	return next(count, in, out, except, timeout, &copy);
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *set)
{
	NEXT(epoll_pwait);
	if (!set || !pf_engine)
		return next(fd, events, most, timeout, set);
	sigset_t copy = with(set, PF_SIGNAL_BIT, 0);
	return next(fd, events, most, timeout, &copy);
}

/* An alternate stack too small for a frame of today's processors is harmless until a signal comes: let none come. */
EXPORT int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
	struct pf_slot *slot = pf_engine ? pf_agent_self() : NULL;
	if (slot && new && !(new->ss_flags &SS_DISABLE) && new->ss_size < SMALLEST_ALTERNATE_STACK && slot->timer >= 0)
		pf_agent_refuse(slot, PF_REFUSE_SIGNAL);
	long result = PF_SYS2(SYS_sigaltstack, new, old);
	return result ? (int)pf_agent_set_errno((int)-result) : 0;
}

static void *begin(void *argument)
{
	struct pf_slot *slot = argument;
	void *(*routine)(void *) = slot->start;
	void *value = slot->argument;
	pf_agent_thread_begin(slot);
	return routine(value);
}

EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			  void *(*routine)(void *), void *restrict argument)
{
	NEXT(pthread_create);
	struct pf_slot *slot = pf_engine && !pf_engine->shut ? pf_agent_slot_get() : NULL;
	if (!slot)
		return next(thread, attributes, routine, argument);
	slot->start = routine;
	slot->argument = argument;
	int result = next(thread, attributes, begin, slot);
	if (result)
		pf_agent_slot_put(slot);
	return result;
}

static int begin_c11(void *argument)
{
	struct pf_slot *slot = argument;
	int (*routine)(void *) = slot->start_c11;
	void *value = slot->argument;
	pf_agent_thread_begin(slot);
	return routine(value);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	NEXT(thrd_create);
	struct pf_slot *slot = pf_engine && !pf_engine->shut ? pf_agent_slot_get() : NULL;
	if (!slot)
		return next(thread, routine, argument);
	slot->start_c11 = routine;
	slot->argument = argument;
	int result = next(thread, begin_c11, slot);
	if (result != thrd_success)
		pf_agent_slot_put(slot);
	return result;
}

/* The range may be another library's next. */
EXPORT int dlclose(void *handle)
{
	NEXT(dlclose);
	int result = next(handle);
	if (pf_engine) {
		pf_agent_take(pf_engine);
		atomic_store(&pf_engine->rescan, true);
		pf_agent_give(pf_engine);
	}
	return result;
}

static void forget(const void *start, size_t size)
{
	if (pf_engine)
		pf_agent_modules_forget(pf_engine, (uint64_t)start, (uint64_t)start + size);
}

EXPORT int mprotect(void *start, size_t size, int protection)
{
	if (protection & PROT_WRITE)
		forget(start, size);
	long result = PF_SYS3(SYS_mprotect, start, size, protection);
	return result ? (int)pf_agent_set_errno((int)-result) : 0;
}

EXPORT int munmap(void *start, size_t size)
{
	forget(start, size);
	long result = PF_SYS2(SYS_munmap, start, size);
	return result ? (int)pf_agent_set_errno((int)-result) : 0;
}

EXPORT void *mmap(void *start, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED)
		forget(start, size);
	long result = pf_sys(SYS_mmap, (long)start, (long)size, protection, flags, fd, offset);
	return result < 0 && result > -4096 ? (void *)pf_agent_set_errno((int)-result) : (void *)result;
}

EXPORT void *mmap64(void *start, size_t size, int protection, int flags, int fd, off64_t offset)
    __attribute__((alias("mmap")));

EXPORT int prctl(int option, ...)
{
	va_list list;
	unsigned long a[4];
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		pf_agent_stop_for_filter();
	long result = pf_sys(SYS_prctl, option, (long)a[0], (long)a[1], (long)a[2], (long)a[3], 0);
	return result < 0 ? (int)pf_agent_set_errno((int)-result) : (int)result;
}

/* A process that lets itself be traced would stop at each of the recorder's signals. */
EXPORT long ptrace(enum __ptrace_request request, ...)
{
	va_list list;
	unsigned long a[3], data = 0;
	va_start(list, request);
	for (int i = 0; i < 3; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	bool peeks = request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER;
	if (request == PTRACE_TRACEME)
		pf_agent_stop_for_filter();
	long result = PF_SYS4(SYS_ptrace, request, a[0], a[1], peeks ? (unsigned long)&data : a[2]);
	if (result < 0)
		return pf_agent_set_errno((int)-result);
	errno = peeks ? 0 : errno;
	return peeks ? (long)data : result;
}
