/* SPDX-License-Identifier: GPL-3.0-or-later */
/* siglongjmp out of handlers of timers, faults and sent signals, at any instruction, from the normal and from the
 * alternate stack, thousands of times, the mask restored or not.  Hard because the frame that is jumped over may have
 * the recorder's beneath it, and no return ever tells that it is over. */
#include "nasty.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static __thread sigjmp_buf back;
static __thread volatile int armed;
static volatile int stop;

static void handler(int signal)
{
	if (armed) {
		armed = 0;
		siglongjmp(back, signal);
	}
}

static void *thread(void *argument)
{
	stack_t stack = { malloc(65536), 0, 65536 };
	volatile long jumps = 0;
	volatile uint64_t check = 0;
	sigset_t all, now;
	CHECK(sigaltstack(&stack, NULL) == 0);
	sigfillset(&all);
	while (jumps < 400) {
		int got = sigsetjmp(back, 1);
		if (got) {
			jumps++;
			CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && !sigismember(&now, got));
		}
		armed = 1;
		for (int i = 0; i < 20; i++)
			check = work(NASTY_ROUNDS);
		CHECK(check == NASTY_RESULT);
		switch (jumps % 3) {
		case 0:
			*(volatile int *)(uintptr_t)(jumps % 7 * 8) = 1;
			break;
		case 1:
			__asm__ volatile("ud2");
		}
	}
	armed = 0;
	return argument;
}

int main(void)
{
	struct itimerval every = { { 0, 700 }, { 0, 700 } }, none = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = handler };
	pthread_t id;
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	pthread_create(&id, NULL, thread, NULL);
	thread(NULL);
	pthread_join(id, NULL);
	setitimer(ITIMER_PROF, &none, NULL);
	setitimer(ITIMER_REAL, &none, NULL);
	busy(50);
	printf("jumped\n");
	return 0;
}
