/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads with an alternate stack work while the headers of a library are taken away and given back all the time, as
 * those of one that is being closed are gone before the loader's list says so.  Hard because the recorder looks there
 * at the beginning of a burst, and the signal that it came by is on that very stack: the frame of its own fault must
 * not be put over that one. */
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
#include <sys/mman.h>

#define SIZE 65536
#define WORKERS 2
#define TURNS 1500

static volatile int stop;

static void *worker(void *argument)
{
	stack_t stack = { .ss_sp = malloc(SIZE), .ss_size = SIZE }, now;
	CHECK(sigaltstack(&stack, NULL) == 0);
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == stack.ss_sp && now.ss_size == SIZE && now.ss_flags == 0);
	return argument;
}

int main(int argc, char **argv)
{
	char path[4096];
	pthread_t ids[WORKERS];
	Dl_info library;
	snprintf(path, sizeof path, "%s.library.so", argv[0]);
	void *handle = dlopen(path, RTLD_NOW);
	CHECK(handle && dladdr(dlsym(handle, "compute"), &library));
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	for (int turn = 0; turn < TURNS; turn++) {
		CHECK(mprotect(library.dli_fbase, 4096, PROT_NONE) == 0);
		usleep(200);
		CHECK(mprotect(library.dli_fbase, 4096, PROT_READ | PROT_EXEC) == 0);
		usleep(200);
	}
	stop = 1;
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_join(ids[i], NULL) == 0);
	puts("ok");
	return 0;
}
#endif
