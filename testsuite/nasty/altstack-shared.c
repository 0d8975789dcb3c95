/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handlers with SA_ONSTACK on a main thread without an alternate stack, while other threads fault all the time: no two
 * of them may ever be on the same memory.  Hard because a recorder needs some stack for faults of its own, and
 * whoever gets that by mistake writes over another thread's frame. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static volatile int stop;
static volatile unsigned int handled;

static void __attribute__((noinline)) deep(unsigned int seed, int depth)
{
	volatile unsigned int room[512];
	for (unsigned int i = 0; i < 512; i++)
		room[i] = seed + i * 7;
	if (depth > 0)
		deep(seed + 1, depth - 1);
	for (unsigned int i = 0; i < 512; i++)
		CHECK(room[i] == seed + i * 7);
}

static void on_usr1(int signal)
{
	deep(handled++, 8);
}

static __thread char *page;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	CHECK((char *)info->si_addr == page + 64);
	deep((unsigned int)(uintptr_t)page, 4);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *faulter(void *argument)
{
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned int i = 0; !stop; i++) {
		mprotect(page, 4096, PROT_NONE);
		work(500);
		*(volatile unsigned int *)(page + 64) = i;
		CHECK(*(volatile unsigned int *)(page + 64) == i);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	struct sigaction action = { .sa_handler = on_usr1, .sa_flags = SA_ONSTACK };
	sigaction(SIGUSR1, &action, NULL);
	action.sa_sigaction = on_segv;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, faulter, NULL);
	for (int i = 0; i < 120; i++) {
		busy(1);
		raise(SIGUSR1);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("handled %u\n", handled);
	return 0;
}
