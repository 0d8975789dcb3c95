/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every program of ours does around a command.  Its hard case is output that does not arrive: a file that grows
 * beyond a limit, a pipe that is gone, a full disk behind standard output, a standard stream that is closed. */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* With a handler a write beyond `ulimit -f` is an error as any other, and leaves no half of a file.  To ignore the
 * signal would do too, but a recorded program would inherit that. */
static void file_is_too_large(int signal)
{
	(void)signal;
}

/* The number of a standard stream that is closed would be the next opened file's, and what is said would be written
 * into that.  What stands there instead can be neither read nor written, and programs that are started do not see it.
 */
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
	signal(SIGXFSZ, file_is_too_large);
	return command(argc, argv);
}

int pf_cli_finish(int status)
{
	if (status == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
		fprintf(stderr, "pathfdo: standard output: %s\n", strerror(errno));
		return PF_EXIT_FAILURE;
	}
	return status;
}
