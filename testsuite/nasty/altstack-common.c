/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One alternate stack for all threads, as a server has it (Varnish) whose handlers only tell of its end: each thread
 * has it set, and none is ever on it, so that it does no harm.  Hard because who interrupts two threads at once on it
 * mixes up what they come back with. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define THREADS 6
#define SIZE 81920

static stack_t common;

static void on_end(int signal)
{
	(void)signal;
	_exit(9);
}

/* With its own values in registers and on the stack, and some system calls. */
static void *worker(void *argument)
{
	long mine = (long)argument;
	CHECK(sigaltstack(&common, NULL) == 0);
	for (int i = 0; i < 60; i++) {
		struct timespec moment = { 0, 20000 };
		volatile long check = mine * 1000 + i;
		pthread_t self = pthread_self();
		busy(3);
		nanosleep(&moment, NULL);
		CHECK(check == mine * 1000 + i && pthread_equal(self, pthread_self()));
	}
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_ONSTACK };
	common.ss_size = SIZE;
	common.ss_sp = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(common.ss_sp != MAP_FAILED);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, worker, (void *)i) == 0);
	for (long i = 0; i < THREADS; i++) {
		void *result;
		CHECK(pthread_join(threads[i], &result) == 0 && result == (void *)i);
	}
	puts("done");
	return 0;
}
