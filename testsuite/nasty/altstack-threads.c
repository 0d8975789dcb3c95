/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a handler's frame lies: on the thread's alternate stack with SA_ONSTACK if it has one, else on the stack in
 * use, for the main thread and for others; and sigaltstack tells of the program's stack, before, in and after the
 * handler, and of SS_AUTODISARM.  Hard because the kernel changes a thread's stack behind it at each return from a
 * signal. */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
#define SIZE 65536

static __thread char *volatile alternate;
static __thread volatile int flags, on_it, seen;

static void handler(int signal)
{
	char here;
	stack_t stack, other = { malloc(SIZE), 0, SIZE };
	on_it = alternate && (uintptr_t)&here - (uintptr_t)alternate < SIZE;
	sigaltstack(NULL, &stack);
	if (alternate && flags & SS_AUTODISARM) {
		CHECK(stack.ss_flags == SS_DISABLE);
	} else if (alternate) {
		CHECK(stack.ss_sp == alternate && stack.ss_size == SIZE);
		CHECK(stack.ss_flags == (on_it ? SS_ONSTACK : flags));
		CHECK(!on_it || (sigaltstack(&other, NULL) == -1 && errno == EPERM));
	} else {
		CHECK(stack.ss_flags == SS_DISABLE && stack.ss_size == 0);
	}
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	free(other.ss_sp);
	seen++;
}

static void check_stack(void)
{
	stack_t stack;
	CHECK(sigaltstack(NULL, &stack) == 0);
	if (alternate)
		CHECK(stack.ss_sp == alternate && stack.ss_size == SIZE && stack.ss_flags == flags);
	else
		CHECK(stack.ss_flags == SS_DISABLE && stack.ss_size == 0 && stack.ss_sp == NULL);
}

static void rounds(int count)
{
	for (int i = 0; i < count; i++) {
		busy(1);
		check_stack();
		raise(SIGUSR1);
		CHECK(on_it == (alternate != NULL));
		check_stack();
		raise(SIGUSR2);
		CHECK(on_it == 0);
		check_stack();
	}
}

static void *thread(void *argument)
{
	stack_t none = { NULL, SS_DISABLE, 0 };
	rounds(12);
	for (int kind = 0; kind < 2; kind++) {
		alternate = malloc(SIZE);
		flags = kind ? (int)SS_AUTODISARM : 0;
		CHECK(sigaltstack(&(stack_t) { alternate, flags, SIZE }, NULL) == 0);
		rounds(12);
		CHECK(sigaltstack(&none, NULL) == 0);
		free(alternate);
		alternate = NULL;
		rounds(6);
	}
	*(int *)argument = seen;
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	int counts[5];
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, &counts[i]);
	thread(&counts[4]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 5; i++)
		printf("thread %d: %d handled\n", i, counts[i]);
	return 0;
}
