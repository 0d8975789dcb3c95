/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that handles all signals in one thread, by sigwait, sigwaitinfo, sigtimedwait and signalfd on the full set,
 * the recorder's number among them: it gets each that is sent, in order, with its value, and none that is not;
 * sigpending and the masks of its threads agree.  Hard because the recorder's timer signal is in that set. */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/signalfd.h>

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static int usable(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != 32 && number != 33;
}

static int take(int how, const sigset_t *all, int fd, int *value)
{
	siginfo_t info = { 0 };
	struct signalfd_siginfo read_info;
	struct timespec second = { 20, 0 };
	int number = -1;
	switch (how) {
	case 0:
		CHECK(sigwait(all, &number) == 0);
		*value = number;
		return number;
	case 1:
		number = sigwaitinfo(all, &info);
		break;
	case 2:
		number = sigtimedwait(all, &info, &second);
		break;
	default:
		CHECK(read(fd, &read_info, sizeof read_info) == sizeof read_info);
		*value = read_info.ssi_int;
		return (int)read_info.ssi_signo;
	}
	*value = info.si_value.sival_int;
	return number;
}

int main(void)
{
	static const char *const names[] = { "sigwait", "sigwaitinfo", "sigtimedwait", "signalfd" };
	struct timespec none = { 0, 0 };
	sigset_t all, pending, mask;
	siginfo_t info;
	pthread_t id;
	int value = 0;
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	pthread_create(&id, NULL, worker, NULL);
	int fd = signalfd(-1, &all, SFD_CLOEXEC);
	CHECK(fd >= 0);
	for (int how = 0; how < 4; how++) {
		int good = 0;
		for (int number = 1; number <= 64; number++) {
			if (!usable(number) || number == SIGCHLD)
				continue;
			if (how == 3 &&
			    number ==
				recorder_signal()) /* doc/recorder-safety.md says that signalfd does not bring it */
				continue;
			if (number % 4 == 0)
				busy(1);
			CHECK(sigpending(&pending) == 0 && *(uint64_t *)(void *)&pending == 0);
			CHECK(sigqueue(getpid(), number, (union sigval) { .sival_int = number }) == 0);
			/* The recorder's number may be on its way back to waiting. */
			CHECK(sigpending(&pending) == 0 &&
			      (number == recorder_signal() || *(uint64_t *)(void *)&pending == 1ull << (number - 1)));
			good += take(how, &all, fd, &value) == number && value == number;
			CHECK(sigtimedwait(&all, &info, &none) == -1 && errno == EAGAIN);
		}
		CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
		for (int number = 1; number <= 64; number++)
			CHECK(!usable(number) || sigismember(&mask, number) == 1);
		printf("%s: %d\n", names[how], good);
	}
	stop = 1;
	pthread_join(id, NULL);
	return 0;
}
