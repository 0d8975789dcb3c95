/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which missing counts are a loss: a compiler's log, a folder of counts and the units of a program against what must
 * come of them.  The logs are GCC 12's own words. */
#include "analysis/gcda.h"
#include "analysis/tree.h"
#include "testsuite/unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pathfdo-gcda.XXXXXX";
static struct pf_plan plan;
static struct pf_contest contest;
static struct pf_unit units[] = { { (char *)"src/main.c", (char *)"GNU C17 12.2.0 -O2" },
				  { (char *)"tool.f90", (char *)"GNU Fortran2008 12.2.0 -O2" } };
static const struct pf_inspection program = { .units = units, .count = 2 };

static void write_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void set_up(void)
{
	char path[PATH_MAX];

	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	plan = (struct pf_plan) { .work = folder };
	contest = (struct pf_contest) { .plan = &plan, .in_place = -1 };
	snprintf(path, sizeof path, "%s/logs", folder);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	snprintf(path, sizeof path, "%s/counts", folder);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

static void tear_down(void)
{
	pf_tree_remove(folder, NULL);
}

/* The compiler reads the counts of OBJECT, if any, and says LOG: the sentence that comes of it. */
static const char *check(const char *object, const char *log)
{
	char path[PATH_MAX], byte;
	uint64_t digest;
	struct pf_error error;

	ck_assert_int_eq(pf_gcda_prepare(&contest, &digest, &error), PF_OK);
	if (object) {
		int fd;

		snprintf(path, sizeof path, "%s/counts/%s", folder, object);
		fd = open(path, O_RDONLY);
		ck_assert_int_eq(read(fd, &byte, 1), 1);
		close(fd);
	}
	write_file("logs/build-instr", log);
	contest.entries[PF_VARIANT_INSTR].error[0] = '\0';
	pf_gcda_check(&contest, &program);
	return contest.entries[PF_VARIANT_INSTR].error;
}

#define MISSING " profile count data file not found [-Wmissing-profile]\n"

START_TEST(losses)
{
	write_file("counts/#b#main.gcda", "x");
	ck_assert_str_eq(check("#b#main.gcda", ""), "");
	ck_assert_str_eq(check("#b#main.gcda", "gcc -c src/main.c\nsrc/main.c:9:1: warning: unused [-Wunused]\n"), "");
	/* Of another program of the build. */
	ck_assert_str_eq(check("#b#main.gcda", "other.c:3:1: warning: '/c/#b#other.gcda'" MISSING), "");
	/* Compiled twice. */
	ck_assert_str_eq(check("#b#main.gcda", "src/main.c:3:1: warning: '/c/#b#.libs#main.gcda'" MISSING), "");
	/* Linked at once, under another name. */
	ck_assert_ptr_nonnull(
	    strstr(check("#b#main.gcda", "src/main.c:3:1: warning: '/c/#b#out.7-main.gcda'" MISSING),
		   "found no counts (.gcda) for 1 of the program's sources (src/main.c, for example)"));
	ck_assert_ptr_nonnull(
	    strstr(check("#b#main.gcda", "Warning: \xe2\x80\x98/c/#b#tool.gcda\xe2\x80\x99" MISSING), "tool.f90"));
	/* The object's own name, where the source has another. */
	ck_assert_str_eq(check("#b#main.gcda", "domain.c:3:1: warning: '/c/#b#domain.gcda'" MISSING), "");
	ck_assert_str_ne(check("#b#main.gcda", "gen.h:3:1: warning: '/c/#b#x-main.gcda'" MISSING), "");
}
END_TEST

/* Mounted noatime nothing shows that a file was read. */
static bool reading_shows(void)
{
	struct stat before, after;
	char path[PATH_MAX], byte;
	int fd;

	snprintf(path, sizeof path, "%s/probe", folder);
	write_file("probe", "x");
	utimensat(AT_FDCWD, path, (const struct timespec[2]) { { 0 }, { 0, UTIME_OMIT } }, 0);
	ck_assert_int_eq(stat(path, &before), 0);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(read(fd, &byte, 1), 1);
	close(fd);
	ck_assert_int_eq(stat(path, &after), 0);
	return after.st_atime != before.st_atime;
}

START_TEST(none_read)
{
	if (!reading_shows())
		return;
	write_file("counts/#b#main.gcda", "x");
	ck_assert_ptr_nonnull(strstr(check(NULL, ""), "-fprofile-use read none of the counts"));
	/* A configure script's are no one's. */
	write_file("counts/#b#conftest.gcda", "x");
	ck_assert_ptr_nonnull(strstr(check("#b#conftest.gcda", ""), "read none of the counts"));
}
END_TEST

START_TEST(none_there)
{
	struct pf_error error;
	uint64_t one, other;

	ck_assert_int_eq(pf_gcda_prepare(&contest, &one, &error), PF_EEMPTY);
	ck_assert_ptr_nonnull(strstr(error.text, "left no counts"));
	write_file("counts/#b#conftest.gcda", "x");
	ck_assert_int_eq(pf_gcda_prepare(&contest, &one, &error), PF_EEMPTY);
	/* The folder of a build may be called so. */
	write_file("counts/#conftest#main.gcda", "x");
	ck_assert_int_eq(pf_gcda_prepare(&contest, &one, &error), PF_OK);
	/* Other counts are another build. */
	write_file("counts/#b#main.gcda", "x");
	ck_assert_int_eq(pf_gcda_prepare(&contest, &one, &error), PF_OK);
	write_file("counts/#b#main.gcda", "y");
	ck_assert_int_eq(pf_gcda_prepare(&contest, &other, &error), PF_OK);
	ck_assert_uint_ne(one, other);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("analysis-gcda");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, losses);
	tcase_add_test(cases, none_read);
	tcase_add_test(cases, none_there);
	return run_case("analysis-gcda", cases);
}
