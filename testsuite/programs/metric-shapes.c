/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what it takes: testsuite/fakes/fake-rdpmc.c counts that as an event of the processor.  A step takes 7 or, every
 * fourth time, 100; what calls it takes 1 each time besides, and 10 at its end. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void fake_count(uint64_t more);

__attribute__((noipa)) static void step(int i)
{
	if (i % 4 == 0)
		fake_count(100);
	else
		fake_count(7);
}

__attribute__((noipa)) static void steps(int count)
{
	for (int i = 0; i < count; i++) {
		fake_count(1);
		step(i);
	}
	fake_count(10);
}

static void *work(void *of)
{
	steps(40);
	return of;
}

/* The child ends its parent's functions; these take 1,000 more in it. */
__attribute__((noipa)) static void forks(void)
{
	pid_t child = fork();

	if (child == 0) {
		fake_count(1000);
		steps(8);
		return;
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	if (argc > 1 && strcmp(argv[1], "fork") == 0) {
		fake_count(300);
		forks();
		return 0;
	}
	if (argc > 1) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, work, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	steps(40);
	return 0;
}
