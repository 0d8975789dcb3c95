/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See launch.h.  Hard case: an interrupt from the keyboard reaches every process of the foreground group, the program
 * too, and must not be delivered to it twice; one that somebody sent to the recorder alone must be passed on.  The
 * kernel tells them apart in si_code.  And what the program, or what it started, sends to its process group reaches it
 * there: who sent it tells. */
#include "runtime/launch.h"

#include "runtime/bell.h"
#include "runtime/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_GENERATIONS 1000 /* numbers of processes are used again: no walk is for ever */

static struct sigaction pipe_action; /* that the program is to begin with */

/* What asks for an end, once the program has ended. */
static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

/* Whatever somebody may send to the recorder and mean for the program: not what stops processes, and goes to the shell
 * that started them; nor what is a mistake of the recorder's own. */
static bool is_passed_on(int signal)
{
	static const int others[] = { SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGPIPE,
				      SIGXFSZ, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS };

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (signal == others[i])
			return false;
	}
	return signal < SIGSYS || signal >= SIGRTMIN; /* between them are the C library's */
}

static bool is_ending(int signal)
{
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		if (signal == endings[i])
			return true;
	}
	return false;
}

static void held_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		if (is_passed_on(signal))
			sigaddset(set, signal);
	}
}

/* Has PATH a first line of text?  A program of another machine has not, and is nothing for a shell to try. */
static bool is_text(const char *path)
{
	char head[128];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd >= 0 ? read(fd, head, sizeof head) : 0;
	const char *end = size > 0 ? memchr(head, '\n', (size_t)size) : NULL;

	if (fd >= 0)
		close(fd);
	return size <= 0 || !memchr(head, 0, end ? (size_t)(end - head) : (size_t)size);
}

/* In the child: waits for the word, then becomes the program.  Never returns. */
static void become(const struct pf_launch *launch, int go, int report, const char *path, char *const argv[],
		   char *const environment[])
{
	char word;
	int reason;

	if (read(go, &word, 1) != 1)
		_exit(127);
	sigaction(SIGCHLD, &launch->child_action, NULL);
	sigaction(SIGPIPE, &pipe_action, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	execve(path, argv, environment);
	reason = errno;
	if (reason == ENOEXEC && is_text(path)) {
		/* A script without #! is the shell's, as execvp and env have it. */
		size_t count = 0;
		char **shell;

		while (argv[count])
			count++;
		shell = calloc(count + 2, sizeof *shell);
		if (shell) {
			shell[0] = "/bin/sh";
			shell[1] = (char *)path;
			memcpy(shell + 2, argv + 1, count * sizeof *shell);
			execve(shell[0], shell, environment);
		}
	}
	if (write(report, &reason, sizeof reason) != sizeof reason)
		_exit(126);
	_exit(127);
}

static void drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void pf_launch_ignore_pipes(void)
{
	static const struct sigaction ignored = { .sa_handler = SIG_IGN };
	static bool done;

	if (!done)
		sigaction(SIGPIPE, &ignored, &pipe_action);
	done = true;
}

int pf_launch_init(struct pf_launch *launch, struct pf_error *error)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t held;

	*launch = (struct pf_launch) { .go = -1, .failed_exec = -1 };
	held_signals(&held);
	launch->signals = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
	if (launch->signals < 0)
		return pf_fail(error, PF_EIO, "cannot receive signals: %s", strerror(errno));
	/* With SIGCHLD ignored, as some parents leave it, the end of the program would go unnoticed. */
	sigaction(SIGCHLD, &plain, &launch->child_action);
	pf_launch_ignore_pipes();
	sigprocmask(SIG_BLOCK, &held, &launch->mask);
	return PF_OK;
}

int pf_launch_start(struct pf_launch *launch, const char *path, char *const argv[], char *const environment[],
		    struct pf_error *error)
{
	int go[2], report[2];

