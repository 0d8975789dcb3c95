/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See companion.h.  The hard case is who ends first.  Where the recording does, by an interrupt or as nothing is left
 * to record, the command is asked to end, as perf asks it, and what it says then is not its own word. */
#include "runtime/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: becomes the command, or writes why not to REPORT. */
static void become(char *const argv[], const sigset_t *mask, int report)
{
	int reason;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	reason = errno;
	if (write(report, &reason, sizeof reason) != sizeof reason)
		_exit(126);
	_exit(127);
}

static int fail(const char *command, int reason, struct pf_error *error)
{
	return pf_fail(error, reason == ENOENT ? PF_ENOTFOUND : PF_EIO, "%s: cannot be run beside the recording: %s",
		       command, strerror(reason));
}

int pf_companion_start(struct pf_companion *companion, char *const argv[], const sigset_t *mask, struct pf_error *error)
{
	int report[2], reason = 0;

	*companion = (struct pf_companion) { 0, -1 };
	if (pipe2(report, O_CLOEXEC) != 0)
		return fail(argv[0], errno, error);
	signal(SIGCHLD, SIG_DFL); /* ignored, as some parents leave it, its status would be lost */
	companion->pid = fork();
	if (companion->pid == 0)
		become(argv, mask, report[1]);
	reason = companion->pid < 0 ? errno : 0;
	close(report[1]);
	while (!reason && read(report[0], &reason, sizeof reason) < 0 && errno == EINTR)
		continue;
	close(report[0]);
	if (companion->pid < 0)
		companion->pid = 0;
	if (!reason) {
		companion->fd = (int)syscall(SYS_pidfd_open, companion->pid, 0);
		reason = companion->fd < 0 ? errno : 0;
	}
	if (!reason)
		return PF_OK;
	pf_companion_end(companion);
	return fail(argv[0], reason, error);
}

static bool has_ended(const struct pf_companion *companion)
{
	struct pollfd look = { .fd = companion->fd, .events = POLLIN };

	return companion->fd >= 0 && poll(&look, 1, 0) == 1;
}

int pf_companion_end(struct pf_companion *companion)
{
	bool ours = companion->pid > 0 && !has_ended(companion);
	int status = 0;

	if (ours)
		kill(companion->pid, SIGTERM);
	while (companion->pid > 0 && waitpid(companion->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (companion->fd >= 0)
		close(companion->fd);
	*companion = (struct pf_companion) { 0, -1 };
	if (ours)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
