/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternate stacks that the kernel takes away while a handler is on them (SS_AUTODISARM), and which the handler may
 * leave for another context meanwhile: behind each return the stack is there again, in the handler there is none, and a
 * second handler begins on the same memory.  Hard because a signal's frame then carries a stack that the thread does
 * not have, and whoever gives a frame back gives that stack back, too. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
#define SIZE 65536
#define TURNS 150

static __thread char *memory;
static __thread volatile int depth, visits;

static int is_on_stack(void)
{
	char here;
	return (uintptr_t)&here - (uintptr_t)memory < SIZE;
}

static void handler(int signal)
{
	stack_t now, none = { .ss_flags = SS_DISABLE };
	visits++;
	CHECK(is_on_stack() && work(NASTY_ROUNDS) == NASTY_RESULT);
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
	if (visits % 3 == 0)
		CHECK(sigaltstack(&none, NULL) == 0);
	if (signal == SIGUSR1) {
		depth++;
		/* The second one runs on the stack that the first has got itself. */
		char *inner = malloc(SIZE), *outer = memory;
		stack_t own = { .ss_sp = inner, .ss_flags = (int)SS_AUTODISARM, .ss_size = SIZE };
		CHECK(sigaltstack(&own, NULL) == 0);
		memory = inner;
		raise(SIGUSR2);
		CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == inner && now.ss_flags == (int)SS_AUTODISARM);
		memory = outer;
		CHECK(sigaltstack(&none, NULL) == 0);
		free(inner);
		depth--;
	}
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
}

static void *thread(void *argument)
{
	stack_t now, own = { .ss_sp = memory = malloc(SIZE), .ss_flags = (int)SS_AUTODISARM, .ss_size = SIZE };
	CHECK(sigaltstack(&own, NULL) == 0);
	for (int i = 0; i < TURNS; i++) {
		raise(i % 2 ? SIGUSR1 : SIGUSR2);
		CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == memory && now.ss_size == SIZE);
		CHECK(now.ss_flags == (int)SS_AUTODISARM && depth == 0);
		for (int k = 0; k < 10; k++)
			CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	return (void *)(intptr_t)visits;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	pthread_t ids[2];
	void *seen[3];
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&ids[i], NULL, thread, NULL) == 0);
	seen[2] = thread(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], &seen[i]);
	busy(100);
	printf("visits %d %d %d\n", (int)(intptr_t)seen[0], (int)(intptr_t)seen[1], (int)(intptr_t)seen[2]);
	return 0;
}
