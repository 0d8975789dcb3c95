// SPDX-License-Identifier: GPL-3.0-or-later
/* A program to be attached to: threads that work (one with all signals blocked), short threads, a thread in a wait
 * without an end, one that waits for every signal, children that work for a moment.  Each checks what it does.  A line
 * on standard input is a command: "child" forks a child that works until it is killed, and prints its number; "end"
 * prints what went wrong, and ends.  What a recorder may not change: results, the calls that return early, the signals
 * that are seen, the way in which children end. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int over;
static _Atomic unsigned wrong, early, signals, endings;

__attribute__((noipa)) static uint32_t mix(uint32_t x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 1664525u + 1013904223u : (x >> 1 | x << 31) ^ 0x9e3779b9u;
	return x;
}

__attribute__((noipa)) static double ratio(double x)
{
	for (int i = 0; i < 1000; i++)
		x = x > 1 ? x * 0.75 : x + 1.0 / (x + 1);
	return x;
}

static void check(uint32_t first, double second)
{
	if (mix(1) != first || ratio(3) != second)
		wrong++;
}

static void *work(void *rounds)
{
	uint32_t first = mix(1);
	double second = ratio(3);

	for (long left = (long)rounds; left != 0 && !over; left--)
		check(first, second);
	return NULL;
}

static void *work_blocked(void *none)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	return work(none);
}

static void *start_short(void *none)
{
	pthread_t thread;

	while (!over) {
		if (pthread_create(&thread, NULL, work, (void *)4000) != 0 || pthread_join(thread, NULL) != 0)
			wrong++;
	}
	return none;
}

static void *start_children(void *none)
{
	while (!over) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			work((void *)2000);
			_exit(wrong ? 1 : 33);
		}
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 33)
			endings++;
	}
	return none;
}

static void *wait_for_end(void *pipe)
{
	struct epoll_event event = { .events = EPOLLIN };
	int set = epoll_create1(EPOLL_CLOEXEC), got;

	epoll_ctl(set, EPOLL_CTL_ADD, *(int *)pipe, &event);
	while ((got = epoll_wait(set, &event, 1, -1)) != 1)
		early += got < 0 && errno == EINTR;
	return NULL;
}

static void *wait_for_signals(void *none)
{
	sigset_t all;
	int number;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (sigwait(&all, &number) == 0 && number != SIGUSR2)
		signals++;
	return none;
}

static void command(const char *line)
{
	pid_t child;

	if (strcmp(line, "child\n") != 0)
		return;
	child = fork();
	if (child == 0)
		work((void *)-1);
	printf("%d\n", (int)child);
	fflush(stdout);
}

int main(void)
{
	void *(*const routines[])(void *) = { work,           work_blocked, start_short,
					      start_children, wait_for_end, wait_for_signals };
	enum { COUNT = sizeof routines / sizeof *routines };
	pthread_t threads[COUNT];
	char line[64];
	sigset_t user;
	int ends[2];

	if (pipe(ends) != 0)
		return 1;
	sigemptyset(&user);
	sigaddset(&user, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &user, NULL);
	for (int i = 0; i < COUNT; i++)
		pthread_create(&threads[i], NULL, routines[i], routines[i] == wait_for_end ? (void *)ends : (void *)-1);
	while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n") != 0)
		command(line);
	over = 1;
	if (write(ends[1], "", 1) != 1)
		wrong++;
	kill(getpid(), SIGUSR2);
	for (int i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	printf("wrong %u, early %u, signals %u, endings %u\n", wrong, early, signals, endings);
	return 0;
}
