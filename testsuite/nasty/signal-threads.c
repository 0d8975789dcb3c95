/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that makes and ends threads while a signal of the recorder's own number waits for the process, which has it
 * blocked in all of them: no thread takes it at its beginning or at its end, by whichever call it is made, and it is
 * there for who waits for it.  Hard because it is open in truth in each thread that is recorded. */
/* unattached: somebody sends the recorder's signal, which is open in the thread that is recorded */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <threads.h>

#define TURNS 6
#define THREADS 20

static sigset_t set;

static void *routine(void *argument)
{
	sigset_t mask;
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, recorder_signal()) == 1);
	busy(1);
	return argument;
}

static int routine_c11(void *argument)
{
	return routine(argument) != argument;
}

static void make(int how, const pthread_attr_t *attributes)
{
	pthread_t id;
	thrd_t id_c11;
	int result;
	if (how == 2) {
		CHECK(thrd_create(&id_c11, routine_c11, &how) == thrd_success);
		CHECK(thrd_join(id_c11, &result) == thrd_success && result == 0);
		return;
	}
	CHECK(pthread_create(&id, how ? attributes : NULL, routine, NULL) == 0);
	CHECK(pthread_join(id, NULL) == 0);
}

int main(void)
{
	pthread_attr_t attributes;
	sigset_t pending;
	sigemptyset(&set);
	sigaddset(&set, recorder_signal());
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setsigmask_np(&attributes, &set) == 0);
	busy(5);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	make(0, NULL);
	for (int turn = 0; turn < TURNS; turn++) {
		siginfo_t info;
		CHECK(kill(getpid(), recorder_signal()) == 0);
		for (int i = 0; i < THREADS; i++)
			make(i % 3, &attributes);
		CHECK(sigpending(&pending) == 0 && sigismember(&pending, recorder_signal()) == 1);
		CHECK(sigwaitinfo(&set, &info) == recorder_signal() && info.si_pid == getpid());
	}
	puts("ok");
	return 0;
}
