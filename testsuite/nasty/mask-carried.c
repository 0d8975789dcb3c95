/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A blocked signal stays blocked where masks are carried on: into threads, by attributes of threads, into children of
 * fork and exec and posix_spawn, over siglongjmp and setcontext, in and after handlers; for the recorder's number as
 * for any other.  Hard because several of these are done inside libc, past every function that stands in for one of
 * its. */
/* unattached: children of a thread in which the recorder's signal was opened have it open */
#include "nasty.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>

extern char **environ;
static const int numbers[] = { SIGUSR1, 61, 40 };
static sigset_t chosen;
static int wrong;

static int blocked(void)
{
	sigset_t now;
	int bits = 0;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	for (int i = 0; i < 3; i++)
		bits |= sigismember(&now, numbers[i]) << i;
	return bits;
}

/* Of the recorder's number handlers and jumps out of them know nothing: doc/recorder-safety.md. */
static void expect(const char *what, int want)
{
	int got = strstr(what, "handler") || strstr(what, "siglongjmp") ? (blocked() & ~2) | (want & 2) : blocked();
	if (got != want) {
		fprintf(stderr, "%s: %x blocked, not %x\n", what, (unsigned int)got, (unsigned int)want);
		wrong++;
	}
}

static void *thread(void *argument)
{
	busy(1);
	expect("thread", (int)(intptr_t)argument);
	return NULL;
}

static void threads(void)
{
	pthread_attr_t attributes;
	pthread_t id;
	sigset_t none;
	sigemptyset(&none);
	pthread_create(&id, NULL, thread, (void *)7);
	pthread_join(id, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setsigmask_np(&attributes, &none);
	pthread_create(&id, &attributes, thread, (void *)0);
	pthread_join(id, NULL);
	pthread_sigmask(SIG_UNBLOCK, &chosen, NULL);
	pthread_create(&id, NULL, thread, (void *)0);
	pthread_join(id, NULL);
	pthread_attr_setsigmask_np(&attributes, &chosen);
	pthread_create(&id, &attributes, thread, (void *)7);
	pthread_join(id, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_BLOCK, &chosen, NULL);
}

static void jumps(void)
{
	sigjmp_buf back;
	ucontext_t context;
	volatile int turn = 0;
	if (sigsetjmp(back, 1) == 0) {
		pthread_sigmask(SIG_UNBLOCK, &chosen, NULL);
		busy(1);
		expect("before siglongjmp", 0);
		siglongjmp(back, 1);
	}
	expect("after siglongjmp", 7);
	pthread_sigmask(SIG_BLOCK, &chosen, NULL);
	getcontext(&context);
	if (turn++ == 0) {
		pthread_sigmask(SIG_UNBLOCK, &chosen, NULL);
		busy(1);
		setcontext(&context);
	}
	expect("after setcontext", 7);
}

static void children(char *path)
{
	char *arguments[] = { path, "7", NULL }, *none[] = { path, "0", NULL };
	posix_spawnattr_t attributes;
	sigset_t empty;
	for (int kind = 0; kind < 5; kind++) {
		int status;
		pid_t pid;
		sigemptyset(&empty);
		posix_spawnattr_init(&attributes);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		posix_spawnattr_setsigmask(&attributes, &empty);
		if (kind == 3) {
			CHECK(posix_spawn(&pid, path, NULL, NULL, arguments, environ) == 0);
		} else if (kind == 4) {
			CHECK(posix_spawn(&pid, path, NULL, &attributes, none, environ) == 0);
		} else {
			pid = kind == 1 ? vfork() : fork();
			if (pid == 0 && kind < 2)
				execv(path, arguments);
			if (pid == 0)
				_exit(blocked() == 7 ? 30 : 31);
		}
		posix_spawnattr_destroy(&attributes);
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("child %d: %x\n", kind, status);
	}
}

static void in_handler(int signal)
{
	expect("in the handler", 7);
	pthread_sigmask(SIG_UNBLOCK, &chosen, NULL);
	expect("in the handler, unblocked", 0);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = in_handler };
	if (argc > 1) {
		expect("program", atoi(argv[1]));
		busy(2);
		expect("program, later", atoi(argv[1]));
		return wrong ? 31 : 30;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	sigemptyset(&chosen);
	for (int i = 0; i < 3; i++)
		sigaddset(&chosen, numbers[i]);
	busy(100);
	expect("start", 0);
	pthread_sigmask(SIG_BLOCK, &chosen, NULL);
	for (int i = 0; i < 10; i++) {
		busy(3);
		expect("main", 7);
		threads();
		jumps();
		action.sa_mask = chosen;
		sigaction(SIGUSR2, &action, NULL);
		raise(SIGUSR2);
		expect("after the handler", 7);
		pthread_sigmask(SIG_UNBLOCK, &chosen, NULL);
		raise(SIGUSR2);
		expect("after the handler", 0);
		pthread_sigmask(SIG_BLOCK, &chosen, NULL);
	}
	children(argv[0]);
	printf("wrong %d\n", wrong);
	return 0;
}
