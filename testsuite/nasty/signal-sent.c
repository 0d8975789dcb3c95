/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals of faults that somebody sends (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP by sigqueue) arrive once each, with
 * their sender and value, while the thread works; so do a thousand queued real-time signals, in order, on every number.
 * Hard because a recorder takes those signals for its own faults, and one number for its timer. */
/* unattached: somebody sends the recorder's signal, which is open in the thread that is recorded */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

static _Atomic int arrived, done;
static volatile int next_value, ordered;
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

static void handler(int signal, siginfo_t *info, void *context)
{
	CHECK(info->si_code == SI_QUEUE && info->si_pid == getpid());
	CHECK(info->si_value.sival_int == arrived && signal == faults[arrived % 5]);
	atomic_fetch_add(&arrived, 1);
}

static void in_order(int signal, siginfo_t *info, void *context)
{
	CHECK(info->si_code == SI_QUEUE);
	ordered += info->si_value.sival_int == next_value++;
}

static void *sender(void *argument)
{
	pthread_t target = *(pthread_t *)argument;
	for (int i = 0; i < 3000; i++) {
		CHECK(pthread_sigqueue(target, faults[i % 5], (union sigval) { .sival_int = i }) == 0);
		while (arrived == i)
			sched_yield(); /* the other may be waiting for this processor */
	}
	done = 1;
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t thread, self = pthread_self();
	int sent = 0;
	for (int i = 0; i < 5; i++)
		sigaction(faults[i], &action, NULL);
	pthread_create(&thread, NULL, sender, &self);
	while (!done)
		busy(1);
	pthread_join(thread, NULL);
	printf("faults sent and arrived: %d\n", arrived);
	action.sa_sigaction = in_order;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		sigset_t one, old;
		sigaction(number, &action, NULL);
		sigemptyset(&one);
		sigaddset(&one, number);
		next_value = 0;
		pthread_sigmask(SIG_BLOCK, &one, &old);
		for (int i = 0; i < 200; i++)
			sent += sigqueue(getpid(), number, (union sigval) { .sival_int = i }) == 0;
		busy(2);
		CHECK(next_value == 0);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	printf("queued %d, in order %d\n", sent, ordered);
	return 0;
}
