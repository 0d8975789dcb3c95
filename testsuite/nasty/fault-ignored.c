/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children of posix_spawn, vfork and fork with exec inherit SIG_IGN for SIGFPE and SIGSEGV, and SIG_DFL for the rest,
 * while other threads are busy.  Hard because exec turns handlers into SIG_DFL: a recorder's own handler that is in
 * place for the moment of the exec makes the child lose what the program asked for. */
/* unrecorded: no burst runs while SIGSEGV is ignored */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;
static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static int child(void)
{
	static const int all[] = { SIGSEGV, SIGFPE, SIGBUS, SIGILL };
	int ignored = 0;
	for (int i = 0; i < 4; i++) {
		struct sigaction old;
		if (sigaction(all[i], NULL, &old) != 0)
			return 99;
		ignored |= (old.sa_handler == SIG_IGN) << i;
		if (old.sa_handler != SIG_IGN && old.sa_handler != SIG_DFL)
			return 98;
	}
	return ignored;
}

int main(int argc, char **argv)
{
	char *arguments[] = { argv[0], "child", NULL };
	pthread_t threads[2];
	int good = 0;
	if (argc > 1)
		return child();
	signal(SIGFPE, SIG_IGN);
	signal(SIGSEGV, SIG_IGN);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 150; i++) {
		pid_t pid = -1;
		int status;
		if (i % 3 == 0) {
			CHECK(posix_spawn(&pid, argv[0], NULL, NULL, arguments, environ) == 0);
		} else {
			pid = i % 3 == 1 ? vfork() : fork();
			if (pid == 0) {
				execv(argv[0], arguments);
				_exit(97);
			}
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status == 3 << 8)
			good++;
		else
			fprintf(stderr, "child %d: status %x\n", i, status);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("children that inherited what was set: %d\n", good);
	return 0;
}
