/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Syscall user dispatch, as Wine has it: while a byte says so, every system call of the thread becomes SIGSYS.  Turned
 * on by libc, by syscall() and inline; the calls that arrive are counted, and must be those of the program.  Hard
 * because a call of a recorder's that is trapped inside its handler, with the signal blocked, ends the process. */
/* unattached: it has its own calls caught while it is recorded */
#include "nasty.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char selector;
static volatile int trapped, foreign;

static void on_sys(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	selector = 0;
	if (info->si_syscall == SYS_getppid)
		trapped++;
	else
		foreign++;
	uc->uc_mcontext.gregs[REG_RAX] = 4242;
}

static int turn(int kind, long on)
{
	if (kind == 0)
		return prctl(PR_SET_SYSCALL_USER_DISPATCH, on, 0, 0, on ? &selector : NULL);
	if (kind == 1)
		return (int)syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, on, 0, 0, on ? &selector : NULL);
	return inline_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, on, 0, 0, on ? (long)&selector : 0) ? -1 : 0;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };
	sigaction(SIGSYS, &action, NULL);
	busy(100);
	for (int kind = 0; kind < 3; kind++) {
		if (turn(kind, 1) != 0)
			nasty_skip("no syscall user dispatch here");
		for (int i = 0; i < 60; i++) {
			selector = 1;
			for (int k = 0; k < 20; k++)
				CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
			CHECK(inline_call(SYS_getppid, 0, 0, 0, 0, 0) == 4242);
			CHECK(selector == 0);
		}
		CHECK(turn(kind, 0) == 0);
		busy(10);
	}
	printf("trapped %d, foreign %d\n", trapped, foreign);
	return 0;
}
