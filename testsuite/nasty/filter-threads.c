/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sandbox as browsers have it: when its threads are at work, one puts a filter on all of them at once (TSYNC), which
 * traps what a recorder would call; a handler of SIGSYS answers in the kernel's place, and counts.  Hard because the
 * other threads have announced nothing, and a call too many is seen. */
#include "nasty.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define THREADS 3
#define ANSWER 4711

static volatile int stop, trapped;

static void handler(int signal, siginfo_t *info, void *context)
{
	__atomic_fetch_add(&trapped, 1, __ATOMIC_RELAXED);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = info->si_syscall == SYS_getppid ? ANSWER : -EPERM;
}

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	CHECK(inline_call(SYS_getppid, 0, 0, 0, 0, 0) == ANSWER);
	return argument;
}

#define TRAP(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

static long install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		TRAP(SYS_getppid),
		TRAP(SYS_timer_create),
		TRAP(SYS_timer_settime),
		TRAP(SYS_timer_delete),
		TRAP(SYS_rt_sigpending),
		TRAP(SYS_tgkill),
		TRAP(SYS_perf_event_open),
		TRAP(SYS_prlimit64),
		TRAP(SYS_sched_yield),
		TRAP(SYS_nanosleep),
		TRAP(SYS_faccessat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t ids[THREADS];
	CHECK(sigaction(SIGSYS, &action, NULL) == 0);
	busy(50);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(100);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (install() != 0)
		nasty_skip("no filters of system calls here");
	busy(150);
	CHECK(trapped == 0);
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	printf("asked %s\n", trapped >= THREADS ? "by each" : "too seldom");
	return 0;
}
