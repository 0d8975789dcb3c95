/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs started from four threads at once, by posix_spawn with a mask and with signals to reset, by vfork and by
 * execveat of a file in memory that has no name, after all descriptors have been closed: each finds the mask, the
 * dispositions and the descriptors that it was given.  Hard because what a thread has blocked, it believes, goes along.
 */
/* unattached: children of a thread in which the recorder's signal was opened have it open */
#include "nasty.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

#define TURNS 24
static char *self;

/* The new program says by its status what it finds. */
static int report(void)
{
	sigset_t mask;
	struct sigaction usr, pipe;
	int bits = 0;
	busy(2);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigaction(SIGUSR2, NULL, &usr);
	sigaction(SIGPIPE, NULL, &pipe);
	bits |= sigismember(&mask, SIGUSR1) ? 1 : 0;
	bits |= sigismember(&mask, SIGRTMAX - 3) ? 2 : 0;
	bits |= sigismember(&mask, SIGSEGV) ? 4 : 0;
	bits |= usr.sa_handler == SIG_IGN ? 8 : 0;
	bits |= pipe.sa_handler == SIG_IGN ? 16 : 0;
	bits |= open("/dev/null", O_RDONLY) == 3 ? 32 : 0;
	return bits;
}

static int wait_for(pid_t pid)
{
	int status;
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int by_spawn(char **arguments)
{
	posix_spawnattr_t attributes;
	sigset_t mask, reset;
	pid_t pid = 0;
	sigemptyset(&mask);
	sigaddset(&mask, SIGSEGV);
	sigemptyset(&reset);
	sigaddset(&reset, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &mask);
	posix_spawnattr_setsigdefault(&attributes, &reset);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	CHECK(posix_spawn(&pid, self, NULL, &attributes, arguments, environ) == 0);
	posix_spawnattr_destroy(&attributes);
	return wait_for(pid);
}

static int by_vfork(char **arguments)
{
	pid_t pid = vfork();
	if (pid == 0) {
		execve(self, arguments, environ);
		_exit(99);
	}
	return wait_for(pid);
}

static int from_memory(char **arguments)
{
	char block[65536];
	ssize_t size;
	pid_t pid = fork();
	if (pid == 0) {
		syscall(SYS_close_range, 3, ~0u, 0);
		int in = open(self, O_RDONLY | O_CLOEXEC), out = memfd_create("nasty", MFD_CLOEXEC);
		while ((size = read(in, block, sizeof block)) > 0)
			CHECK(write(out, block, (size_t)size) == size);
		execveat(out, "", arguments, environ, AT_EMPTY_PATH);
		_exit(98);
	}
	return wait_for(pid);
}

static void *thread(void *argument)
{
	char *arguments[] = { self, "report", NULL };
	int blocked = (int)(intptr_t)argument % 2, plain = blocked ? 3 + 8 + 16 + 32 : 1 + 8 + 16 + 32;
	intptr_t good = 0;
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	if (blocked)
		sigaddset(&mask, SIGRTMAX - 3);
	CHECK(pthread_sigmask(SIG_SETMASK, &mask, NULL) == 0);
	for (int i = 0; i < TURNS; i++) {
		busy(1);
		good += i % 3 == 0   ? by_spawn(arguments) == 4 + 8 + 32
			: i % 3 == 1 ? (by_vfork(arguments) | 2) == (plain | 2) /* doc/recorder-safety.md */
				     : from_memory(arguments) == plain;
	}
	return (void *)good;
}

int main(int argc, char **argv)
{
	pthread_t ids[4];
	void *good;
	if (argc > 1)
		return report();
	self = argv[0];
	signal(SIGUSR2, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, (void *)(intptr_t)i);
	for (int i = 0; i < 4; i++) {
		pthread_join(ids[i], &good);
		printf("good %ld\n", (long)(intptr_t)good);
	}
	return 0;
}
