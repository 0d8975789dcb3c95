/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose first code runs before any library's constructor (.preinit_array): it sets handlers, blocks signals,
 * starts a thread, forks, maps memory, and registers functions for fork that set handlers and protect code.  Hard
 * because the recorder is not set up then, and in fork the order of such functions is that of their registration: the
 * program's run inside the recorder's. */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static volatile int early, handled, prepared, stop;

static void handler(int signal)
{
	handled++;
}

static void around_fork(void)
{
	struct sigaction action = { .sa_handler = handler }, old;
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	CHECK(sigaction(SIGSEGV, &action, &old) == 0 && old.sa_handler == handler);
	CHECK(sigaction(SIGFPE, &action, NULL) == 0 && signal(SIGBUS, SIG_DFL) == SIG_DFL);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	CHECK(mprotect((void *)((uintptr_t)around_fork & ~4095ul), 4096, PROT_READ | PROT_EXEC) == 0);
	raise(SIGUSR1);
	prepared++;
}

static void *first_thread(void *argument)
{
	early += work(NASTY_ROUNDS) == NASTY_RESULT;
	return argument;
}

static void *long_thread(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static pthread_t living;

static void first(void)
{
	struct sigaction action = { .sa_handler = handler };
	sigset_t set;
	pthread_t id;
	int status;
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(sigaction(61, &action, NULL) == 0 && signal(SIGUSR2, handler) == SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, 61);
	sigaddset(&set, SIGALRM);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	CHECK(pthread_create(&id, NULL, first_thread, NULL) == 0 && pthread_join(id, NULL) == 0);
	CHECK(pthread_create(&living, NULL, long_thread, NULL) == 0);
	CHECK(pthread_atfork(around_fork, around_fork, around_fork) == 0);
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	prctl(PR_GET_DUMPABLE);
	pid_t pid = fork();
	if (pid == 0)
		_exit(13);
	CHECK(waitpid(pid, &status, 0) == pid && status == 13 << 8);
	early++;
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = first;

int main(void)
{
	struct sigaction old;
	sigset_t now;
	CHECK(early == 2);
	CHECK(sigaction(61, NULL, &old) == 0 && old.sa_handler == handler);
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, 61) == 1 &&
	      sigismember(&now, SIGALRM) == 1);
	int before = handled;
	raise(61);
	CHECK(handled == before);
	sigemptyset(&now);
	CHECK(pthread_sigmask(SIG_SETMASK, &now, NULL) == 0 && handled == before + 1);
	for (int i = 0; i < 30; i++) {
		int status;
		busy(2);
		pid_t pid = fork();
		if (pid == 0) {
			busy(1);
			_exit(prepared > 3 ? 14 : 15);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 14 << 8);
	}
	stop = 1;
	pthread_join(living, NULL);
	printf("prepared %d\n", prepared);
	return 0;
}
