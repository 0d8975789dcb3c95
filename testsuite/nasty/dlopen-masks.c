/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library is opened and closed by the thousand while two threads that have blocked all signals work.  Hard because
 * the recorder looks at each library at the beginning of a burst, and one that is just being closed is in the loader's
 * list still, but not in memory: a fault, which ends a program that has it blocked. */
/* part: library.so gcc -shared -fPIC */
#include "nasty.h"

#ifdef PART
int compute(int value)
{
	return value + 1;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#define WORKERS 2
#define TURNS 3000

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

int main(int argc, char **argv)
{
	char path[4096];
	pthread_t ids[WORKERS];
	sigset_t all;
	snprintf(path, sizeof path, "%s.library.so", argv[0]);
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(20);
	for (int turn = 0; turn < TURNS; turn++) {
		void *handle = dlopen(path, RTLD_NOW);
		CHECK(handle);
		int (*compute)(int) = (int (*)(int))dlsym(handle, "compute");
		CHECK(compute && compute(turn) == turn + 1);
		CHECK(dlclose(handle) == 0);
	}
	stop = 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(ids[i], NULL);
	puts("ok");
	return 0;
}
#endif
