/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See command.h.  Between this process and the shell stands a warden: it adopts what the command leaves behind, ends
 * all of it when told to, and when this process is gone.  The hard case is a kill -9 of this process: the kernel tells
 * the warden.  What the command cost is what the warden has waited for. */
#include "analysis/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the warden tells, in memory that it shares with its parent. */
struct report {
	int status; /* of the shell */
	struct pf_counter_sums counted;
};

#define CANNOT_START 125  /* the warden's own status */
#define LONGEST_TAIL 1100 /* bytes of a log: room for the few lines with which a compiler says what is wrong */

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t dismissed; /* in the warden: end everything */

static void on_interrupt(int signal)
{
	interrupted = signal;
}

static void on_dismissal(int signal)
{
	(void)signal;
	dismissed = 1;
}

void pf_command_attend(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_interrupt }, before;

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		/* nohup means it. */
		if (signals[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
	}
}

int pf_command_interrupted(void)
{
	return interrupted;
}

/* --- in the warden and below it -------------------------------------------------------------------------------- */

static bool redirect(int fd, const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC, 0666);

	return file >= 0 && dup2(file, fd) >= 0;
}

static bool set_up(const struct pf_command *c)
{
	cpu_set_t set;

	if (!redirect(STDIN_FILENO, "/dev/null", O_RDONLY) ||
	    !redirect(STDERR_FILENO, c->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND))
		return false;
	if (c->output ? !redirect(STDOUT_FILENO, c->output, O_WRONLY | O_CREAT | O_TRUNC)
		      : dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return false;
	for (const char *const *e = c->environment; e && *e; e++)
		putenv((char *)*e);
	CPU_ZERO(&set);
	if (c->cpu >= 0) {
		CPU_SET((size_t)c->cpu, &set);
		if (sched_setaffinity(0, sizeof set, &set) != 0)
			return false;
	}
	return chdir(c->folder) == 0;
}

static void become_shell(const struct pf_command *c, const sigset_t *mask)
{
	static const int defaults[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE, SIGQUIT };
	size_t count = 0;
	const char **argv;

	for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
		signal(defaults[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	while (c->arguments && c->arguments[count])
		count++;
	argv = calloc(count + 5, sizeof *argv);
	if (!argv)
		_exit(CANNOT_START);
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = c->script;
	argv[3] = "sh";
	for (size_t i = 0; i < count; i++)
		argv[4 + i] = c->arguments[i];
	execv("/bin/sh", (char *const *)argv);
	_exit(CANNOT_START);
}

/* The processes that have this one as their parent, adopted ones too. */
static void kill_children(void)
{
	char path[64];
	FILE *list;
	int pid;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	list = fopen(path, "re");
	while (list && fscanf(list, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (list)
		fclose(list);
}

/* Ends all that is left; what a killed process leaves behind is adopted, and killed in the next round. */
static void sweep(pid_t group)
{
	kill(-group, SIGKILL);
	do
		kill_children();
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

static void stand_warden(const struct pf_command *c, pid_t parent, struct report *report, const sigset_t *mask)
{
	struct pf_counters counters;
	struct sigaction action = { .sa_handler = on_dismissal };
	sigset_t block, waiting;
	pid_t shell, ended;

	/* Held but while it waits, so that a dismissal cannot come in between the look and the wait. */
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGCHLD, &(struct sigaction) { .sa_handler = on_interrupt }, NULL);
	sigprocmask(SIG_SETMASK, NULL, &waiting);
	sigdelset(&waiting, SIGTERM);
	sigdelset(&waiting, SIGCHLD);
	setpgid(0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || !set_up(c))
		_exit(CANNOT_START);
	if (c->count)
		pf_counters_open(&counters);
	shell = fork();
	if (shell == 0) {
		setpgid(0, 0);
		become_shell(c, mask);
	}
	if (shell < 0)
		_exit(CANNOT_START);
	setpgid(shell, shell);
	while (!dismissed) {
		while ((ended = waitpid(-1, &report->status, WNOHANG)) > 0 && ended != shell)
			;
		if (ended == shell)
			break;
		sigsuspend(&waiting);
	}
	sweep(shell);
	if (c->count)
		report->counted = pf_counters_read(&counters);
	_exit(0);
}

/* --- in this process --------------------------------------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for the end of the pipe that the warden alone holds open.  False when the time is over or a signal has come. */
static bool wait_for_end(int pipe, double deadline)
{
	struct pollfd wait = { .fd = pipe, .events = POLLIN };

	for (;;) {
		double left = deadline - now();
		struct timespec time = { .tv_sec = (time_t)left, .tv_nsec = 0 };
		sigset_t open;

		if (left <= 0 || interrupted)
			return false;
		time.tv_nsec = (long)((left - (double)time.tv_sec) * 1e9);
		sigprocmask(SIG_SETMASK, NULL, &open);
		sigdelset(&open, SIGINT);
		sigdelset(&open, SIGTERM);
		sigdelset(&open, SIGHUP);
		if (ppoll(&wait, 1, &time, &open) > 0)
			return true;
	}
}

/* Holds the signals that wait_for_end lets in. */
static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, before);
}

static void take_down(const struct rusage *usage, struct pf_ending *o)
{
	o->user = (double)usage->ru_utime.tv_sec + 1e-6 * (double)usage->ru_utime.tv_usec;
	o->system = (double)usage->ru_stime.tv_sec + 1e-6 * (double)usage->ru_stime.tv_usec;
	o->peak_kb = (uint64_t)usage->ru_maxrss;
}

/* REPORT is memory shared with the warden; PIPE is closed to show its end. */
static int run(const struct pf_command *c, struct report *report, int pipe[2], const sigset_t *mask,
	       struct pf_ending *o, struct pf_error *error)
{
	struct rusage usage = { 0 };
	double start = now();
	pid_t parent = getpid(), warden = fork();
	int end = 0;

	if (warden == 0)
		stand_warden(c, parent, report, mask);
	close(pipe[1]);
	pipe[1] = -1;
	if (warden < 0)
		return pf_fail(error, PF_EIO, "cannot start a process: %s", strerror(errno));
	if (!wait_for_end(pipe[0], start + c->timeout)) {
		o->timed_out = !interrupted;
		kill(warden, SIGTERM);
	}
	while (wait4(warden, &end, 0, &usage) < 0 && errno == EINTR)
		;
	o->wall = now() - start;
	o->status = report->status;
	o->counted = report->counted;
	take_down(&usage, o);
	if (interrupted)
		return pf_fail(error, PF_EIO, "interrupted");
	if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
		return pf_fail(error, PF_EIO, "cannot start '%s' in %s", c->script, c->folder);
	return PF_OK;
}

int pf_command_run(const struct pf_command *command, struct pf_ending *ending, struct pf_error *error)
{
	int ends[2], result = PF_EIO;
	sigset_t mask;
	struct report *report;

	*ending = (struct pf_ending) { .counted = pf_counter_sums_none() };
	if (interrupted)
		return pf_fail(error, PF_EIO, "interrupted");
	report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (report == MAP_FAILED)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	report->counted = pf_counter_sums_none();
	if (pipe2(ends, O_CLOEXEC) == 0) {
		hold_signals(&mask);
		result = run(command, report, ends, &mask, ending, error);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		close(ends[0]);
	} else {
		pf_fail(error, PF_EIO, "cannot start a process: %s", strerror(errno));
	}
	munmap(report, sizeof *report);
	return result;
}

bool pf_ending_good(const struct pf_ending *o)
{
	return !o->timed_out && WIFEXITED(o->status) && WEXITSTATUS(o->status) == 0;
}

/* The last lines of the file, at most SIZE - 1 bytes, in one line with " / " in between; "" if there are none. */
static void last_lines(const char *path, char *text, size_t size)
{
	char tail[LONGEST_TAIL], *line, *rest = tail;
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t got = 0, at = 0;
	bool cut = false;

	*text = '\0';
	if (!file)
		return;
	cut = fseek(file, -(long)(sizeof tail - 1), SEEK_END) == 0;
	got = fread(tail, 1, sizeof tail - 1, file);
	fclose(file);
	tail[got] = '\0';
	if (cut) /* not from within a line, if there is another */
		rest = strchr(tail, '\n') && strchr(tail, '\n')[1] ? strchr(tail, '\n') + 1 : tail;
	while (at < size && (line = strsep(&rest, "\n"))) {
		if (*line)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " / " : "", line);
	}
}

void pf_ending_describe(const struct pf_ending *o, double timeout, const char *log, char *text, unsigned size)
{
	char how[120], lines[2 * LONGEST_TAIL];

	if (o->timed_out)
		snprintf(how, sizeof how, "did not end in %.0f seconds (--timeout)", timeout);
	else if (WIFSIGNALED(o->status))
		snprintf(how, sizeof how, "was ended by signal %d (%s)", WTERMSIG(o->status),
			 strsignal(WTERMSIG(o->status)));
	else
		snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(o->status));
	last_lines(log, lines, sizeof lines);
	snprintf(text, size, *lines ? "%s: %s" : "%s", how, lines);
}
