/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGURG by the ten thousand at working threads, as Go preempts its goroutines, handlers on alternate stacks that look
 * at and touch the registers of what they interrupt; SIGSTOP and SIGCONT at the whole process.  Hard because each may
 * come at any instruction, the recorder's own among them, and no value may be lost. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>

static volatile int stop, done[3];
static volatile uint64_t seen;

static void handler(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	volatile char room[2048];
	for (int i = 0; i < 2048; i += 64)
		room[i] = (char)i;
	uint64_t sum = 0;
	for (int i = 0; i < 16; i++) {
		sum += (uint64_t)uc->uc_mcontext.gregs[i];
		uc->uc_mcontext.gregs[i] ^= 0x5a5a;
		uc->uc_mcontext.gregs[i] ^= 0x5a5a;
	}
	seen = sum + (uint64_t)room[64];
}

static uint64_t __attribute__((noinline)) mix(uint64_t n)
{
	return n < 2 ? n : mix(n - 1) * 3 + mix(n - 2) % 7;
}

static void *worker(void *argument)
{
	stack_t stack = { malloc(32768), 0, 32768 };
	uint64_t sum = 1;
	sigaltstack(&stack, NULL);
	for (int i = 0; i < 250; i++)
		sum = sum * 31 + mix(16 + (uint64_t)i % 3) + work(NASTY_ROUNDS);
	*(volatile int *)argument = 1;
	while (!stop) /* nobody may signal a thread that has ended */
		usleep(500);
	return (void *)(uintptr_t)sum;
}

static pthread_t threads[3];

static void *sender(void *argument)
{
	while (!stop) {
		for (int i = 0; i < 3; i++)
			pthread_kill(threads[i], SIGURG);
		if (*(int *)argument)
			usleep(20);
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	pthread_t senders[2];
	int slow[2] = { 0, 1 };
	uint64_t sums[3];
	void *result;
	pid_t parent = getpid();
	int status;
	sigaction(SIGURG, &action, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 60; i++) {
			kill(parent, SIGSTOP);
			usleep(200);
			kill(parent, SIGCONT);
			usleep(2000);
		}
		_exit(0);
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, (void *)&done[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&senders[i], NULL, sender, &slow[i]);
	for (int i = 0; i < 3; i++)
		while (!done[i])
			usleep(1000);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(senders[i], NULL);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &result);
		sums[i] = (uint64_t)(uintptr_t)result;
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	for (int i = 0; i < 3; i++)
		printf("%lx\n", (unsigned long)sums[i]);
	return 0;
}
