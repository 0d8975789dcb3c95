/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits that other signals cut short or end: sigwait goes on behind a handler of another signal; and a program that has
 * a handler for the recorder's own signal, and blocks it, gets it in sigsuspend, ppoll, pselect, epoll_pwait and
 * epoll_pwait2, which return when the handler has run.  Hard because a recorder keeps its timer's signal out of waits.
 */
/* unattached: it handles the recorder's own signal */
#include "nasty.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#define KINDS 5
#define ROUNDS 3
#define PATIENCE 120000 /* ms */

static atomic_int waiting, handled, over, thread_id;

static void on_signal(int signal)
{
	handled++;
}

/* Until the other thread sleeps, which it does in its wait only. */
static void await_sleep(void)
{
	char name[64], text[512], *at = NULL;
	snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread_id);
	for (int i = 0; i < PATIENCE && (!at || at[2] != 'S'); i++) {
		usleep(1000);
		int fd = open(name, O_RDONLY | O_CLOEXEC);
		ssize_t size = read(fd, text, sizeof text - 1);
		close(fd);
		CHECK(size > 0);
		text[size] = 0;
		at = strrchr(text, ')');
		CHECK(at);
	}
	CHECK(at[2] == 'S');
}

static void await(atomic_int *number, int value)
{
	for (int i = 0; *number < value; i++) {
		CHECK(i < PATIENCE);
		usleep(1000);
	}
}

static void *wait_for_one(void *none)
{
	sigset_t set;
	int signal;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	thread_id = (int)syscall(SYS_gettid);
	waiting = 1;
	CHECK(sigwait(&set, &signal) == 0 && signal == SIGUSR2);
	over = 1;
	return none;
}

static void interrupt_sigwait(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t id;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	CHECK(pthread_create(&id, NULL, wait_for_one, NULL) == 0);
	await(&waiting, 1);
	for (int i = 1; i <= ROUNDS; i++) {
		await_sleep();
		CHECK(!over && pthread_kill(id, SIGUSR1) == 0);
		await(&handled, i);
	}
	await_sleep();
	CHECK(!over && pthread_kill(id, SIGUSR2) == 0 && pthread_join(id, NULL) == 0);
	printf("sigwait goes on\n");
}

static int wait_under(int kind, const sigset_t *none)
{
	static const struct timespec hour = { 3600, 0 };
	struct epoll_event event;
	int epoll = epoll_create1(EPOLL_CLOEXEC), result;
	CHECK(epoll >= 0);
	errno = 0;
	switch (kind) {
	case 0:
		result = sigsuspend(none);
		break;
	case 1:
		result = ppoll(NULL, 0, &hour, none);
		break;
	case 2:
		result = pselect(0, NULL, NULL, NULL, &hour, none);
		break;
	case 3:
		result = epoll_pwait(epoll, &event, 1, -1, none);
		break;
	default:
		result = epoll_pwait2(epoll, &event, 1, NULL, none);
		if (result < 0 && errno == ENOSYS)
			result = sigsuspend(none);
	}
	int error = errno;
	close(epoll);
	errno = error;
	return result;
}

static void *wait_for_own(void *kind)
{
	sigset_t set, none, now;
	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, recorder_signal());
	thread_id = (int)syscall(SYS_gettid);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	for (int round = 1; round <= ROUNDS; round++) {
		busy(3);
		waiting = round;
		while (handled < round)
			CHECK(wait_under((int)(intptr_t)kind, &none) == -1 && errno == EINTR);
		CHECK(handled == round);
		CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, recorder_signal()) == 1);
	}
	return NULL;
}

static void await_own(int kind)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t id;
	waiting = handled = 0;
	CHECK(sigaction(recorder_signal(), &action, NULL) == 0);
	CHECK(pthread_create(&id, NULL, wait_for_own, (void *)(intptr_t)kind) == 0);
	for (int round = 1; round <= ROUNDS; round++) {
		await(&waiting, round);
		await_sleep();
		CHECK(pthread_kill(id, recorder_signal()) == 0);
		await(&handled, round);
	}
	CHECK(pthread_join(id, NULL) == 0);
	printf("kind %d: it came\n", kind);
}

int main(void)
{
	busy(30);
	interrupt_sigwait();
	for (int kind = 0; kind < KINDS; kind++)
		await_own(kind);
	return 0;
}
