/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that gives up its access to all files but the system's and its own folder, and then starts others there, by
 * exec, vfork and posix_spawn, which say nothing but what they would.  Hard because the file of a preloaded library can
 * be looked up still, but no more be opened, of which the loader complains. */
#include "nasty.h"

#include <errno.h>
#include <limits.h>
#include <linux/landlock.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

static void allow(int rules, const char *path)
{
	struct landlock_path_beneath_attr beneath = { LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
							  LANDLOCK_ACCESS_FS_READ_DIR,
						      open(path, O_PATH | O_CLOEXEC) };
	if (beneath.parent_fd < 0)
		return;
	CHECK(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0);
	close(beneath.parent_fd);
}

static void give_up(char *path)
{
	struct landlock_ruleset_attr all = { LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
					     LANDLOCK_ACCESS_FS_READ_DIR };
	static const char *const system[] = { "/usr", "/lib", "/lib64", "/etc", "/proc", "/dev" };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
	if (rules < 0)
		nasty_skip("no Landlock here");
	for (unsigned int i = 0; i < sizeof system / sizeof *system; i++)
		allow(rules, system[i]);
	*strrchr(path, '/') = 0;
	allow(rules, path);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(syscall(SYS_landlock_restrict_self, rules, 0) == 0);
	close(rules);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX], *arguments[] = { argv[0], "child", NULL }, *list[] = { "ls", "-d", "/usr", NULL };
	if (argc > 1) {
		busy(5);
		return 21;
	}
	busy(60);
	CHECK(realpath(argv[0], path));
	give_up(path);
	for (int i = 0; i < 8; i++) {
		int status;
		pid_t pid;
		if (i % 4 == 3)
			CHECK(posix_spawn(&pid, "/bin/ls", NULL, NULL, list, environ) == 0);
		else if ((pid = i % 2 ? vfork() : fork()) == 0) {
			execv(argv[0], arguments);
			_exit(1);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("%d: %x\n", i, (unsigned int)status);
		fflush(stdout);
		busy(20);
	}
	return 0;
}
