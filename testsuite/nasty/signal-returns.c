/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose threads all block the signals of faults, which its first thread sends to the process and takes again,
 * by the thousand, while the others do nothing but call through a table and return.  Hard because a burst opens those
 * signals, and with such branches is as often in the look-up of where they lead as in the program's code. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>

#define WORKERS 2
#define TURNS 3000
#define LEAVES 4

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static volatile int stop;

static __attribute__((noipa)) uint64_t add(uint64_t value)
{
	return value + 3;
}

static __attribute__((noipa)) uint64_t turn_round(uint64_t value)
{
	return value << 7 | value >> 57;
}

static __attribute__((noipa)) uint64_t mix(uint64_t value)
{
	return value ^ 0x5555;
}

static __attribute__((noipa)) uint64_t times(uint64_t value)
{
	return value * 5;
}

static uint64_t (*volatile const leaves[LEAVES])(uint64_t) = { add, turn_round, mix, times };

static uint64_t through(unsigned int rounds)
{
	uint64_t value = 1;
	for (unsigned int i = 0; i < rounds; i++)
		value = leaves[i % LEAVES](value);
	return value;
}

static void *worker(void *argument)
{
	uint64_t expected = 1;
	for (unsigned int i = 0; i < 1000; i += LEAVES) {
		expected += 3;
		expected = expected << 7 | expected >> 57;
		expected = (expected ^ 0x5555) * 5;
	}
	while (!stop)
		CHECK(through(1000) == expected);
	return argument;
}

int main(void)
{
	pthread_t ids[WORKERS];
	sigset_t set, all, pending;
	sigemptyset(&set);
	for (int i = 0; i < 4; i++)
		sigaddset(&set, faults[i]);
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(20);
	for (int turn = 0; turn < TURNS; turn++) {
		int number = faults[turn % 4];
		siginfo_t info;
		CHECK(kill(getpid(), number) == 0);
		CHECK(sigpending(&pending) == 0 && sigismember(&pending, number) == 1);
		CHECK(sigwaitinfo(&set, &info) == number && info.si_code == SI_USER && info.si_pid == getpid());
	}
	stop = 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(ids[i], NULL);
	puts("ok");
	return 0;
}
