/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery from the overflow of a stack: the handler runs on the alternate stack, sees an address near the stack's end
 * and jumps out; each other time that stack is one that the kernel takes away for each signal (SS_AUTODISARM).  Hard
 * because at that moment there is no room for anybody's signal frame on the normal stack, and one that is pushed there
 * kills. */
#include "nasty.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

static __thread sigjmp_buf back;
static __thread uintptr_t deepest;
static __thread volatile int recovered;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	CHECK(info->si_code > 0);
	CHECK(address <= deepest + 4096 && deepest - address < 65536);
	siglongjmp(back, 1);
}

static uint64_t __attribute__((noinline)) dive(uint64_t n)
{
	volatile uint64_t room[64];
	room[0] = n;
	deepest = (uintptr_t)&room;
	if (n == UINT64_MAX)
		return 0;
	return dive(n + 1) * 3 + room[0];
}

static void *thread(void *argument)
{
	stack_t stack = { malloc(65536), 0, 65536 };
	for (int i = 0; i < (int)(intptr_t)argument; i++) {
		stack.ss_flags = i % 2 ? (int)SS_AUTODISARM : 0;
		CHECK(sigaltstack(&stack, NULL) == 0);
		if (sigsetjmp(back, 1) == 0)
			dive(0);
		recovered++;
		busy(1);
	}
	return (void *)(intptr_t)recovered;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	pthread_attr_t attributes;
	pthread_t threads[2];
	void *result;
	sigaction(SIGSEGV, &action, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 262144);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], &attributes, thread, (void *)100);
	printf("main %d\n", (int)(intptr_t)thread((void *)30));
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		printf("thread %d\n", (int)(intptr_t)result);
	}
	return 0;
}
