/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children that share the memory of their parent and are processes all the same: a bare clone with CLONE_VM alone,
 * beside threads that work.  They work, send themselves signals that their parent handles, change their own mask, and
 * end. Hard because whatever a recorder keeps in memory is the parent's, also the number of the process. */
#include "nasty.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CHILDREN 60
#define STACK 65536

static volatile int stop;
static atomic_int handled;

static void handler(int signal)
{
	handled++;
}

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

/* With its parent's thread-local storage, so it calls nothing of the library's. */
static int child(void *argument)
{
	uint64_t all = ~0ull;
	long self = inline_call(SYS_getpid, 0, 0, 0, 0, 0);
	int before = handled;
	if (work(NASTY_ROUNDS) != NASTY_RESULT)
		return 1;
	inline_call(SYS_kill, self, SIGFPE, 0, 0, 0);
	if (handled != before + 1)
		return 2;
	inline_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, 8, 0);
	for (int i = 0; i < 20; i++)
		if (work(NASTY_ROUNDS) != NASTY_RESULT)
			return 3;
	return 7;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	char *stack = malloc(STACK);
	pthread_t ids[2];
	int good = 0;
	CHECK(sigaction(SIGFPE, &action, NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, worker, NULL);
	for (int i = 0; i < CHILDREN; i++) {
		int status;
		pid_t pid = clone(child, stack + STACK, CLONE_VM | SIGCHLD, NULL);
		CHECK(pid > 0);
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		CHECK(waitpid(pid, &status, 0) == pid);
		good += status == 7 << 8;
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	busy(50);
	printf("children %d, handled %d\n", good, handled);
	return 0;
}
