/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that blocks all signals in all of its threads, to which another process sends the recorder's own: none is
 * lost on its way through threads that it must not come to, each says who sent it, and when all are taken no thread
 * finds one.  Hard because each thread gets it once, as it is open in truth, and its timer's may wait beside it. */
/* unattached: somebody sends the recorder's signal, which is open in the thread that is recorded */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define WORKERS 3
#define SENT 6

static atomic_int stop, checked;

static int finds_one(void)
{
	sigset_t pending;
	CHECK(sigpending(&pending) == 0);
	return sigismember(&pending, SIGRTMAX - 3);
}

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	busy(20);
	CHECK(!finds_one());
	checked++;
	return argument;
}

int main(void)
{
	pthread_t ids[WORKERS];
	struct timespec patience = { 20, 0 }, none = { 0, 0 };
	siginfo_t info;
	sigset_t all;
	int status;
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	sigdelset(&all, SIGCHLD);
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(20);
	for (int i = 0; i < SENT; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(kill(getppid(), SIGRTMAX - 3) != 0);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		CHECK(sigtimedwait(&all, &info, &patience) == SIGRTMAX - 3);
		CHECK(info.si_pid == child);
		busy(5);
	}
	CHECK(sigtimedwait(&all, &info, &none) == -1 && !finds_one());
	stop = 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(ids[i], NULL);
	CHECK(checked == WORKERS);
	puts("ok");
	return 0;
}
