/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contexts that wander between threads: a routine begins on one thread and goes on on another, its stack and its signal
 * mask with it, as in schedulers of coroutines; the masks of both are what the contexts say.  Hard for what is kept for
 * each thread and was noted on another. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#define ROUTINES 8
#define TURNS 4000
#define STACK 65536

static ucontext_t routines[ROUTINES], *home[2];
static __thread int me;
static pthread_mutex_t locks[ROUTINES];
static int steps[ROUTINES], done[ROUTINES];

static __attribute__((noinline)) int *own(void)
{
	__asm__ volatile("" ::: "memory");
	return &me;
}

static int blocks(int signal)
{
	sigset_t now;
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	return sigismember(&now, signal);
}

static void routine(int number)
{
	while (steps[number] < TURNS) {
		CHECK(work(200) == work(200));
		CHECK(blocks(SIGUSR2) == number % 2 && blocks(SIGUSR1) == !(number % 2));
		steps[number]++;
		swapcontext(&routines[number], home[*own()]);
	}
	done[number] = 1;
	swapcontext(&routines[number], home[*own()]);
}

static void *scheduler(void *argument)
{
	ucontext_t here;
	int left = 1;
	*own() = (int)(intptr_t)argument;
	home[*own()] = &here;
	while (left) {
		left = 0;
		for (int i = 0; i < ROUTINES; i++) {
			left |= !done[i];
			if (pthread_mutex_trylock(&locks[i]) != 0)
				continue;
			if (!done[i])
				swapcontext(&here, &routines[i]);
			pthread_mutex_unlock(&locks[i]);
			CHECK(!blocks(SIGUSR2) && !blocks(SIGUSR1));
		}
	}
	return argument;
}

int main(void)
{
	pthread_t ids[2];
	int sum = 0;
	for (int i = 0; i < ROUTINES; i++) {
		pthread_mutex_init(&locks[i], NULL);
		getcontext(&routines[i]);
		routines[i].uc_stack = (stack_t) { malloc(STACK), 0, STACK };
		sigemptyset(&routines[i].uc_sigmask);
		sigaddset(&routines[i].uc_sigmask, i % 2 ? SIGUSR2 : SIGUSR1);
		makecontext(&routines[i], (void (*)(void))routine, 1, i);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, scheduler, (void *)(intptr_t)i);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < ROUTINES; i++)
		sum += steps[i];
	printf("steps %d\n", sum);
	return 0;
}
