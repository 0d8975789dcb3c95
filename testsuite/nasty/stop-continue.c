/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that is stopped and continued some hundred times while its threads work and wait, as a shell does with jobs
 * and a scheduler with its groups: its parent sees each stop and each going on, SIGCONT's handler runs once for each,
 * and what waits is not cut short but by that.  Hard for timers that tick on, and for a burst that is stopped. */
#include "nasty.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define STOPS 150

static atomic_int continued, stop;
static int ready[2]; /* the child says when it is, and when it has gone on: a stop takes a SIGCONT back that waits */

static void handler(int signal)
{
	continued++;
	CHECK(write(ready[1], "", 1) == 1);
}

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

/* All signals blocked: nothing may end its wait. */
static void *waiter(void *argument)
{
	sigset_t all;
	char byte;
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	CHECK(read(*(int *)argument, &byte, 1) == 0);
	return argument;
}

static int child(int *ends)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t ids[2];
	close(ends[1]);
	CHECK(sigaction(SIGCONT, &action, NULL) == 0);
	pthread_create(&ids[0], NULL, worker, NULL);
	pthread_create(&ids[1], NULL, waiter, &ends[0]);
	CHECK(write(ready[1], "", 1) == 1);
	while (continued < STOPS)
		busy(1);
	stop = 1;
	pthread_join(ids[0], NULL);
	pthread_join(ids[1], NULL);
	return continued == STOPS ? 5 : 6;
}

int main(void)
{
	int ends[2], status, good = 0;
	char byte;
	CHECK(pipe(ends) == 0 && pipe(ready) == 0);
	pid_t pid = fork();
	if (pid == 0)
		_exit(child(ends));
	close(ends[0]);
	CHECK(read(ready[0], &byte, 1) == 1);
	for (int i = 0; i < STOPS; i++) {
		CHECK(kill(pid, SIGSTOP) == 0);
		CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
		good += WSTOPSIG(status) == SIGSTOP;
		CHECK(kill(pid, SIGCONT) == 0);
		CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
		CHECK(read(ready[0], &byte, 1) == 1);
	}
	close(ends[1]);
	CHECK(waitpid(pid, &status, 0) == pid);
	printf("stops %d, status %x\n", good, status);
	return 0;
}
