/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of perf script, line by line: of which file the samples are, as somebody reads it there. */
#include "converter/intake.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <unistd.h>

static struct pf_traffic traffic;
static struct pf_recording recording;

static void take(const char *text)
{
	char path[] = "/tmp/pathfdo-text.XXXXXX";
	struct pf_intake_options intake = { 0 };
	struct pf_error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_msg(pf_intake_file(&traffic, path, &intake, &recording, &error) == PF_OK, "%s", error.text);
	unlink(path);
}

/* Samples at OFFSET of the file PATH. */
static uint64_t samples(const char *path, uint64_t offset)
{
	for (size_t i = 0; i < traffic.samples.count; i++) {
		const struct pf_traffic_sample *s = &traffic.samples.at[i];

		if (s->offset == offset && strcmp(traffic.modules.at[s->module].path, path) == 0)
			return s->weight / PF_WEIGHT_ONE;
	}
	return 0;
}

static void drop_all(void)
{
	pf_traffic_fini(&traffic);
	pf_recording_fini(&recording);
}

/* A child has what its parent had mapped when it was forked, at addresses that were another program's before. */
START_TEST(fork_after_exec)
{
	take("first 100 1.000000: PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0 08:01 11 0]: r-xp /bin/first\n"
	     "server 100 10.000000: PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0 08:01 12 0]: r-xp /bin/server\n"
	     "server 100 11.000000: PERF_RECORD_FORK(101:101):(100:100)\n"
	     "server 101 12.000000: cycles: 400010\n");
	ck_assert_uint_eq(samples("/bin/first", 0x10), 0);
	ck_assert_uint_eq(samples("/bin/server", 0x10), 1);
	drop_all();
}
END_TEST

/* Two processes had the number 101, and the first of them executed a program of its own. */
START_TEST(number_used_again)
{
	take("first 100 1.000000: PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0 08:01 11 0]: r-xp /bin/first\n"
	     "first 100 2.000000: PERF_RECORD_FORK(101:101):(100:100)\n"
	     "first 101 3.000000: cycles: 400010\n"
	     "other 101 4.000000: PERF_RECORD_MMAP2 101/101: [0x400000(0x1000) @ 0 08:01 13 0]: r-xp /bin/other\n"
	     "other 101 5.000000: cycles: 400020\n"
	     "server 100 10.000000: PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0 08:01 12 0]: r-xp /bin/server\n"
	     "server 100 20.000000: PERF_RECORD_FORK(101:101):(100:100)\n"
	     "server 101 21.000000: cycles: 400030\n");
	ck_assert_uint_eq(samples("/bin/first", 0x10), 1);
	ck_assert_uint_eq(samples("/bin/other", 0x20), 1);
	ck_assert_uint_eq(samples("/bin/server", 0x30), 1);
	drop_all();
}
END_TEST

/* Without times the lines' order says what was before. */
START_TEST(fork_without_times)
{
	take("100 PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0 08:01 11 0]: r-xp /bin/first\n"
	     "100 PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0 08:01 12 0]: r-xp /bin/server\n"
	     "100 PERF_RECORD_FORK(101:101):(100:100)\n"
	     "101 cycles: 400010\n");
	ck_assert_uint_eq(samples("/bin/server", 0x10), 1);
	drop_all();
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-text", fork_after_exec, number_used_again, fork_without_times);
}
