/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signal comes in the middle of a fork, between the handlers that are run for it, and its handler forks, too: parent
 * and children go on with the mask that they had, and not with the handler's.  Hard because a recorder changes the mask
 * around a fork; the handlers are set up before any library begins, so that its own are run around them. */
#include "nasty.h"

#include <pthread.h>
#include <sys/wait.h>

static volatile int depth; /* raise() is a leaf to the compiler */

static int blocked(void)
{
	static const int numbers[] = { SIGUSR1, SIGUSR2, SIGTERM };
	sigset_t now;
	int bits = 0;
	CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
	for (int i = 0; i < 3; i++)
		bits |= sigismember(&now, numbers[i]) << i;
	CHECK(sigismember(&now, recorder_signal()) == 0);
	return bits;
}

static void in_fork(void)
{
	if (depth++ == 0)
		raise(SIGUSR1);
	depth--;
}

static void before_all(void)
{
	pthread_atfork(in_fork, in_fork, NULL);
}

static __attribute__((section(".preinit_array"), used)) void (*const first)(void) = before_all;

static void end(pid_t pid)
{
	int status;
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void handler(int signal)
{
	CHECK((blocked() & 3) == 3);
	pid_t inner = fork();
	CHECK(inner >= 0 && (blocked() & 3) == 3);
	if (inner)
		end(inner);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	pid_t first_of_all = getpid();
	sigset_t term;
	sigaddset(&action.sa_mask, SIGUSR2);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	for (int round = 0; round < 60; round++) {
		sigprocmask(round % 2 ? SIG_BLOCK : SIG_UNBLOCK, &term, NULL);
		pid_t pid = fork();
		CHECK(pid >= 0 && blocked() == (round % 2 ? 4 : 0));
		busy(1);
		if (getpid() != first_of_all)
			_exit(0);
		end(pid);
	}
	printf("each has its own mask\n");
	return 0;
}
