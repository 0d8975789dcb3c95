/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library calls after which the recorder may not run any more, or not as before: filters of system calls, being
 * traced, memory or signals that are limited, the processor's time stamp forbidden; and an alternate stack on which a
 * signal finds no room.  The recorder leaves before the call is made.  Also what a program may ask of syscall(3)
 * instead.  The hard cases: the child of vfork, as what it does to itself is not done to its parent, whose memory it
 * uses (pf_process_shut knows); and places that are no memory, which some programs hand to a system call to be told so.
 * The kernel is asked by the same call before anything is read or written there, made so that it does nothing. */
#include "runtime/agent/altstack.h"
#include "runtime/agent/caller.h"
#include "runtime/agent/exported.h"
#include "runtime/agent/leaving.h"
#include "runtime/agent/modules.h"
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/resting.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#define WORDS ((PF_WATCHED_MOST + 1) / 64)
#define NO_SIGNAL 0    /* an action of none: the kernel reads it, and changes nothing */
#define NO_LIMIT (~0u) /* ...likewise, what is to be limited */

struct call {
	long number, arguments[6];
};

long pf_watch_call(struct call *call);

/* A bit for each system call that pf_watch_call looks at. */
#define BIT(word, number) ((number) / 64 == (word) ? 1ull << (number) % 64 : 0)
#define WATCHED(word)                                                                                                  \
	(BIT(word, SYS_rt_sigaction) | BIT(word, SYS_rt_sigprocmask) | BIT(word, SYS_rt_sigpending) |                  \
	 BIT(word, SYS_rt_sigtimedwait) | BIT(word, SYS_prctl) | BIT(word, SYS_seccomp) | BIT(word, SYS_ptrace) |      \
	 BIT(word, SYS_mlockall) | BIT(word, SYS_mprotect) | BIT(word, SYS_setrlimit) | BIT(word, SYS_prlimit64))
const uint64_t pf_watched_calls[WORDS]
    __attribute__((visibility("hidden"))) = { WATCHED(0), WATCHED(1), WATCHED(2), WATCHED(3),
					      WATCHED(4), WATCHED(5), WATCHED(6), WATCHED(7) };

static void before_call(long number, const long *a)
{
	enum pf_refusal refusal = pf_leaving_reason(number, a);
	if (refusal != PF_REFUSE_NONE)
		pf_process_shut(refusal);
	if (pf_leaving_is_announced(number, a))
		pf_process_prepare();
}

/* Of the process PID, if that is not another one. */
static void before_limit(int pid, int resource, const struct rlimit *limit)
{
	bool matters = resource == RLIMIT_AS || resource == RLIMIT_DATA || resource == RLIMIT_SIGPENDING;
	if (!matters || !limit || (pid && pid != (int)PF_SYS0(SYS_getpid)) ||
	    PF_SYS4(SYS_prlimit64, 0, NO_LIMIT, limit, NULL) != -EINVAL)
		return;
	if (resource != RLIMIT_SIGPENDING && limit->rlim_cur < PF_LEAST_ADDRESS_SPACE)
		pf_process_shut(PF_REFUSE_ADDRESS_SPACE);
	if (resource == RLIMIT_SIGPENDING && limit->rlim_cur < PF_LEAST_PENDING)
		pf_process_crowd();
}

PF_EXPORT int prctl(int option, ...)
{
	va_list list;
	long a[5] = { option };
	va_start(list, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	before_call(SYS_prctl, a);
	return (int)pf_result(pf_sys(SYS_prctl, a[0], a[1], a[2], a[3], a[4], 0));
}

PF_EXPORT long ptrace(enum __ptrace_request request, ...)
{
	va_list list;
	unsigned long a[3], data = 0;
	va_start(list, request);
	for (int i = 0; i < 3; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	bool peeks = request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER;
	before_call(SYS_ptrace, (const long[]) { request });
	long result = PF_SYS4(SYS_ptrace, request, a[0], a[1], peeks ? (unsigned long)&data : a[2]);
	if (result < 0)
		return pf_result(result);
	if (peeks)
		pf_set_errno(0);
	return peeks ? (long)data : result;
}

/* Code that can be written to and run at once can change between two calls; what changes in other ways a burst notices
 * (cache.c).  A JIT's memory is no file's, and asks for this often. */
static void before_protect(uint64_t start, uint64_t size, long protection)
{
	if ((protection & (PROT_WRITE | PROT_EXEC)) == (PROT_WRITE | PROT_EXEC))
		pf_modules_distrust(start, start + size);
}

PF_EXPORT int mprotect(void *start, size_t size, int protection)
{
	before_protect((uint64_t)start, size, protection);
	return (int)pf_result(PF_SYS3(SYS_mprotect, start, size, protection));
}
PF_RESTS(mprotect);

PF_EXPORT int mlockall(int flags)
{
	pf_process_shut(PF_REFUSE_LOCKED);
	return (int)pf_result(PF_SYS1(SYS_mlockall, flags));
}

PF_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	before_limit(0, (int)resource, limit);
	return (int)pf_result(PF_SYS4(SYS_prlimit64, 0, resource, limit, NULL));
}

PF_EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
    __attribute__((alias("setrlimit")));

PF_EXPORT int prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *new, struct rlimit *old)
{
	before_limit(pid, (int)resource, new);
	return (int)pf_result(PF_SYS4(SYS_prlimit64, pid, resource, new, old));
}

