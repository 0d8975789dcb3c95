/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pager reads from a pipe that takes the place of standard output.  The hard case is a user who quits it early:
 * writes then fail, and the signal for that would be taken for a crash, so that it is ignored and the rest is not
 * printed. */
#include "cli/pager.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *pager_command(void)
{
	const char *own = getenv("PATHFDO_PAGER"), *common = getenv("PAGER");

	return own ? own : common ? common : "less";
}

pid_t pf_pager_start(bool forbidden)
{
	char *arguments[] = { (char *)"sh", (char *)"-c", (char *)pager_command(), NULL };
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t child;
	bool started;

	if (forbidden || !isatty(STDOUT_FILENO) || !*arguments[2] || strcmp(arguments[2], "cat") == 0 ||
	    pipe(ends) != 0)
		return 0;
	setenv("LESS", "FRX", 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	started = posix_spawnp(&child, "sh", &actions, NULL, arguments, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	if (started) {
		fflush(stdout);
		dup2(ends[1], STDOUT_FILENO);
		signal(SIGPIPE, SIG_IGN);
	}
	close(ends[1]);
	return started ? child : 0;
}

void pf_pager_wait(pid_t pager)
{
	int status, nothing;

	if (!pager)
		return;
	fflush(stdout);
	clearerr(stdout);
	nothing = dup(STDERR_FILENO);
	dup2(nothing, STDOUT_FILENO);
	close(nothing);
	waitpid(pager, &status, 0);
}
