/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two thousand short forks from two threads, two at a time, beside a third that works; the children allocate, fork
 * again now and then, and end.  Hard because each child may start a file, timers and memory of the recorder's, and
 * whoever does that for every one costs more than the program. */
#include "nasty.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static void child(int number)
{
	char *memory = malloc((size_t)number * 16 + 1);
	memset(memory, number, (size_t)number * 16 + 1);
	if (number % 50 == 0) {
		pid_t pid = fork();
		int status;
		if (pid == 0)
			_exit(work(100) == work(100) ? 3 : 4);
		if (waitpid(pid, &status, 0) != pid || status != 3 << 8)
			_exit(1);
	}
	free(memory);
	_exit(number % 256);
}

static void *forker(void *argument)
{
	intptr_t good = 0;
	for (int i = 0; i < 1000; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			child(i);
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
		good += status == (i % 256) << 8;
	}
	return (void *)good;
}

int main(void)
{
	pthread_t threads[3];
	void *good[2];
	pthread_create(&threads[2], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, forker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], &good[i]);
	stop = 1;
	pthread_join(threads[2], NULL);
	printf("children: %ld %ld\n", (long)(intptr_t)good[0], (long)(intptr_t)good[1]);
	return 0;
}
