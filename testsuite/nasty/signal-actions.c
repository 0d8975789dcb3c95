/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sigaction, __sigaction, signal and syscall(SYS_rt_sigaction) say about the dispositions of all 64 signals is
 * what the program set: handler, flags and mask.  Hard because a recorder has handlers of its own in place at times,
 * adds to masks, and keeps one signal from the program altogether. */
/* unattached: it resets the recorder's signal while it is recorded */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

struct raw {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static void handler(int signal)
{
}

static void handler_info(int signal, siginfo_t *info, void *context)
{
}

int __sigaction(int number, const struct sigaction *new, struct sigaction *old); /* a second name of it */

static int is_free(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != 32 && number != 33;
}

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set;
}

static void expect(int number, void *want, uint64_t flags, uint64_t mask)
{
	struct sigaction old;
	struct raw raw;
	CHECK(sigaction(number, NULL, &old) == 0);
	CHECK((void *)old.sa_handler == want && bits(&old.sa_mask) == mask);
	CHECK(((uint32_t)old.sa_flags & ~0x04000000u) == flags);
	CHECK(__sigaction(number, NULL, &old) == 0 && (void *)old.sa_handler == want && bits(&old.sa_mask) == mask);
	CHECK(syscall(SYS_rt_sigaction, number, NULL, &raw, 8) == 0);
	CHECK((void *)raw.handler == want && raw.mask == mask && (raw.flags & ~0x04000000ul) == flags);
}

static void one(int number, int flags, uint64_t mask)
{
	struct sigaction action = { .sa_flags = flags };
	if (flags & SA_SIGINFO)
		action.sa_sigaction = handler_info;
	else
		action.sa_handler = handler;
	*(uint64_t *)(void *)&action.sa_mask = mask;
	CHECK(sigaction(number, &action, NULL) == 0);
	mask &= ~(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
	expect(number, (void *)action.sa_handler, (uint32_t)flags, mask);
}

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		work(1000);
	return argument;
}

int main(void)
{
	static const int flags[] = { 0, SA_SIGINFO, SA_SIGINFO | SA_ONSTACK, SA_RESTART | SA_NODEFER, SA_NOCLDSTOP };
	pthread_t thread;
	int count = 0;
	for (int number = 1; number <= 64; number++)
		if (is_free(number) && signal(number, SIG_DFL) == SIG_IGN)
			printf("ignored from the start: %d\n", number);
	pthread_create(&thread, NULL, worker, NULL);
	for (int round = 0; round < 25; round++) {
		busy(6);
		for (int number = 1; number <= 64; number++) {
			if (!is_free(number))
				continue;
			for (int i = 0; i < 5; i++)
				one(number, flags[i], round % 2 ? 0x5555aaaaull << (round % 20) & ~(3ull << 31) : 0);
			CHECK((void *)signal(number, SIG_IGN) == (void *)handler);
			expect(number, (void *)SIG_IGN, SA_RESTART, 1ull << (number - 1));
			CHECK(signal(number, SIG_DFL) == SIG_IGN);
			count++;
		}
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("%d\n", count);
	return 0;
}
