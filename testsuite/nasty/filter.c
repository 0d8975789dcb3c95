/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that allows itself nothing but read, write, exit_group and rt_sigreturn, death otherwise, by prctl, by
 * syscall(), by an inline `syscall` and for all threads at once, and works on; another whose filter traps instead and
 * which counts.  Hard because a recorder's own calls, made in the name of the program, are such calls too. */
/* unattached: it forbids itself calls while it is recorded; the recorder cannot leave then, and says so */
#include "nasty.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

static long install(int kind, uint32_t otherwise)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		_exit(90);
	switch (kind) {
	case 0:
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	case 1:
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	case 2:
		return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	case 3:
		return inline_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0);
	case 4:
		return inline_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0);
	default:
		return inline_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, (long)&program, 0,
				   0);
	}
}

static volatile int trapped, started;

static void on_sys(int signal)
{
	trapped++;
}

static void *worker(void *argument)
{
	for (;; started = 1)
		if (work(NASTY_ROUNDS) != NASTY_RESULT)
			_exit(91);
	return argument;
}

static void child(int kind, int traps)
{
	pthread_t thread;
	char text[64];
	busy(15);
	if (kind >= 5)
		pthread_create(&thread, NULL, worker, NULL);
	while (kind >= 5 && !started)
		busy(1);
	if (traps)
		signal(SIGSYS, on_sys);
	if (install(kind, traps ? SECCOMP_RET_TRAP : SECCOMP_RET_KILL_PROCESS) != 0)
		_exit(errno == ENOSYS || errno == EINVAL ? 77 : 92);
	for (int i = 0; i < 800; i++)
		if (work(NASTY_ROUNDS) != NASTY_RESULT)
			_exit(93);
	if (traps) {
		for (int i = 0; i < 7; i++)
			inline_call(SYS_getppid, 0, 0, 0, 0, 0);
		_exit(trapped);
	}
	int size = snprintf(text, sizeof text, "kind %d: still there\n", kind);
	_exit(write(1, text, (size_t)size) == size ? 0 : 94);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	busy(60);
	for (int kind = 0; kind < 12; kind++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			child(kind % 6, kind / 6);
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("kind %d%s: %x\n", kind % 6, kind / 6 ? ", trapped" : "", status);
	}
	return 0;
}
