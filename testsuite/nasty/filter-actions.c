/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that allows itself the calls by which actions, masks and alternate stacks are set, and next to nothing
 * else, and then sets some, as a worker in a sandbox does.  Hard because a recorder that keeps account of these must
 * not ask even who it is. */
/* unattached: it forbids itself calls while it is recorded; the recorder cannot leave then, and says so */
#include "nasty.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

static long install(int kind)
{
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_rt_sigaction),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_sigaltstack),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		_exit(90);
	switch (kind) {
	case 0:
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	case 1:
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	default:
		return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	}
}

static void on_signal(int signal)
{
	(void)signal;
}

static void child(int kind)
{
	static const int signals[] = { SIGTERM, SIGSEGV, SIGUSR1, SIGTRAP };
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack }, was;
	struct sigaction action = { .sa_handler = on_signal }, old;
	sigset_t set, mask;
	busy(15);
	if (install(kind) != 0)
		_exit(errno == ENOSYS || errno == EINVAL ? 77 : 92);
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
		if (sigaction(signals[i], &action, &old) != 0 || old.sa_handler != SIG_DFL)
			_exit(93);
		if (sigaction(signals[i], NULL, &old) != 0 || old.sa_handler != on_signal)
			_exit(94);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 || sigprocmask(SIG_BLOCK, NULL, &mask) != 0 ||
	    !sigismember(&mask, SIGUSR2))
		_exit(95);
	if (sigaltstack(&alternate, NULL) != 0 || sigaltstack(NULL, &was) != 0 || was.ss_size != sizeof stack)
		_exit(96);
	_exit(work(NASTY_ROUNDS) == NASTY_RESULT ? 0 : 97);
}

int main(void)
{
	busy(60);
	for (int kind = 0; kind < 3; kind++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			child(kind);
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("kind %d: %x\n", kind, status);
	}
	return 0;
}
