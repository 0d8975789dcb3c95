/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that has blocked signals, of the recorder's number too, makes children in all ways that there are: vfork,
 * fork, _Fork, clone with and without the parent's memory, posix_spawn, system, popen.  What they execute begins with
 * what the parent had blocked, or what the child has made of it; the child sees what it has made; and the parent's mask
 * is what it was.  Hard where what is blocked is a belief that parent and child share, or that nobody gave the child.
 */
#include "nasty.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;
static const int numbers[] = { SIGUSR1, 61, 40 }; /* 61: SIGRTMAX - 3 */
static char *path;
static int in_child; /* what it does to its mask */

static int blocked(void)
{
	sigset_t now;
	int bits = 0;
	CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
	for (int i = 0; i < 3; i++)
		bits |= sigismember(&now, numbers[i]) << i;
	return bits;
}

static void change(int how, int which)
{
	sigset_t set;
	sigemptyset(&set);
	for (int i = 0; i < 3; i++)
		if (which >> i & 1)
			sigaddset(&set, numbers[i]);
	CHECK(sigprocmask(how, &set, NULL) == 0);
}

/* In the child: 0, nothing; 1, blocks all; 2, unblocks all; 3, unblocks the second, looks, and blocks it again. */
static int child(void *argument)
{
	int before = (int)(intptr_t)argument;
	if (in_child == 1)
		change(SIG_BLOCK, 7);
	else if (in_child == 2)
		change(SIG_SETMASK, 0);
	else if (in_child == 3)
		change(SIG_UNBLOCK, 2);
	if (in_child)
		CHECK(blocked() == (in_child == 1 ? 7 : in_child == 2 ? 0 : before & ~2));
	if (in_child == 3)
		change(SIG_BLOCK, 2);
	execl(path, path, "child", NULL);
	_exit(1);
}

static int status_of(pid_t pid)
{
	int status;
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status) - 16;
}

static int by_spawn(int itself)
{
	char *arguments[] = { path, "child", NULL };
	posix_spawnattr_t attributes;
	sigset_t mask;
	pid_t pid;
	posix_spawnattr_init(&attributes);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (itself) {
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		posix_spawnattr_setsigmask(&attributes, &mask);
	}
	CHECK(posix_spawn(&pid, path, NULL, &attributes, arguments, environ) == 0);
	posix_spawnattr_destroy(&attributes);
	return status_of(pid);
}

/* The shell executes the last command itself, or starts it; it leaves the mask alone. */
static int by_shell(int kind)
{
	char text[4200];
	snprintf(text, sizeof text, "exec '%s' child", path);
	return WEXITSTATUS(kind ? pclose(popen(text, "r")) : system(text)) - 16;
}

static int by_clone(int mine, int flags)
{
	static char stack[65536] __attribute__((aligned(16)));
	return status_of(clone(child, stack + sizeof stack, flags | SIGCHLD, (void *)(intptr_t)mine));
}

/* What the new program finds blocked. */
static int start(int kind, int mine)
{
	pid_t pid;
	switch (kind) {
	case 0:
		pid = vfork();
		break;
	case 1:
		pid = fork();
		break;
	case 2:
		pid = _Fork();
		break;
	case 3:
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		break;
	case 4:
		return by_clone(mine, CLONE_VM | CLONE_VFORK);
	case 5:
		return by_clone(mine, 0);
	case 6:
	case 7:
		return by_spawn(kind == 7);
	default:
		return by_shell(kind == 9);
	}
	if (pid == 0)
		child((void *)(intptr_t)mine);
	return status_of(pid);
}

int main(int argc, char **argv)
{
	int wrong = 0;
	path = argv[0];
	if (argc > 1)
		return 16 + blocked();
	busy(50);
	for (int kind = 0; kind < 10; kind++)
		for (int mine = 0; mine < 8; mine += kind < 6 ? 1 : 7)
			for (in_child = 0; in_child < (kind < 6 ? 4 : 1); in_child++) {
				int want = in_child == 1 ? 7 : in_child == 2 ? 0 : mine | (in_child == 3) << 1, got;
				change(SIG_SETMASK, mine);
				got = start(kind, mine);
				if (got != want && ++wrong)
					fprintf(stderr, "kind %d of %d, %d: %d\n", kind, mine, in_child, got);
				if (blocked() != mine && ++wrong)
					fprintf(stderr, "kind %d of %d, %d: the parent has %d\n", kind, mine, in_child,
						blocked());
			}
	change(SIG_SETMASK, 0);
	printf("wrong %d\n", wrong);
	return 0;
}
