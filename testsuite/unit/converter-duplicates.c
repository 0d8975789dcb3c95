/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording by two names, also where it is a folder of several files; and output that would be one of these. */
#include "converter/duplicates.h"
#include "support/outfile.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "/tmp/pathfdo-duplicates.XXXXXX";

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* Makes the folder NAME with the files data, data.0 and (if it is not NULL) data.1. */
static void put_folder(const char *name, const char *data, const char *first, const char *second)
{
	char file[64];

	ck_assert_int_eq(mkdir(name, 0700), 0);
	snprintf(file, sizeof file, "%s/data", name);
	put(file, data);
	snprintf(file, sizeof file, "%s/data.0", name);
	put(file, first);
	snprintf(file, sizeof file, "%s/data.1", name);
	if (second)
		put(file, second);
}

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chdir(top), 0);
	put_folder("one", "head", "samples of one", "more");
	put_folder("copy", "head", "samples of one", "more");
	put_folder("other", "head", "samples of two", "more");
	put_folder("shorter", "head", "samples of one", NULL);
	ck_assert_int_eq(symlink("one", "link"), 0);
	ck_assert_int_eq(mkdir("empty", 0700), 0);
	put("file", "head");
	put("beside", "");
}

static void tear_down(void)
{
	char command[64];

	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf %s", top);
	ck_assert_int_eq(system(command), 0);
}

/* What is said of SECOND behind the folder one. */
static int add_second(const char *second, bool counts)
{
	struct pf_known_files known = { .counts = counts };
	struct pf_error error = { 0 };
	int status;

	ck_assert_int_eq(pf_known_files_add(&known, "one", &error), PF_OK);
	status = pf_known_files_add(&known, second, &error);
	pf_known_files_fini(&known);
	return status;
}

START_TEST(folders_that_are_one_recording)
{
	ck_assert_int_eq(add_second("one", false), PF_EMISMATCH);
	ck_assert_int_eq(add_second("link", false), PF_EMISMATCH);
	ck_assert_int_eq(add_second("copy", false), PF_EMISMATCH);
	ck_assert_int_eq(add_second("one/data", false), PF_EMISMATCH);
	ck_assert_int_eq(add_second("one", true), PF_EMISMATCH);
}
END_TEST

START_TEST(folders_that_are_not)
{
	ck_assert_int_eq(add_second("other", false), PF_OK);
	ck_assert_int_eq(add_second("shorter", false), PF_OK);
	ck_assert_int_eq(add_second("empty", false), PF_OK);
	ck_assert_int_eq(add_second("absent", false), PF_OK);
	ck_assert_int_eq(add_second("file", false), PF_OK);
	ck_assert_int_eq(add_second("copy", true), PF_OK);
}
END_TEST

START_TEST(output_into_a_folder)
{
	struct pf_error error = { 0 };

	ck_assert_int_eq(pf_outfile_spares("one/data", "one", &error), PF_EINVAL);
	ck_assert_int_eq(pf_outfile_spares("one/data.0", "one", &error), PF_EINVAL);
	ck_assert_int_eq(pf_outfile_spares("link/data.1", "one", &error), PF_EINVAL);
	ck_assert_int_eq(pf_outfile_spares("copy/data.1", "one", &error), PF_OK);
	ck_assert_int_eq(pf_outfile_spares("one/profile", "one", &error), PF_OK);
	ck_assert_int_eq(pf_outfile_spares("file", "file", &error), PF_EINVAL);
	ck_assert_int_eq(pf_outfile_spares("beside", "file", &error), PF_OK);
	ck_assert_int_eq(pf_outfile_spares("beside", "absent", &error), PF_OK);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("converter-duplicates");

	tcase_add_unchecked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, folders_that_are_one_recording);
	tcase_add_test(cases, folders_that_are_not);
	tcase_add_test(cases, output_into_a_folder);
	return run_case("converter-duplicates", cases);
}
