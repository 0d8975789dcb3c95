/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every program of ours does around a command.  Its hard cases: output that does not arrive, as in a file that
 * grows beyond a limit, a pipe that is gone, a full disk behind standard output; and standard streams that are closed,
 * as some that start daemons leave them. */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With a handler a write beyond `ulimit -f` is an error as any other, and leaves no half of a file.  To ignore the
 * signal would do too, but a recorded program would inherit that. */
static void file_is_too_large(int signal)
{
	(void)signal;
}

/* The number of a standard stream that is closed would be the next opened file's, and what we and the programs that we
 * start say would be written into that.  What stands there instead can be neither read nor written, and is closed again
 * in those programs. */
static void hold_closed_streams(void)
{
	for (int stream = 0; stream <= 2; stream++) {
		if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
			open("/", O_PATH | O_CLOEXEC);
	}
}

int pf_cli_run(const char *name, int (*command)(int argc, char **argv), int argc, char **argv)
{
	char own[32];

	hold_closed_streams();
	snprintf(own, sizeof own, "%s", name);
	argv[0] = own;
	if (signal(SIGXFSZ, file_is_too_large) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	return command(argc, argv);
}

int pf_cli_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "pathfdo: standard output: %s\n", strerror(errno));
	return status ? status : PF_EXIT_FAILURE;
}
