/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands: what they cost, how they end, and that nothing of them is left. */
#include "analysis/command.h"
#include "analysis/tree.h"
#include "testsuite/unit/suite.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/pathfdo-command.XXXXXX";
static char output[PATH_MAX], log_file[PATH_MAX];

static void set_up(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(output, sizeof output, "%s/output", folder);
	snprintf(log_file, sizeof log_file, "%s/log", folder);
}

static void tear_down(void)
{
	pf_tree_remove(folder, NULL);
}

static struct pf_command command_of(const char *script)
{
	return (struct pf_command) {
		.script = script, .folder = folder, .output = output, .log = log_file, .cpu = -1, .timeout = 20
	};
}

static struct pf_ending run(const char *script)
{
	struct pf_command c = command_of(script);
	struct pf_ending ending;
	struct pf_error error;

	ck_assert_int_eq(pf_command_run(&c, &ending, &error), PF_OK);
	return ending;
}

/* All of FILE. */
static const char *contents(const char *file)
{
	static char text[1000];
	FILE *stream = fopen(file, "r");
	size_t size;

	ck_assert_ptr_nonnull(stream);
	size = fread(text, 1, sizeof text - 1, stream);
	fclose(stream);
	text[size] = '\0';
	return text;
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec) { .tv_nsec = ms * 1000000 }, NULL);
}

/* Whether PID is gone within a second. */
static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 100; i++) {
		if (kill(pid, 0) != 0 && errno == ESRCH)
			return true;
		pause_ms(10);
	}
	return false;
}

START_TEST(endings)
{
	char text[600];
	struct pf_ending e = run("exit 0");

	ck_assert(pf_ending_good(&e));
	e = run("echo first >&2; echo last >&2; exit 3");
	ck_assert(!pf_ending_good(&e));
	pf_ending_describe(&e, 20, log_file, text, sizeof text);
	ck_assert_str_eq(text, "ended with status 3: first / last");
	e = run("kill -SEGV $$");
	pf_ending_describe(&e, 20, log_file, text, sizeof text);
	ck_assert_str_eq(text, "was ended by signal 11 (Segmentation fault)");
	e = run("no-such-command");
	ck_assert_int_eq(WEXITSTATUS(e.status), 127);
}
END_TEST

START_TEST(long_logs)
{
	struct pf_ending e =
	    run("i=0; while [ $i -lt 200 ]; do echo \"line $i of many\" >&2; i=$((i + 1)); done; exit 1");
	char text[PF_ENDING_TEXT], small[20];

	pf_ending_describe(&e, 20, log_file, text, sizeof text);
	/* From the start of a line to the end of the last one. */
	ck_assert_int_eq(strncmp(text, "ended with status 1: line 1", 27), 0);
	ck_assert_str_eq(text + strlen(text) - 16, "line 199 of many");
	pf_ending_describe(&e, 20, log_file, small, sizeof small);
	ck_assert_str_eq(small, "ended with status 1");
}
END_TEST

START_TEST(surroundings)
{
	static const char *const arguments[] = { "one two", "$x", NULL };
	static const char *const environment[] = { "COMMAND_A=a b", "COMMAND_GONE", NULL };
	struct pf_command c = command_of("pwd; echo \"$1|$2|$COMMAND_A|${COMMAND_GONE-unset}\"; cat; "
					 "grep Cpus_allowed_list /proc/self/status | tr -d '\\t'; echo to the log >&2");
	struct pf_ending e;
	struct pf_error error;
	char want[PATH_MAX + 100];

	setenv("COMMAND_GONE", "yes", 1);
	c.arguments = arguments;
	c.environment = environment;
	c.cpu = 0;
	ck_assert_int_eq(pf_command_run(&c, &e, &error), PF_OK);
	snprintf(want, sizeof want, "%s\none two|$x|a b|unset\nCpus_allowed_list:0\n", folder);
	ck_assert_str_eq(contents(output), want);
	ck_assert_str_eq(contents(log_file), "to the log\n");
	c = command_of("echo here; echo there >&2");
	c.output = NULL;
	ck_assert_int_eq(pf_command_run(&c, &e, &error), PF_OK);
	ck_assert_str_eq(contents(log_file), "here\nthere\n");
}
END_TEST

