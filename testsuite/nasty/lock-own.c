/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that has locked its executable, to be the only one of its kind, spawns it, forks children that execute it,
 * and executes it itself, by name and by descriptor: it has the lock all the time.  Hard because whoever closes a file
 * loses the locks of his process on it, and a recorder looks at what is executed. */
#include "nasty.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static int is_locked(const char *path)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		struct flock lock = { .l_type = F_WRLCK };
		_exit(fd < 0 || fcntl(fd, F_GETLK, &lock) != 0 ? 2 : lock.l_type != F_UNLCK);
	}
	CHECK(waitpid(pid, &status, 0) == pid && (status == 0 || status == 1 << 8));
	return status != 0;
}

static int status_of(pid_t pid)
{
	int status;
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status >> 8;
}

int main(int argc, char **argv)
{
	char *child[] = { argv[0], "child", NULL }, *again[] = { argv[0], "again", "it", NULL };
	struct flock lock = { .l_type = F_RDLCK };
	pid_t pid;
	int fd;
	if (argc == 2)
		return 7;
	if (argc == 3) {
		printf("executed: %d\n", is_locked(argv[0]));
		return 0;
	}
	fd = open(argv[0], O_RDONLY); /* which the next image has, too */
	CHECK(fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 && is_locked(argv[0]));
	for (int round = 0; round < 40; round++) {
		busy(2);
		CHECK(posix_spawn(&pid, argv[0], NULL, NULL, child, environ) == 0 && status_of(pid) == 7);
		CHECK(is_locked(argv[0]));
		pid = vfork();
		if (pid == 0) {
			execv(argv[0], child);
			_exit(1);
		}
		CHECK(status_of(pid) == 7 && is_locked(argv[0]));
	}
	CHECK(execve("/dev/null", child, environ) == -1 && execveat(fd, "", child, environ, AT_SYMLINK_FOLLOW) == -1);
	CHECK(is_locked(argv[0]));
	printf("spawned\n");
	fflush(stdout);
	fexecve(fd, again, environ);
	return 1;
}
