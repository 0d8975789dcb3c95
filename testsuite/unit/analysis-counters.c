/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted of a command, by software events of the kernel in the place of the processor's: page faults of a
 * thread of a child of the shell's child must be among them, one for each page. */
#include "analysis/command.h"
#include "testsuite/fakes/fake-counters.c" /* its syscall() is the one that all of this program calls */
#include "testsuite/unit/suite.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define PAGE 4096

static char self[4096];

static void *touch(void *pages)
{
	size_t size = *(size_t *)pages * PAGE;
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += PAGE)
		memory[at] = 1;
	return NULL;
}

/* What this program does as the command: touches so many pages, in a thread. */
static int be_command(size_t pages)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, touch, &pages) != 0 || pthread_join(thread, NULL) != 0;
}

static struct pf_ending run(const char *script, bool count)
{
	struct pf_command c = { .script = script,
				.folder = "/",
				.output = "/dev/null",
				.log = "/dev/null",
				.cpu = -1,
				.timeout = 60,
				.count = count };
	struct pf_ending ending;
	struct pf_error error;

	ck_assert_msg(pf_command_run(&c, &ending, &error) == PF_OK, "%s", error.text);
	ck_assert(pf_ending_good(&ending));
	return ending;
}

/* The stand-in's events are the kernel's, which forbids them too in many containers and to users of Debian. */
static bool may_count(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.size = sizeof attr,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	long fd = open_event(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		printf("skip: the kernel lets nobody count here, not even its own events\n");
	else
		close((int)fd);
	return fd >= 0;
}

static double faults_of(size_t pages)
{
	char script[5000];

	snprintf(script, sizeof script, "(\"%s\" %zu; true); true", self, pages);
	return run(script, true).counted.events[PF_COUNTER_INSTRUCTIONS];
}

START_TEST(threads_of_children_are_counted)
{
	double few, many;

	if (!may_count())
		return;
	few = faults_of(2000);
	many = faults_of(12000);
	ck_assert_msg(few >= 2000 && few < 12000, "%f", few);
	/* AddressSanitizer notes an eighth of them in pages of its own. */
	ck_assert_msg(many - few > 9900 && many - few < 10100 + 10000 / 8, "%f %f", few, many);
}
END_TEST

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The clock of a task is what the kernel adds up to user and system time, and what interrupts and other machines took
 * meanwhile: so much more may have been counted, but no more than time has passed, as one process ran at a time. */
START_TEST(all_of_the_command_is_counted)
{
	struct pf_ending e;
	double begun = seconds(), counted;

	if (!may_count())
		return;
	e = run("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done", true);
	counted = 1e-9 * e.counted.events[PF_COUNTER_CYCLES];
	ck_assert_msg(counted > 0.8 * (e.user + e.system), "%f of %f s", counted, e.user + e.system);
	ck_assert_msg(counted < seconds() - begun, "%f of %f s", counted, seconds() - begun);
	ck_assert(e.counted.events[PF_COUNTER_BRANCH_MISSES] == 0);
	ck_assert(e.counted.events[PF_COUNTER_ICACHE_MISSES] == -1);
	ck_assert(e.counted.share == 1);
}
END_TEST

START_TEST(only_what_is_asked_for_is_counted)
{
	struct pf_ending e = run("exit 0", false);

	for (int i = 0; i < PF_COUNTERS; i++)
		ck_assert(e.counted.events[i] == -1);
}
END_TEST

/* 600 in 60 of 100 nanoseconds are 1,000; what never ran has no value. */
START_TEST(counters_that_took_turns_are_scaled)
{
	struct pf_ending e;

	setenv("FAKE_COUNTERS", "600/100/60", 1);
	e = run("exit 0", true);
	for (int i = 0; i < PF_COUNTERS; i++)
		ck_assert_double_eq_tol(e.counted.events[i], 1000, 1e-9);
	ck_assert_double_eq_tol(e.counted.share, 0.6, 1e-12);
	setenv("FAKE_COUNTERS", "600/100/0", 1);
	e = run("exit 0", true);
	ck_assert(e.counted.events[PF_COUNTER_CYCLES] == -1);
	unsetenv("FAKE_COUNTERS");
}
END_TEST

START_TEST(refusals_are_explained)
{
	static const struct {
		int number;
		const char *says;
	} cases[] = {
		{ ENOENT, "no hardware counters" },       { EOPNOTSUPP, "no hardware counters" },
		{ EACCES, "kernel.perf_event_paranoid" }, { EPERM, "kernel.perf_event_paranoid" },
		{ ENOSYS, "Function not implemented" },
	};
	char text[160], setting[16];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(setting, sizeof setting, "%d", cases[i].number);
		setenv("FAKE_COUNTERS", setting, 1);
		ck_assert(run("exit 0", true).counted.events[PF_COUNTER_CYCLES] == -1);
		pf_counters_explain(text, sizeof text);
		ck_assert_msg(strstr(text, cases[i].says) != NULL, "%s", text);
	}
	setenv("FAKE_COUNTERS", "0/100/0", 1);
	pf_counters_explain(text, sizeof text);
	ck_assert_msg(strstr(text, "stand still") != NULL, "%s", text);
	unsetenv("FAKE_COUNTERS");
}
END_TEST

int main(int argc, char **argv)
{
	if (argc > 1)
		return be_command(strtoul(argv[1], NULL, 10));
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	return RUN_SUITE("analysis-counters", threads_of_children_are_counted, all_of_the_command_is_counted,
			 only_what_is_asked_for_is_counted, counters_that_took_turns_are_scaled,
			 refusals_are_explained);
}
