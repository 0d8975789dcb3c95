/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program without handlers never sees EINTR, however it waits and whatever it did before: nanosleep, clock_nanosleep,
 * poll, ppoll, select, pselect, epoll_wait, sem_timedwait, a condition, msgrcv, semtimedop, recv with a timeout,
 * io_getevents.  Hard because several of these calls return EINTR after any handler, with SA_RESTART too. */
/* modes: default 2000 (the dense build's clock goes on while the program waits, and interrupts it) */
#include "nasty.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define KINDS 13
static const char *const names[KINDS] = { "nanosleep",     "clock_nanosleep", "poll",       "ppoll",
					  "select",        "pselect",         "epoll_wait", "epoll_pwait",
					  "sem_timedwait", "condition",       "semtimedop", "recv",
					  "io_getevents" };
static int pipe_ends[2], sockets[2], epoll, sems;
static unsigned long aio;

static struct timespec later(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int wait_once(int kind)
{
	struct timespec ms = { 0, 2000000 }, when;
	struct timeval us = { 0, 2000 };
	struct pollfd fd = { pipe_ends[0], POLLIN, 0 };
	struct epoll_event event;
	struct sembuf down = { 0, -1, 0 };
	sigset_t none;
	sem_t semaphore;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	char byte, events[64];
	sigemptyset(&none);
	switch (kind) {
	case 0:
		return nanosleep(&ms, NULL);
	case 1:
		when = later(CLOCK_MONOTONIC);
		errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		return errno ? -1 : 0;
	case 2:
		return poll(&fd, 1, 2);
	case 3:
		return ppoll(&fd, 1, &ms, &none);
	case 4:
		return select(0, NULL, NULL, NULL, &us);
	case 5:
		return pselect(0, NULL, NULL, NULL, &ms, &none);
	case 6:
		return epoll_wait(epoll, &event, 1, 2);
	case 7:
		return epoll_pwait(epoll, &event, 1, 2, &none);
	case 8:
		sem_init(&semaphore, 0, 0);
		when = later(CLOCK_REALTIME);
		return sem_timedwait(&semaphore, &when);
	case 9:
		when = later(CLOCK_REALTIME);
		pthread_mutex_lock(&mutex);
		errno = pthread_cond_timedwait(&condition, &mutex, &when);
		pthread_mutex_unlock(&mutex);
		return errno ? -1 : 0;
	case 10:
		return semtimedop(sems, &down, 1, &ms);
	case 11:
		return (int)recv(sockets[0], &byte, 1, 0);
	default:
		return (int)syscall(SYS_io_getevents, aio, 1, 1, events, &ms);
	}
}

static int interrupted[KINDS], others[KINDS];

static void all(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		busy(1);
		errno = 0;
		int result = wait_once(kind);
		interrupted[kind] += result == -1 && errno == EINTR;
		others[kind] += result > 0 || (result == -1 && errno != EINTR && errno != ETIMEDOUT && errno != EAGAIN);
	}
}

static void *thread(void *argument)
{
	for (int i = 0; i < 10; i++)
		all();
	return argument;
}

int main(void)
{
	struct timeval timeout = { 0, 2000 };
	pthread_t id;
	CHECK(pipe(pipe_ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	CHECK((epoll = epoll_create1(0)) >= 0 && (sems = semget(IPC_PRIVATE, 1, 0600)) >= 0);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
	if (syscall(SYS_io_setup, 8, &aio) != 0)
		aio = 0;
	pthread_create(&id, NULL, thread, NULL);
	thread(NULL);
	pthread_join(id, NULL);
	semctl(sems, 0, IPC_RMID);
	for (int kind = 0; kind < KINDS; kind++)
		printf("%s: interrupted %d, otherwise wrong %d\n", names[kind], interrupted[kind],
		       kind == 12 && !aio ? 0 : others[kind]);
	return 0;
}