	if (pipe2(go, O_CLOEXEC) != 0)
		return pf_fail(error, PF_EIO, "%s: cannot start a process: %s", path, strerror(errno));
	launch->go = go[1];
	if (pipe2(report, O_CLOEXEC) != 0) {
		close(go[0]);
		return pf_fail(error, PF_EIO, "%s: cannot start a process: %s", path, strerror(errno));
	}
	launch->failed_exec = report[0];
	launch->pid = fork();
	if (launch->pid == 0) {
		close(go[1]);
		become(launch, go[0], report[1], path, argv, environment);
	}
	close(go[0]);
	close(report[1]);
	if (launch->pid > 0)
		return PF_OK;
	launch->pid = 0;
	return pf_fail(error, PF_EIO, "%s: cannot start a process: %s", path, strerror(errno));
}

int pf_launch_release(struct pf_launch *launch, struct pf_error *error)
{
	int reason = 0;
	ssize_t got;

	if (write(launch->go, "", 1) != 1)
		reason = errno;
	drop(&launch->go);
	do
		got = read(launch->failed_exec, &reason, sizeof reason);
	while (got < 0 && errno == EINTR);
	drop(&launch->failed_exec);
	if (reason == 0)
		return PF_OK;
	pf_launch_wait(launch, -1);
	return pf_fail(error, reason == ENOENT ? PF_ENOTFOUND : PF_EIO, "cannot run the program: %s", strerror(reason));
}

/* Whether process PID is the program, or of those that it started. */
static bool is_within(const struct pf_launch *launch, pid_t pid)
{
	int generations = 0;

	while (pid > 1 && pid != launch->pid && generations++ < MOST_GENERATIONS)
		pid = pf_procfs_parent(pid);
	return pid > 1 && pid == launch->pid;
}

static void pass_on(const struct pf_launch *launch, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;

	/* SI_KERNEL: typed at the terminal, so the program has it already. */
	if (info->ssi_code == SI_KERNEL || is_within(launch, (pid_t)info->ssi_pid))
		return;
	if (info->ssi_code == SI_QUEUE)
		sigqueue(launch->pid, signal, (union sigval) { .sival_ptr = (void *)(uintptr_t)info->ssi_ptr });
	else
		kill(launch->pid, signal);
}

void pf_launch_attend(struct pf_launch *launch)
{
	struct signalfd_siginfo info;

	while (read(launch->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo != SIGCHLD && !launch->ended)
			pass_on(launch, &info);
	}
	if (!launch->ended && waitpid(launch->pid, &launch->wait_status, WNOHANG) == launch->pid)
		launch->ended = true;
}

bool pf_launch_wait(struct pf_launch *launch, int timeout_ms)
{
	struct pollfd wait = { .fd = launch->signals, .events = POLLIN };
	int ready = 1;

	for (;;) {
		pf_launch_attend(launch);
		if (launch->ended || ready == 0)
			return launch->ended;
		ready = poll(&wait, 1, timeout_ms);
	}
}

bool pf_launch_linger(struct pf_launch *launch, int timeout_ms)
{
	struct pollfd wait = { .fd = launch->signals, .events = POLLIN };
	struct signalfd_siginfo info;
	bool asked = false;

	poll(&wait, 1, timeout_ms);
	while (read(launch->signals, &info, sizeof info) == (ssize_t)sizeof info)
		asked |= is_ending((int)info.ssi_signo) && (info.ssi_signo != SIGHUP || !pf_bell_ignores_hangup());
	return asked;
}

void pf_launch_fini(struct pf_launch *launch)
{
	drop(&launch->go);
	drop(&launch->failed_exec);
	if (launch->pid > 0 && !launch->ended) {
		kill(launch->pid, SIGKILL);
		waitpid(launch->pid, &launch->wait_status, 0);
	}
	/* Signals that came after the program's end have nobody to go to, and must not kill us once they are let in. */
	launch->ended = true;
	if (launch->signals >= 0)
		pf_launch_attend(launch);
	drop(&launch->signals);
	sigaction(SIGCHLD, &launch->child_action, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	launch->pid = 0;
}
