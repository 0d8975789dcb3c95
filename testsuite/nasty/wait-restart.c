/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that are restarted after a handler, and calls that are not: read, waitpid and sigsuspend
 * with handlers with and without SA_RESTART, each interrupted by the program's own signal.  EINTR comes where it is due
 * and nowhere else, and no byte is lost.  Hard because a recorder's signal can come with the program's own. */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static volatile int handled;
static int ends[2];
static pthread_t main_thread;
static volatile int go, quit, answered;

static void handler(int signal)
{
	work(300);
	handled++;
}

/* Sends a signal when asked to, and a byte a little later; for a call that is to be cut, until it was. */
static void *sender(void *argument)
{
	while (!quit) {
		int what = go;
		usleep(what ? 500 : 50);
		if (!what)
			continue;
		do {
			pthread_kill(main_thread, what & 1 ? SIGUSR1 : SIGUSR2);
			usleep(500);
		} while (what & 4 && !answered);
		if (what & 2 && write(ends[1], "x", 1) != 1)
			_exit(9);
		go = 0;
	}
	return argument;
}

static void await(void)
{
	while (go)
		usleep(50);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	int restarted = 0, cut = 0, suspended = 0, lines = 0;
	pthread_t thread;
	sigset_t block, old;
	char byte;
	main_thread = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = 0;
	sigaction(SIGUSR2, &action, NULL);
	CHECK(pipe(ends) == 0);
	pthread_create(&thread, NULL, sender, NULL);
	for (int i = 0; i < 60; i++) {
		busy(1);
		go = 1 | 2;
		restarted += read(ends[0], &byte, 1) == 1;
		await();
		busy(1);
		answered = 0;
		go = 4;
		errno = 0;
		cut += read(ends[0], &byte, 1) == -1 && errno == EINTR;
		answered = 1;
		await();
		sigemptyset(&block);
		sigaddset(&block, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &block, &old);
		int before = handled;
		go = 1;
		busy(1);
		errno = 0;
		suspended += sigsuspend(&old) == -1 && errno == EINTR && handled == before + 1;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		await();
	}
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();
		int status;
		if (pid == 0) {
			usleep(3000);
			_exit(7);
		}
		go = 1;
		CHECK(waitpid(pid, &status, 0) == pid && status == 7 << 8);
		await();
	}
	quit = 1;
	pthread_join(thread, NULL);
	for (int c; (c = getchar()) != EOF;)
		lines += c == '\n';
	printf("restarted %d, cut %d, suspended %d, lines of input %d\n", restarted, cut, suspended, lines);
	return 0;
}
