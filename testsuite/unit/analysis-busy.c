/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How busy a machine is, from two states of /proc/stat that were written down, and reckoned by hand. */
#include "analysis/busy.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_text(const char *text, struct pf_cpu_time *time)
{
	char path[] = "/tmp/pathfdo-busy.XXXXXX";
	int file = mkstemp(path);
	bool read;

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(dprintf(file, "%s", text), (int)strlen(text));
	close(file);
	read = pf_cpu_time_read(path, time);
	unlink(path);
	return read;
}

START_TEST(a_half)
{
	struct pf_cpu_time was, is;

	/* 200 ticks pass on two processors: 140 idle, 10 waiting, 30 user, 15 system, 5 stolen: a quarter of two. */
	ck_assert(read_text("cpu  1000 10 500 90000 300 0 20 7 40 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n", &was));
	ck_assert(read_text("cpu  1030 10 515 90140 310 0 20 12 70 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n", &is));
	ck_assert_uint_eq(was.all, 91837);
	ck_assert_uint_eq(was.idle, 90300);
	ck_assert_double_eq_tol(pf_cpu_time_busy(&was, &is, 2), 0.5, 1e-9);
	ck_assert_double_eq(pf_cpu_time_busy(&was, &was, 2), 0);
}
END_TEST

START_TEST(old_kernels)
{
	struct pf_cpu_time time;

	/* Before Linux 2.5.41 there were four columns. */
	ck_assert(read_text("cpu  1 2 3 4\n", &time));
	ck_assert_uint_eq(time.all, 10);
	ck_assert(!read_text("intr 1 2 3 4\n", &time));
	ck_assert(!read_text("", &time));
	ck_assert(!pf_cpu_time_read("/nonexistent/stat", &time));
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-busy", a_half, old_kernels);
}
