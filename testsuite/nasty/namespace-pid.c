/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes in a PID namespace of their own, where numbers begin at 1 again: an init that works, forks, starts threads
 * and programs and is signalled; two of them at once.  Hard because process and thread numbers name files and aim
 * timers, and there are now two processes of the same number. */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static void *thread(void *argument)
{
	busy(15);
	return argument;
}

static volatile int handled;

static void handler(int signal)
{
	handled++;
}

static int init(char *path)
{
	pthread_t id;
	CHECK(getpid() == 1 && gettid() == 1);
	signal(SIGUSR1, handler);
	busy(20);
	CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
	for (int i = 0; i < 5; i++) {
		int status;
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			busy(10);
			if (i % 2)
				execl(path, path, "child", NULL);
			_exit(5);
		}
		CHECK(pid == i + 3 && waitpid(pid, &status, 0) == pid && status == 5 << 8);
	}
	raise(SIGUSR1);
	return handled == 1 ? 9 : 1;
}

int main(int argc, char **argv)
{
	pid_t inits[2], holders[2];
	if (argc > 1) {
		busy(10);
		return 5;
	}
	busy(30);
	for (int i = 0; i < 2; i++) {
		holders[i] = fork();
		if (holders[i] != 0)
			continue;
		if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
			_exit(77);
		int status;
		inits[i] = fork();
		CHECK(inits[i] >= 0);
		if (inits[i] == 0)
			_exit(init(argv[0]));
		CHECK(waitpid(inits[i], &status, 0) == inits[i]);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
	}
	for (int i = 0; i < 2; i++) {
		int status;
		CHECK(waitpid(holders[i], &status, 0) == holders[i]);
		if (status == 77 << 8)
			nasty_skip("no PID namespaces here");
		printf("init %d: %x\n", i, status);
	}
	return 0;
}
