/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that may have few signals waiting (RLIMIT_SIGPENDING), each of a user of its own: so many that they send
 * themselves wait, no fewer, and as many of their own timers can be made, with threads at work or without; with no room
 * at all they run on.  Hard because each timer of a recorder's takes a place. */
/* modes: default 2000 (a signal of a timer, or of an event, waits in the queue while its thread does not run) */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define MOST 12

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

/* Signals that wait, and timers, until there is no room; and the signals are all there. */
static void fill(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2 };
	timer_t timers[MOST + 1];
	struct timespec none = { 0, 0 };
	sigset_t set;
	int count = 0, sent = 0;
	while (count <= MOST && timer_create(CLOCK_MONOTONIC, &event, &timers[count]) == 0)
		count++;
	printf("%d timers", count);
	CHECK(errno == EAGAIN);
	while (count > 0)
		timer_delete(timers[--count]);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	while (sent <= MOST && sigqueue(getpid(), SIGRTMIN + 1, (union sigval) { .sival_int = sent }) == 0)
		sent++;
	CHECK(errno == EAGAIN);
	for (siginfo_t info; sigtimedwait(&set, &info, &none) == SIGRTMIN + 1;)
		CHECK(info.si_value.sival_int == count++);
	printf(" %d sent %d came\n", sent, count);
	CHECK(count == sent);
}

static int limited(int room, int threads)
{
	struct rlimit limit = { (rlim_t)room, (rlim_t)room };
	pthread_t ids[3];
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	busy(30);
	for (int i = 0; i < threads; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(30);
	CHECK(setrlimit(RLIMIT_SIGPENDING, &limit) == 0);
	fill();
	busy(30);
	fill();
	stop = 1;
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	fflush(stdout);
	return 21;
}

int main(int argc, char **argv)
{
	static char room[8], threads[8];
	if (argc > 2)
		return limited(atoi(argv[1]), atoi(argv[2]));
	if (getuid() != 0)
		nasty_skip("only root can be another user");
	busy(50);
	for (int i = 0; i < 6; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			/* A user whom nobody else is while this runs. */
			CHECK(setuid((uid_t)(1000000 + getpid())) == 0);
			snprintf(room, sizeof room, "%d", i % 3 * 6);
			snprintf(threads, sizeof threads, "%d", i / 3 * 3);
			execl(argv[0], argv[0], room, threads, NULL);
			_exit(1);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 21 << 8);
	}
	return 0;
}
