/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pager reads from a pipe that takes the place of standard output.  The hard case is a user who quits it early:
 * writes then fail, and the signal for that would be taken for a crash, so that it is ignored and the rest is not
 * printed.  And an interrupt, which the terminal sends to both: a pager takes it for the end of a search, and would be
 * left fighting the shell for the terminal if we died of it.  And a pager that is not there: its place is taken by
 * cat. */
#include "cli/pager.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* "" for none. */
static const char *pager_command(void)
{
	const char *own = getenv("PATHFDO_PAGER"), *common = getenv("PAGER"), *terminal = getenv("TERM");

	if (own || common)
		return own ? own : common;
	/* Where it cannot move the cursor, less says so and waits. */
	return terminal && strcmp(terminal, "dumb") != 0 ? "command -v less >/dev/null || exec cat; exec less" : "";
}

static volatile pid_t running;

/* Who has no pager any more ends, as without one. */
static void interrupt(int number)
{
	siginfo_t ended = { 0 };

	if (waitid(P_PID, (id_t)running, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

pid_t pf_pager_start(bool forbidden)
{
	const char *command = pager_command();
	char line[4096];
	char *arguments[] = { (char *)"sh", (char *)"-c", line, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t child;
	bool started;

	/* The shell, which is what is waited for, outlives an interrupt; the pager does not inherit the trap. */
	if (forbidden || !isatty(STDOUT_FILENO) || !*command || strcmp(command, "cat") == 0 ||
	    snprintf(line, sizeof line, "trap : INT\n%s\n[ $? != 127 ] || exec cat", command) >= (int)sizeof line ||
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
		running = child;
		if (signal(SIGINT, interrupt) == SIG_IGN)
			signal(SIGINT, SIG_IGN);
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
