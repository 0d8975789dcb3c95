/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backtrace() from handlers of signals that arrive inside syscall(), raise, sigsuspend, ppoll and plain code, of the
 * recorder's own number too, reaches main each time; so does unwinding by an exception's machinery.  Hard because every
 * function that stands in for libc's, and every frame that a signal returns through, must describe itself to an
 * unwinder. */
/* build: -rdynamic -fno-optimize-sibling-calls */
#include "nasty.h"

#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unwind.h>

int main(void);

static volatile int reached, called, unwound;
static uintptr_t main_start, main_end, caller_start, caller_end;

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *argument)
{
	uintptr_t rip = _Unwind_GetIP(context);
	*(int *)argument |= rip > main_start && rip <= main_end;
	return _URC_NO_REASON;
}

static void handler(int signal)
{
	void *frames[64];
	int count = backtrace(frames, 64), in_main = 0, in_caller = 0, seen = 0;
	for (int i = 0; i < count; i++) {
		in_main |= (uintptr_t)frames[i] > main_start && (uintptr_t)frames[i] <= main_end;
		in_caller |= (uintptr_t)frames[i] > caller_start && (uintptr_t)frames[i] <= caller_end;
	}
	_Unwind_Backtrace(frame, &seen);
	called++;
	unwound += seen;
	reached += in_main && in_caller;
}

static __attribute__((noinline, section(".text.caller"))) void caller(int kind)
{
	struct timespec none = { 0, 1000 };
	sigset_t empty, one, old;
	pid_t self = getpid();
	int number = kind & 1 ? SIGRTMAX - 3 : SIGUSR1;
	sigemptyset(&empty);
	sigemptyset(&one);
	sigaddset(&one, number);
	switch (kind / 2) {
	case 0:
		syscall(SYS_tgkill, self, self, number);
		break;
	case 1:
		raise(number);
		break;
	case 2:
		pthread_sigmask(SIG_BLOCK, &one, &old);
		raise(number);
		sigsuspend(&empty);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		break;
	case 3:
		pthread_sigmask(SIG_BLOCK, &one, &old);
		raise(number);
		ppoll(NULL, 0, &none, &empty);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		break;
	case 4:
		pthread_sigmask(SIG_BLOCK, &one, &old);
		raise(number);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		break;
	default:
		sigprocmask(SIG_BLOCK, &one, &old);
		raise(number);
		sigprocmask(SIG_UNBLOCK, &one, NULL);
	}
	work(100);
}

static __attribute__((noinline, section(".text.caller"))) void caller_last(void)
{
	__asm__ volatile("nop");
}

int __attribute__((section(".text.main"))) main(void)
{
	void *frames[4];
	int results[12];
	backtrace(frames, 4);
	main_start = (uintptr_t)main;
	main_end = main_start + 2048;
	caller_start = (uintptr_t)caller < (uintptr_t)caller_last ? (uintptr_t)caller : (uintptr_t)caller_last;
	caller_end = caller_start + 4096;
	signal(SIGUSR1, handler);
	signal(SIGRTMAX - 3, handler);
	busy(100);
	for (int kind = 0; kind < 12; kind++) {
		reached = called = unwound = 0;
		for (int i = 0; i < 25; i++) {
			caller(kind);
			work(NASTY_ROUNDS * 4);
		}
		results[kind] = reached;
		printf("kind %d: called %d, reached %d, unwound %d\n", kind, called, results[kind], unwound);
	}
	caller_last();
	return 0;
}
