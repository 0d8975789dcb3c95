/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signal that a process sends itself has been handled when kill, raise, sigqueue or pthread_kill returns, and one
 * that was pending when sigprocmask that unblocks it returns; shells and many programs rely on that.  Hard because a
 * timer's signal that comes at the same moment is taken first, and a recorder that goes on with the program in its
 * handler, with all signals blocked, lets the program see that its own has not come. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int handled;

static void handler(int signal)
{
	handled++;
}

#define ROUNDS 12000
static int late[8];

static void note(int kind)
{
	if (handled != 1)
		late[kind]++;
	while (handled != 1)
		work(100);
}

static void send(int kind, pid_t self)
{
	sigset_t usr, old;
	handled = 0;
	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	switch (kind) {
	case 0:
		kill(self, SIGUSR1);
		break;
	case 1:
		raise(SIGUSR1);
		break;
	case 2:
		sigqueue(self, SIGUSR1, (union sigval) { .sival_int = 1 });
		break;
	case 3:
		pthread_kill(pthread_self(), SIGUSR1);
		break;
	case 4:
		syscall(SYS_kill, self, SIGUSR1);
		break;
	case 5:
		kill(self, SIGRTMAX - 3);
		break;
	default:
		sigprocmask(SIG_BLOCK, &usr, &old);
		kill(self, SIGUSR1);
		CHECK(handled == 0);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	note(kind);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	pid_t self = getpid();
	int deaths = 0;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGRTMAX - 3, &action, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		for (int kind = 0; kind < 7; kind++)
			send(kind, self);
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	for (int kind = 0; kind < 7; kind++)
		printf("kind %d: late %d\n", kind, late[kind]);
	for (int i = 0; i < 60; i++) { /* what kills at once lets nothing more happen */
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			work(NASTY_ROUNDS * (uint64_t)(i % 10));
			kill(getpid(), SIGTERM);
			_exit(1);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		deaths += status == SIGTERM;
	}
	printf("deaths %d\n", deaths);
	return 0;
}