START_TEST(cannot_start)
{
	struct pf_command c = command_of("true");
	struct pf_ending e;
	struct pf_error error;

	c.folder = "/nowhere";
	ck_assert_int_eq(pf_command_run(&c, &e, &error), PF_EIO);
	ck_assert_ptr_nonnull(strstr(error.text, "cannot start 'true' in /nowhere"));
}
END_TEST

/* User time is that of the grandchildren, too; waiting costs none. */
START_TEST(cost)
{
	struct pf_ending e = run("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' & wait");
	struct pf_ending idle = run("sleep 0.3");

	ck_assert_double_gt(e.user, 0.02);
	ck_assert_double_le(e.user + e.system, e.wall * 2 + 0.1);
	ck_assert_double_lt(idle.user, 0.1);
	ck_assert_double_ge(idle.wall, 0.3);
	ck_assert_uint_gt(e.peak_kb, 500);
}
END_TEST

START_TEST(time_is_over)
{
	struct pf_command c = command_of("sleep 50 & echo $!; setsid sleep 50 & echo $!; sleep 50");
	struct pf_ending e;
	struct pf_error error;
	char text[100];
	int one, other, printed = 0;

	/* On a busy machine its time may be over before it has printed anything. */
	for (c.timeout = 0.4; printed != 2 && c.timeout < 30; c.timeout *= 2) {
		ck_assert_int_eq(pf_command_run(&c, &e, &error), PF_OK);
		ck_assert(e.timed_out && !pf_ending_good(&e));
		ck_assert_double_lt(e.wall, 50);
		printed = sscanf(contents(output), "%d %d", &one, &other);
	}
	ck_assert_int_eq(printed, 2);
	ck_assert(is_gone(one) && is_gone(other));
	pf_ending_describe(&e, 7, NULL, text, sizeof text);
	ck_assert_str_eq(text, "did not end in 7 seconds (--timeout)");
}
END_TEST

/* What a command leaves in the background is ended with it, in whatever session. */
START_TEST(nothing_stays)
{
	struct pf_ending e = run("(setsid sleep 50 & echo $! >pid); cat pid");
	int pid;

	ck_assert(pf_ending_good(&e));
	ck_assert_int_eq(sscanf(contents(output), "%d", &pid), 1);
	ck_assert(is_gone(pid));
}
END_TEST

/* In a child: runs a command that writes its process id and sleeps; exits with 0 if the run says that it was
 * interrupted, and no other is started. */
static void be_interrupted(void)
{
	struct pf_command c = command_of("echo $$; exec sleep 50");
	struct pf_ending e;
	struct pf_error error;
	int status;

	pf_command_attend();
	status = pf_command_run(&c, &e, &error);
	if (status != PF_EIO || !pf_command_interrupted() || strcmp(error.text, "interrupted") != 0)
		_exit(1);
	_exit(pf_command_run(&c, &e, &error) == PF_EIO && strcmp(error.text, "interrupted") == 0 ? 0 : 2);
}

/* Interrupted by SIGNAL: the command is gone; the status of the process that ran it. */
static int interrupt(int signal)
{
	pid_t child = fork();
	int pid = 0, status = -1;
	FILE *file;

	if (child == 0)
		be_interrupted();
	for (int i = 0; pid == 0 && i < 500; i++) {
		pause_ms(10);
		file = fopen(output, "r");
		if (file && fscanf(file, "%d", &pid) != 1)
			pid = 0;
		if (file)
			fclose(file);
	}
	ck_assert_int_ne(pid, 0);
	ck_assert_int_eq(kill(pid, 0), 0);
	kill(child, signal);
	waitpid(child, &status, 0);
	ck_assert(is_gone(pid));
	unlink(output);
	return status;
}

START_TEST(interruptions)
{
	ck_assert_int_eq(interrupt(SIGINT), 0);
	ck_assert_int_eq(interrupt(SIGTERM), 0);
	ck_assert_int_eq(interrupt(SIGKILL), SIGKILL);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("analysis-command");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, endings);
	tcase_add_test(cases, long_logs);
	tcase_add_test(cases, surroundings);
	tcase_add_test(cases, cannot_start);
	tcase_add_test(cases, cost);
	tcase_add_test(cases, time_is_over);
	tcase_add_test(cases, nothing_stays);
	tcase_add_test(cases, interruptions);
	return run_case("analysis-command", cases);
}
