/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cancellation, deferred and asynchronous, of threads that compute, read, sleep, wait for signals, for a condition or
 * for nothing, with cleanup handlers, thread-specific destructors and C++-like unwinding through every frame.  Hard
 * because it is a signal of libc's that unwinds the stack from wherever it comes, the recorder's frames and functions
 * among them. */
#include "nasty.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>

#define KINDS 12
static _Atomic int cleaned, destroyed;
static pthread_key_t key;
static sem_t never;
static int ends[2], epoll;

static void cleanup(void *argument)
{
	atomic_fetch_add(&cleaned, *(int *)argument);
}

static void destroy(void *argument)
{
	CHECK(work(200) == work(200));
	atomic_fetch_add(&destroyed, 1);
}

static void wait_once(int kind)
{
	sigset_t set;
	siginfo_t info;
	struct timespec hour = { 3600, 0 };
	struct epoll_event event;
	char byte;
	int number;
	sigemptyset(&set);
	switch (kind) {
	case 0:
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		for (;;)
			work(100);
	case 1:
		for (;;) {
			work(1000);
			pthread_testcancel();
		}
	case 2:
		number = read(ends[0], &byte, 1) != 0;
		break;
	case 3:
		sem_wait(&never);
		break;
	case 4:
		nanosleep(&hour, NULL);
		break;
	case 5:
		sigsuspend(&set);
		break;
	case 6:
		ppoll(NULL, 0, &hour, &set);
		break;
	case 7:
		pselect(0, NULL, NULL, NULL, &hour, &set);
		break;
	case 8:
		sigaddset(&set, SIGUSR2);
		sigwaitinfo(&set, &info);
		break;
	case 9:
		sigaddset(&set, SIGUSR2);
		sigtimedwait(&set, &info, &hour);
		break;
	case 10:
		sigaddset(&set, SIGUSR2);
		sigwait(&set, &number);
		break;
	default:
		epoll_pwait(epoll, &event, 1, -1, &set);
	}
}

static void wait_for(int kind)
{
	for (;;)
		wait_once(kind);
}

static void *thread(void *argument)
{
	int one = 1, hundred = 100, kind = (int)(intptr_t)argument;
	pthread_setspecific(key, argument + 1);
	pthread_cleanup_push(cleanup, &one);
	pthread_cleanup_push(cleanup, &hundred);
	work(5000);
	wait_for(kind);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	sigset_t block;
	int cancelled = 0;
	CHECK((epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 && pipe(ends) == 0 && sem_init(&never, 0, 0) == 0 &&
	      pthread_key_create(&key, destroy) == 0);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	for (int i = 0; i < 25 * KINDS; i++) {
		pthread_t id;
		void *result;
		CHECK(pthread_create(&id, NULL, thread, (void *)(intptr_t)(i % KINDS)) == 0);
		for (int k = 0; k < i % 40; k++)
			work(2000);
		CHECK(pthread_cancel(id) == 0 && pthread_join(id, &result) == 0);
		cancelled += result == PTHREAD_CANCELED;
	}
	busy(50);
	/* A thread that is cancelled before it has begun cleans nothing up. */
	CHECK(cleaned % 101 == 0 && cleaned / 101 <= cancelled && destroyed * 101 == cleaned);
	printf("cancelled %d\n", cancelled);
	return 0;
}
