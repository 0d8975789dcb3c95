/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every signal is set to its default by syscall(SYS_rt_sigaction), as shells, runners of tests and run-times do before
 * they start something, then the same by libc and with SIG_IGN; then the program works.  Hard because the default of a
 * recorder's signal is to end the process. */
/* unattached: it resets the recorder's signal while it is recorded */
#include "nasty.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct raw {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static void reset(int kind)
{
	for (int number = 1; number <= 64; number++) {
		struct raw action = { kind == 1 ? (void *)SIG_IGN : (void *)SIG_DFL, 0, NULL, 0 };
		if (kind == 2)
			signal(number, SIG_DFL);
		else
			syscall(SYS_rt_sigaction, number, &action, NULL, 8);
	}
}

int main(void)
{
	for (int kind = 0; kind < 3; kind++) {
		for (int i = 0; i < 10; i++) {
			reset(kind);
			busy(8);
		}
		pid_t pid = fork();
		int status;
		if (pid == 0) {
			reset(kind);
			busy(20);
			if (kind == 1)
				raise(SIGRTMAX - 3);
			else
				raise(SIGTERM);
			_exit(1);
		}
		reset(2);
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("kind %d: child ended with %x\n", kind, status);
	}
	return 0;
}