PF_EXPORT int prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *new, struct rlimit64 *old)
    __attribute__((alias("prlimit")));

/* An alternate stack too small for a frame of today's processors is harmless until a signal comes: let none come; and
 * one that two threads have, until two come at once. */
PF_EXPORT int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
	stack_t wanted;
	bool is_read = new && !pf_process.shut &&pf_caller_reads(&wanted, new, sizeof wanted);
	struct pf_slot *slot = is_read && pf_process_is_mine() ? pf_thread_self() : NULL;
	if (slot && !(wanted.ss_flags & SS_DISABLE) && wanted.ss_size < PF_LEAST_ALTERNATE_STACK)
		pf_thread_refuse(slot, PF_REFUSE_SIGNAL);
	else if (slot)
		pf_altstack_note(slot, &wanted);
	return (int)pf_result(PF_SYS2(SYS_sigaltstack, new, old));
}
PF_RESTS(sigaltstack);

static long pass(const struct call *call)
{
	const long *a = call->arguments;
	return pf_sys(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static long change_action(int signal, const struct pf_kernel_action *new, struct pf_kernel_action *old)
{
	struct pf_kernel_action wanted, was = { 0 };
	long result = new ? pf_sys_action(NO_SIGNAL, new, NULL) : -EINVAL;
	if (result != -EINVAL)
		return result;
	if (new)
		wanted = *new;
	result = pf_signals_kernel_action(signal, new ? &wanted : NULL, &was);
	if (result == 0 && old)
		result = pf_sys_action(signal, NULL, old);
	if (result == 0 && old)
		*old = was;
	return result;
}

static long change_mask(int how, const uint64_t *new, uint64_t *old)
{
	uint64_t wanted = 0;
	long result = new ? pf_sys_mask(PF_NO_WAY, new, NULL) : -EINVAL;
	if (result != -EINVAL || (new &&how != SIG_BLOCK &&how != SIG_UNBLOCK &&how != SIG_SETMASK))
		return result;
	if (new)
		wanted = *new;
	return pf_signals_mask(new ? how : SIG_BLOCK, new ? &wanted : NULL, old);
}

static long wait_for_signal(struct call call)
{
	static const struct timespec none = { 0, 0 }, never = { -1, 0 };
	uint64_t set;
	long result;
	if (pf_signals_hides()) {
		result = PF_SYS4(call.number, call.arguments[0], NULL, &never, sizeof set);
		if (result != -EINVAL)
			return result;
		set = *(const uint64_t *)call.arguments[0] & ~PF_SIGNAL_BIT;
		call.arguments[0] = (long)&set;
	}
	result = pass(&call);
	if (result != -EAGAIN)
		return result;
	pf_sent_settle();
	call.arguments[2] = (long)&none;
	return pass(&call);
}

static long pending(const struct call *call)
{
	pf_sent_settle();
	long result = pass(call);
	if (result == 0 && pf_signals_hides())
		*(uint64_t *)call->arguments[0] &= ~PF_SIGNAL_BIT;
	return result;
}

static long watch_signals(struct call *call)
{
	const long *a = call->arguments;
	switch (call->number) {
	case SYS_rt_sigaction:
		return change_action((int)a[0], (const struct pf_kernel_action *)a[1], (struct pf_kernel_action *)a[2]);
	case SYS_rt_sigprocmask:
		return change_mask((int)a[0], (const uint64_t *)a[1], (uint64_t *)a[2]);
	case SYS_rt_sigtimedwait:
		return wait_for_signal(*call);
	default:
		return pending(call);
	}
}

/* What syscall(3) is to return, or PF_WATCH_PASS: the call is to be made. */
long pf_watch_call(struct call *call)
{
	const long *a = call->arguments;
	switch (call->number) {
	case SYS_prctl:
	case SYS_seccomp:
	case SYS_ptrace:
		before_call(call->number, a);
		return PF_WATCH_PASS;
	case SYS_mprotect:
		before_protect((uint64_t)a[0], (uint64_t)a[1], a[2]);
		return PF_WATCH_PASS;
	case SYS_mlockall:
		pf_process_shut(PF_REFUSE_LOCKED);
		return PF_WATCH_PASS;
	case SYS_setrlimit:
		before_limit(0, (int)a[0], (const struct rlimit *)a[1]);
		return PF_WATCH_PASS;
	case SYS_prlimit64:
		before_limit((int)a[0], (int)a[1], (const struct rlimit *)a[2]);
		return PF_WATCH_PASS;
	default:
		/* A set of another size is the kernel's to refuse. */
		return pf_signals_started() && a[call->number == SYS_rt_sigpending ? 1 : 3] == 8 ? watch_signals(call)
												 : PF_WATCH_PASS;
	}
}
