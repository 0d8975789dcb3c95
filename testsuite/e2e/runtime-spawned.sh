#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# However a program starts another, that is recorded; and one into which the recorder cannot be loaded starts without it.
# pidfd_spawn and pidfd_spawnp are glibc's since 2.39; before, a library of the program's stands in for them.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
#include <stdio.h>

int main(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 100000000; i++)
		sum += i & 3 ? i : 1;
	return puts("works") < 0;
}
END
cat >stand-in.c <<'END'
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPAWN(name)                                                                                                    \
	int name(int *fd, const char *path, const posix_spawn_file_actions_t *actions,                                 \
		 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])              \
	{                                                                                                              \
		pid_t pid = vfork();                                                                                   \
		(void)actions, (void)attributes;                                                                       \
		if (pid == 0) {                                                                                        \
			syscall(SYS_execve, path, arguments, environment);                                             \
			_exit(127);                                                                                    \
		}                                                                                                      \
		*fd = (int)syscall(SYS_pidfd_open, pid, 0);                                                            \
		return *fd < 0;                                                                                        \
	}
SPAWN(pidfd_spawn)
SPAWN(pidfd_spawnp)
END
cat >starts.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int pidfd_spawn(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
		char *const[]);
int pidfd_spawnp(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
		 char *const[]);
int posix_spawn_old(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
		    char *const[]);
__asm__(".symver posix_spawn_old, posix_spawn@GLIBC_2.2.5");

static char *list[2];

static int execute(void *unused)
{
	execve(*list, list, environ);
	return unused ? 0 : 127;
}

static int by_clone(void)
{
	static char stack[65536];

	return clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
}

static int wait_for(pid_t pid)
{
	int status = 1;

	return waitpid(pid, &status, 0) == pid ? status : 1;
}

static int by_descriptor(int fd)
{
	siginfo_t end = { 0 };

	return waitid(P_PIDFD, (id_t)fd, &end, WEXITED) || end.si_status;
}

static int as(const char *way)
{
	posix_spawn_file_actions_t closing;
	pid_t pid = -1;
	int fd;

	posix_spawn_file_actions_init(&closing);
	posix_spawn_file_actions_addclosefrom_np(&closing, 3);
	if (strcmp(way, "system") == 0)
		return system(*list);
	if (strcmp(way, "pidfd_spawn") == 0)
		return pidfd_spawn(&fd, *list, NULL, NULL, list, environ) || by_descriptor(fd);
	if (strcmp(way, "pidfd_spawnp") == 0)
		return pidfd_spawnp(&fd, *list, NULL, NULL, list, environ) || by_descriptor(fd);
	if (strcmp(way, "old") == 0)
		return posix_spawn_old(&pid, *list, NULL, NULL, list, environ) || wait_for(pid);
	if (strcmp(way, "closefrom") == 0)
		return posix_spawn(&pid, *list, &closing, NULL, list, environ) || wait_for(pid);
	if (strcmp(way, "clone") == 0)
		return wait_for(by_clone());
	pid = strcmp(way, "vfork") == 0 ? vfork() : fork();
	if (pid > 0)
		return wait_for(pid);
	if (strcmp(way, "close_range") == 0)
		close_range(3, ~0u, 0);
	if (strcmp(way, "execveat") == 0)
		execveat(AT_FDCWD, *list, list, environ, 0);
	else if (strcmp(way, "fexecve") == 0)
		fexecve(open(*list, O_RDONLY | O_CLOEXEC), list, environ);
	else
		execute(NULL);
	_exit(127);
}

int main(int argc, char **argv)
{
	list[0] = argv[argc - 1];
	return as(argv[1]) != 0;
}
END
$CC -O1 -g work.c -o work
$CC -O1 -shared -fPIC -w stand-in.c -o stand-in.so
$CC -O1 -g starts.c -o starts 2>/dev/null || $CC -O1 -g starts.c ./stand-in.so -o starts
ways="vfork clone close_range execveat fexecve system closefrom old pidfd_spawn pidfd_spawnp"
for way in $ways; do
	"$PATHFDO" record --source=soft -o data -- ./starts "$way" ./work >said 2>&1 || fail "$way: $(cat said)"
	"$PATHFDO" convert -b work data -o p.pfdo >converted 2>&1 || fail "$way: $(cat converted)"
	share=$(sed -n 's|^ *[^ ]*/work: \([0-9.]*\)% of all.*|\1|p' converted)
	check_within "$way: share of what was started" "${share:-0}" 90 100
done

# A run-time library that is not the first ends its program.
$CC -O1 -fsanitize=address -o sanitized work.c 2>/dev/null && ./sanitized >plain 2>&1 || skip "no sanitizer for the rest"
for way in ${ways/system /}; do
	"$PATHFDO" record --source=soft -o data -- ./starts "$way" ./sanitized >said 2>&1 || true
	grep -q '^works$' said || fail "$way: a sanitized program: $(cat said)"
done
