/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes under the recorder: fork in depth and beside busy threads, vfork and exec, exec of itself, posix_spawn,
 * popen, descriptors all closed, a child killed by a signal, exit codes. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int stop;

static uint32_t work(uint32_t n)
{
	uint32_t h = n;
	for (uint32_t i = 0; i < 3000; i++)
		h = (h & 1) ? h * 33 + i : h / 2 + 7 * i;
	return h;
}

static uint32_t busy(uint32_t rounds)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < rounds; i++)
		sum += work(i);
	return sum;
}

static void *spin(void *argument)
{
	while (!stop)
		work((uint32_t)(uintptr_t)argument);
	return NULL;
}

static int child_of(pid_t pid)
{
	int status;
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int tree(int depth)
{
	int sum = (int)(busy(500) & 7);
	for (int i = 0; depth && i < 2; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(tree(depth - 1));
		sum += child_of(pid);
	}
	return sum & 63;
}

static pid_t spawned(char **argv)
{
	pid_t pid;
	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ))
		return -1;
	return pid;
}

int main(int argc, char **argv)
{
	char *again[] = { argv[0], (char *)"again", NULL }, line[64];
	if (argc > 1) {
		printf("again %u\n", busy(2000));
		return argv[1][0] == 'l' ? 0 : 7;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("tree %d\n", tree(3));
	pthread_t threads[2];
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spin, (void *)i);
	int sum = 0;
	for (int i = 0; i < 60; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (i % 2)
				_exit((int)(busy(300) & 15));
			*(volatile char *)8 = 1;
		}
		sum += child_of(pid);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("forked %d\n", sum);
	pid_t pid = vfork();
	if (pid == 0) {
		execv(argv[0], again);
		_exit(1);
	}
	printf("vforked %d\n", child_of(pid));
	printf("spawned %d\n", child_of(spawned(again)));
	FILE *pipe = popen("echo one; echo two", "r");
	while (fgets(line, sizeof line, pipe))
		printf("popen %s", line);
	printf("closed %d\n", pclose(pipe));
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 1024; i++)
			close(i);
		_exit((int)(busy(3000) & 15));
	}
	printf("without descriptors %d\n", child_of(pid));
	fflush(stdout);
	again[1] = (char *)"last";
	execv(argv[0], again);
	return 1;
}
