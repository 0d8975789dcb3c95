/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store barrier as garbage collectors have it: pages are protected, four threads write to them, the handler of
 * SIGSEGV lets the page be written and goes on at the same instruction.  Hard because the faults of many threads come
 * while one of them is in a burst, and each must be seen exactly once, with its true address. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define PAGES 64
#define THREADS 4

static char *area[THREADS];
static __thread char *own;
static __thread volatile int faulted;
static _Atomic int total;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	size_t offset = (size_t)((char *)info->si_addr - own);
	CHECK(info->si_code == SEGV_ACCERR && offset < PAGES * 4096 && offset % 4096 == 8 * (offset / 4096));
	mprotect(own + offset / 4096 * 4096, 4096, PROT_READ | PROT_WRITE);
	faulted++;
}

static void *thread(void *argument)
{
	own = *(char **)argument;
	for (int round = 0; round < 60; round++) {
		mprotect(own, PAGES * 4096, PROT_READ);
		for (int i = 0; i < PAGES; i++) {
			volatile uint64_t *cell = (volatile uint64_t *)(own + i * 4096 + i * 8);
			*cell += work(20 + (uint64_t)i);
		}
		CHECK(faulted == (round + 1) * PAGES);
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	atomic_fetch_add(&total, faulted);
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	pthread_t threads[THREADS];
	uint64_t sum = 0;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < THREADS; i++) {
		area[i] = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_create(&threads[i], NULL, thread, &area[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		for (int k = 0; k < PAGES; k++)
			sum = sum * 31 + *(uint64_t *)(area[i] + k * 4096 + k * 8);
	}
	busy(150);
	printf("faults %d, sum %lx\n", total, sum);
	return 0;
}
