/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that say of themselves that a timer or a counter sent them, with values at random, with addresses of the
 * program's memory, its code, its libraries and of no memory at all: of the recorder's number, of SIGTRAP and of two
 * others, blocked and open, to threads and to the process.  Each comes to the program's handler with its value.  Hard
 * because that is how a recorder knows its own. */
#include "nasty.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#define TURNS 200

static volatile int came, wrong;
static void *volatile expected;

struct forged {
	int signal, error, code, pad;
	union {
		struct {
			int timer, overrun;
			void *value;
		};
		struct {
			void *address;
			uint64_t data;
		};
	};
	char rest[96];
};

static void handler(int signal, siginfo_t *info, void *context)
{
	came++;
	wrong += info->si_value.sival_ptr != expected;
	CHECK(work(100) == work(100));
}

static void send(int signal, int code, void *value, int to_thread)
{
	struct forged info = { .signal = signal, .code = code, .value = value };
	int before = came;
	expected = value;
	if (to_thread)
		CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, &info) == 0);
	else
		CHECK(syscall(SYS_rt_sigqueueinfo, getpid(), signal, &info) == 0);
	CHECK(came == before + 1);
}

static void blocked(int signal, void *value)
{
	struct forged info = { .signal = signal, .code = SI_TIMER, .value = value };
	sigset_t set, old;
	int before = came;
	sigemptyset(&set);
	sigaddset(&set, signal);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
	expected = value;
	CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, &info) == 0);
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT && came == before);
	CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0 && came == before + 1);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int numbers[] = { recorder_signal(), SIGTRAP, SIGUSR1, SIGRTMIN + 5 };
	uint64_t random = 88172645463325252u;
	char here;
	void *values[] = {
		NULL, (void *)-1, &here, (void *)main, dlsym(RTLD_DEFAULT, "sigaction"), (void *)(1ull << 63), 0
	};
	for (int i = 0; i < 4; i++)
		CHECK(sigaction(numbers[i], &action, NULL) == 0);
	for (int i = 0; i < TURNS; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		values[6] = (void *)random;
		int signal = numbers[i % 4];
		send(signal, SI_TIMER, values[i % 7], i % 3 != 0);
		send(signal, SI_QUEUE, values[i % 7], i % 2);
		if (signal == SIGUSR1 || signal == SIGRTMIN + 5)
			blocked(signal, values[i % 7]);
		for (int k = 0; k < 5; k++)
			CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	for (int i = 0; i < 3; i++) /* from here on a thread that had it blocked is recorded no more */
		blocked(numbers[0], values[i]);
	printf("came %d, wrong %d\n", came, wrong);
	return 0;
}
