/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose threads all block the signals of faults, and one of which waits for them: what is sent to the process
 * is seen at once by sigpending, by a wait that does not wait and by signalfd, whoever else works meanwhile, and says
 * who sent it; what is sent to a thread is that thread's.  Hard because a burst must open those signals in the thread
 * that works, and takes what it should not have. */
/* unattached: who asks what is pending in the moment of a burst is not made to wait for its end */
#include "nasty.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define WORKERS 2
#define TURNS 150

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static volatile int stop;
static uint64_t set; /* as the kernel has it */

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static uint64_t waiting(int how)
{
	sigset_t pending;
	uint64_t bits = 0;
	if (how) {
		CHECK(syscall(SYS_rt_sigpending, &bits, 8) == 0);
		return bits & set;
	}
	CHECK(sigpending(&pending) == 0);
	return *(uint64_t *)(void *)&pending & set;
}

static int take(int how, siginfo_t *info, int fd)
{
	struct timespec none = { 0, 0 };
	struct signalfd_siginfo read_info;
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	if (how == 0)
		return sigtimedwait((sigset_t *)(void *)&set, info, &none);
	if (how == 1)
		return (int)syscall(SYS_rt_sigtimedwait, &set, info, &none, 8);
	if (how == 2)
		return sigwaitinfo((sigset_t *)(void *)&set, info);
	CHECK(poll(&poller, 1, 20000) == 1); /* it may be in a burst for a moment: doc/recorder-safety.md */
	CHECK(read(fd, &read_info, sizeof read_info) == sizeof read_info);
	info->si_code = read_info.ssi_code;
	info->si_pid = (pid_t)read_info.ssi_pid;
	info->si_value.sival_int = read_info.ssi_int;
	return (int)read_info.ssi_signo;
}

/* By kill, and by sigqueue with a value, each seen and taken in each way. */
static void own(int fd)
{
	for (int turn = 0; turn < TURNS; turn++) {
		int number = faults[turn % 4], queued = turn / 4 % 2, how = turn / 8 % 4;
		siginfo_t info = { 0 };
		CHECK((queued ? sigqueue(getpid(), number, (union sigval) { .sival_int = turn })
			      : kill(getpid(), number)) == 0);
		CHECK(waiting(turn % 3 == 0) == 1ull << (number - 1));
		CHECK(take(how, &info, fd) == number);
		CHECK(info.si_code == (queued ? SI_QUEUE : SI_USER) && info.si_pid == getpid());
		CHECK(!queued || info.si_value.sival_int == turn);
		CHECK(waiting(0) == 0);
	}
}

static volatile int told, seen;

/* What is sent to this thread, nobody else takes. */
static void *receiver(void *argument)
{
	siginfo_t info = { 0 };
	while (!told)
		work(100);
	for (int i = 0; i < 4; i++)
		CHECK(sigtimedwait((sigset_t *)(void *)&set, &info, &(struct timespec) { 20, 0 }) > 0);
	CHECK(waiting(0) == 0);
	seen = 1;
	return argument;
}

static void direct(void)
{
	pthread_t id;
	siginfo_t info;
	pthread_create(&id, NULL, receiver, NULL);
	for (int i = 0; i < 4; i++) {
		busy(2);
		CHECK(pthread_kill(id, faults[i]) == 0);
		CHECK(waiting(i % 2) == 0 && take(i % 2, &info, -1) == -1 && errno == EAGAIN);
	}
	told = 1;
	pthread_join(id, NULL);
	CHECK(seen);
}

/* Another process's, which says who it was, though not always how: doc/recorder-safety.md. */
static void foreign(int fd)
{
	for (int turn = 0; turn < 20; turn++) {
		siginfo_t info = { 0 };
		int number = faults[turn % 4], status;
		pid_t child = fork();
		if (child == 0)
			_exit(kill(getppid(), number) != 0);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		CHECK(waiting(turn % 2) == 1ull << (number - 1));
		CHECK(take(turn % 4, &info, fd) == number && info.si_pid == child);
		CHECK(info.si_code == SI_USER || info.si_code == SI_QUEUE);
	}
}

int main(void)
{
	pthread_t ids[WORKERS];
	sigset_t all;
	for (int i = 0; i < 4; i++)
		set |= 1ull << (faults[i] - 1);
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	int fd = signalfd(-1, (sigset_t *)(void *)&set, SFD_CLOEXEC);
	CHECK(fd >= 0);
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(20);
	own(fd);
	direct();
	foreign(fd);
	stop = 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(ids[i], NULL);
	puts("ok");
	return 0;
}
