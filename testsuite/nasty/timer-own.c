/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timers of the program's own: on every kind of clock, by every signal number that there is, the recorder's too, by
 * threads (SIGEV_THREAD), with values and overruns.  Hard because the recorder's timers are in the same table. */
/* unattached: it takes the recorder's signal for itself while it is recorded */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>

static volatile int arrived[65], wrong;
static _Atomic int by_thread;

static void handler(int signal, siginfo_t *info, void *context)
{
	if (info->si_code != SI_TIMER || info->si_value.sival_int != signal * 1000 + 7)
		wrong++;
	arrived[signal]++;
}

static void on_thread(union sigval value)
{
	atomic_fetch_add(&by_thread, value.sival_int == 77);
}

static void with_signals(clockid_t clock)
{
	struct itimerspec when = { { 0, 2000000 }, { 0, 1000000 } };
	timer_t timers[65];
	memset((void *)arrived, 0, sizeof arrived);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
		event.sigev_value.sival_int = number * 1000 + 7;
		sigaction(number, &action, NULL);
		CHECK(timer_create(clock, &event, &timers[number]) == 0);
		CHECK(timer_settime(timers[number], 0, &when, NULL) == 0);
	}
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		while (arrived[number] < 3)
			busy(1);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct itimerspec now;
		CHECK(timer_gettime(timers[number], &now) == 0 && now.it_interval.tv_nsec == 2000000);
		CHECK(timer_getoverrun(timers[number]) >= 0);
		CHECK(timer_delete(timers[number]) == 0);
	}
	printf("clock %d: wrong %d\n", (int)clock, wrong);
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_thread };
	struct itimerspec when = { { 0, 2000000 }, { 0, 1000000 } };
	timer_t timer;
	busy(100);
	with_signals(CLOCK_MONOTONIC);
	with_signals(CLOCK_PROCESS_CPUTIME_ID);
	with_signals(CLOCK_THREAD_CPUTIME_ID);
	event.sigev_value.sival_int = 77;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &when, NULL) == 0);
	while (by_thread < 20)
		busy(1);
	CHECK(timer_delete(timer) == 0);
	printf("by thread\n");
	return 0;
}
