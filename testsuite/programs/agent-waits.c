/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting under the recorder, on a kernel from 5.9 on: no call that waits returns EINTR because of a signal that the
 * program did not ask for, no sleep is cut short, and the program's own timers, signal descriptors and alternate waits
 * get their own signals and no others; also on the smallest thread stack and on small coroutine stacks. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile uint64_t sink;
static volatile sig_atomic_t profs, alarms;
static int interrupted, early;

static void busy(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink = sink * 31 + (i % 3 ? i : 7);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note(long result, double begin, double least)
{
	interrupted += result < 0 && errno == EINTR;
	early += now() - begin < least;
}

/* Each wait directly after work, when a timer signal is most likely to be on its way. */
static void waits(void)
{
	struct timespec ms = { 0, 2000000 };
	int ends[2], poller = epoll_create1(0);
	struct pollfd fd;
	struct epoll_event event;
	sem_t semaphore;

	if (pipe(ends) != 0)
		exit(1);
	fd = (struct pollfd) { ends[0], POLLIN, 0 };
	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < 60; i++) {
		double begin;
		struct timespec when;

		busy(300000);
		begin = now();
		note(nanosleep(&ms, NULL), begin, 0.002);
		busy(300000);
		begin = now();
		note(poll(&fd, 1, 2), begin, 0.0015);
		busy(300000);
		begin = now();
		note(epoll_wait(poller, &event, 1, 2), begin, 0.0015);
		busy(300000);
		begin = now();
		note(select(0, NULL, NULL, NULL, &(struct timeval) { 0, 2000 }), begin, 0.0015);
		busy(300000);
		clock_gettime(CLOCK_REALTIME, &when);
		when.tv_nsec = (when.tv_nsec + 2000000) % 1000000000;
		when.tv_sec += when.tv_nsec < 2000000;
		note(sem_timedwait(&semaphore, &when), now(), 0);
	}
	close(ends[0]);
	close(ends[1]);
	close(poller);
	printf("waits: interrupted %d early %d\n", interrupted, early);
}

static void on_prof(int signal)
{
	profs += signal == SIGPROF;
}

static void on_alarm(int signal)
{
	alarms += signal == SIGALRM;
}

static void own_timers(void)
{
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, none = { { 0, 0 }, { 0, 0 } };

	signal(SIGPROF, on_prof);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_PROF, &every, NULL);
	while (profs < 10)
		busy(10000);
	setitimer(ITIMER_PROF, &none, NULL);
	alarm(1);
	double begin = now();
	errno = 0;
	int rest = pause();
	printf("timers: pause %d %d after its alarm %d, in time %d\n", rest, errno == EINTR, (int)alarms,
	       now() - begin > 0.9 && now() - begin < 1.9);
}

static void own_signals(void)
{
	sigset_t all, old, pending;
	siginfo_t info;
	struct signalfd_siginfo read_info;
	struct timespec short_time = { 0, 20000000 };
	int fd, seen = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	busy(3000000);
	sigpending(&pending);
	for (int i = 1; i < 65; i++)
		seen += sigismember(&pending, i) == 1;
	printf("signals: pending %d", seen);
	printf(" none %d", sigtimedwait(&all, NULL, &short_time));
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGRTMIN + 3, (union sigval) { .sival_int = 77 });
	busy(3000000);
	printf(" first %d", sigwaitinfo(&all, &info) == SIGUSR1);
	printf(" second %d", sigwaitinfo(&all, &info) == SIGRTMIN + 3 && info.si_value.sival_int == 77);
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	busy(3000000);
	printf(" empty %d", read(fd, &read_info, sizeof read_info) == -1 && errno == EAGAIN);
	kill(getpid(), SIGUSR2);
	printf(" one %d", read(fd, &read_info, sizeof read_info) == sizeof read_info && read_info.ssi_signo == SIGUSR2);
	close(fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigprocmask(SIG_SETMASK, NULL, &pending);
	seen = 0;
	for (int i = 1; i < 65; i++)
		seen += sigismember(&pending, i) == 1;
	printf(" mask %d\n", seen);
}

static ucontext_t back, small;

static void in_coroutine(void)
{
	for (int i = 0; i < 50; i++) {
		busy(300000);
		swapcontext(&small, &back);
	}
}

static void *small_thread(void *argument)
{
	static __thread uint64_t sum;

	for (int i = 0; i < 3000000; i++)
		sum = sum * 31 + (uint64_t)i * (uint64_t)(uintptr_t)argument;
	return (void *)(uintptr_t)(sum & 0xffff);
}

static void small_stacks(void)
{
	pthread_attr_t attributes;
	pthread_t threads[8];
	void *result, *stack = aligned_alloc(16, 16384);
	uint64_t sum = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	for (uintptr_t i = 0; i < 8; i++)
		if (pthread_create(&threads[i], &attributes, small_thread, (void *)i) != 0)
			exit(1);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &result);
		sum = sum * 31 + (uintptr_t)result;
	}
	getcontext(&small);
	small.uc_stack.ss_sp = stack;
	small.uc_stack.ss_size = 16384;
	small.uc_link = &back;
	makecontext(&small, in_coroutine, 0);
	for (int i = 0; i < 50; i++)
		swapcontext(&back, &small);
	free(stack);
	printf("small stacks: %lx %lx\n", (unsigned long)sum, (unsigned long)sink);
}

int main(void)
{
	waits();
	own_timers();
	own_signals();
	sink = 1;
	small_stacks();
	return 0;
}
