/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child of vfork asks to be traced and the parent follows it through exec, counting stops, as debuggers and test
 * harnesses do; a forked one is followed from fault to fault.  The parent must be recorded all the same.  Hard because
 * such a child shares the parent's memory: what the recorder notes down for the child counts for the parent. */
#include "nasty.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static int stops(pid_t pid, int *last)
{
	int status, count = 0;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		printf(" %d", WSTOPSIG(status));
		count++;
		CHECK(ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(WSTOPSIG(status) == SIGUSR1 ? SIGUSR1 : 0)) == 0);
	}
	*last = status;
	return count;
}

static void on_usr1(int signal)
{
	work(100000);
}

int main(int argc, char **argv)
{
	int status, count;
	if (argc > 1) {
		busy(30);
		return 5;
	}
	for (int i = 0; i < 3; i++) {
		pid_t pid = vfork();
		if (pid == 0) {
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
			execl(argv[0], argv[0], "child", NULL);
			_exit(1);
		}
		count = stops(pid, &status);
		printf(": %d stops, end %x\n", count, status);
	}
	signal(SIGUSR1, on_usr1);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		busy(20);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		for (int i = 0; i < 10; i++) {
			raise(SIGUSR1);
			busy(3);
		}
		_exit(6);
	}
	count = stops(pid, &status);
	printf(": %d stops, end %x\n", count, status);
	busy(300);
	return 0;
}
