/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a comparison: builds that change places, what is left of an interrupted run, runs that are checked, and
 * the estimate of the time. */
#include "analysis/contest.h"
#include "analysis/measure.h"
#include "analysis/tree.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pathfdo-contest.XXXXXX";
static const char *const references[] = { "true" };
static struct pf_plan plan;
static struct pf_contest contest;
static struct pf_error error;

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(in_folder(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* A build whose program prints TEXT. */
static void make_build(unsigned build, const char *text)
{
	char name[100], script[200];

	snprintf(name, sizeof name, "variants/%s", pf_variant_name(build));
	ck_assert_int_eq(pf_tree_make(in_folder(name), &error), PF_OK);
	snprintf(name, sizeof name, "variants/%s/prog", pf_variant_name(build));
	snprintf(script, sizeof script, "#!/bin/sh\n%s\n", text);
	write_file(name, script);
	ck_assert_int_eq(chmod(in_folder(name), 0755), 0);
	contest.entries[build].built = true;
}

static void set_up(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	plan = (struct pf_plan) { .work = folder,
				  .source = "/nowhere",
				  .program = "prog",
				  .references = references,
				  .reference_count = 1,
				  .small = references[0],
				  .train = "training",
				  .system = PF_BUILD_MAKE,
				  .timeout = 20 };
	ck_assert_int_eq(pf_contest_init(&contest, &plan, &error), PF_OK);
}

static void tear_down(void)
{
	pf_contest_fini(&contest);
	pf_tree_remove(folder, NULL);
}

START_TEST(places)
{
	make_build(PF_VARIANT_BASE, "echo base");
	make_build(PF_VARIANT_SOFT, "echo soft");
	ck_assert_int_eq(pf_contest_place(&contest, PF_VARIANT_BASE, &error), PF_OK);
	ck_assert(!pf_tree_has(in_folder("variants/base")) && pf_tree_has(contest.program));
	ck_assert_int_eq(pf_contest_place(&contest, PF_VARIANT_SOFT, &error), PF_OK);
	ck_assert(pf_tree_has(in_folder("variants/base")) && !pf_tree_has(in_folder("variants/soft")));
	/* This run ends here; the next one finds soft where it belongs. */
	pf_contest_fini(&contest);
	ck_assert_int_eq(pf_contest_init(&contest, &plan, &error), PF_OK);
	ck_assert(pf_tree_has(in_folder("variants/soft/prog")) && !pf_tree_has(in_folder("build")));
	/* A build that was not finished has no name, and is no one's. */
	ck_assert_int_eq(pf_tree_make(in_folder("build"), &error), PF_OK);
	write_file("build/prog", "half");
	pf_contest_fini(&contest);
	ck_assert_int_eq(pf_contest_init(&contest, &plan, &error), PF_OK);
	ck_assert(!pf_tree_has(in_folder("build")));
	/* Nor does it stand in the way within a run. */
	ck_assert_int_eq(pf_tree_make(in_folder("build"), &error), PF_OK);
	ck_assert_int_eq(pf_contest_place(&contest, PF_VARIANT_SOFT, &error), PF_OK);
	ck_assert(pf_tree_has(contest.program));
	ck_assert_int_eq(pf_contest_place(&contest, -1, &error), PF_OK);
	ck_assert(pf_tree_has(in_folder("variants/soft/prog")));
	/* One that is not there. */
	ck_assert_int_eq(pf_contest_place(&contest, PF_VARIANT_LBR, &error), PF_EIO);
}
END_TEST

static const char *check(unsigned build, const char *expected)
{
	struct pf_run run = pf_measure_run(build, "\"$PROGRAM\"; ls", expected ? "run" : "expected");
	struct pf_ending ending;

	run.pinned = false;
	contest.entries[build].error[0] = '\0';
	ck_assert_int_eq(pf_contest_check(&contest, &run, "it", expected, &ending, &error), PF_OK);
	return contest.entries[build].error;
}

START_TEST(checks)
{
	make_build(PF_VARIANT_BASE, "echo text; touch left");
	make_build(PF_VARIANT_FLAGS, "echo text; touch left");
	make_build(PF_VARIANT_SOFT, "echo texts");
	make_build(PF_VARIANT_INSTR, "echo text; echo why >&2; exit 7");
	ck_assert_str_eq(check(PF_VARIANT_BASE, NULL), "");
	ck_assert_str_eq(check(PF_VARIANT_BASE, "expected"), ""); /* scratch is fresh: `ls` sees one file */
	ck_assert_str_eq(check(PF_VARIANT_FLAGS, "expected"), "");
	ck_assert_ptr_nonnull(strstr(check(PF_VARIANT_SOFT, "expected"), "it prints something else than the base"));
	ck_assert(!pf_contest_has(&contest, PF_VARIANT_SOFT) && pf_contest_has(&contest, PF_VARIANT_FLAGS));
	/* `ls` is what ends last, and well: what it prints differs. */
	ck_assert_ptr_nonnull(strstr(check(PF_VARIANT_INSTR, "expected"), "something else"));
	/* The first sentence is the one that counts. */
	pf_contest_drop(&contest, PF_VARIANT_INSTR, "another");
	ck_assert_ptr_nonnull(strstr(contest.entries[PF_VARIANT_INSTR].error, "something else"));
}
END_TEST

START_TEST(estimates)
{
	plan.times = true;
	ck_assert_double_eq(pf_contest_left(&contest), 0);
	contest.left[PF_WORK_BUILD] = 2;
	contest.left[PF_WORK_TRAIN] = 3;
	ck_assert_double_lt(pf_contest_left(&contest), 0); /* nothing is known */
	pf_contest_end(&contest, PF_WORK_BUILD, 10);
	ck_assert_double_lt(pf_contest_left(&contest), 0);
	pf_contest_end(&contest, PF_WORK_TRAIN, 4);
	ck_assert_double_eq_tol(pf_contest_left(&contest), 10 + 2 * 4, 1e-9);
	/* The mean of those that were done; what was not necessary says nothing. */
	pf_contest_end(&contest, PF_WORK_TRAIN, 6);
	pf_contest_end(&contest, PF_WORK_BUILD, -1);
	ck_assert_double_eq_tol(pf_contest_left(&contest), 5, 1e-9);
	/* References are taken to be as long as training; callgrind, of the first, 60 times as long. */
	contest.left[PF_WORK_REFERENCE] = 2;
	contest.left[PF_WORK_CALLGRIND] = 1;
	ck_assert_double_eq_tol(pf_contest_left(&contest), 5 + 2 * 5 + 60 * 5, 1e-9);
	pf_contest_end(&contest, PF_WORK_CALLGRIND, 100);
	ck_assert_double_eq_tol(pf_contest_left(&contest), 5 + 2 * 5, 1e-9);
	for (int i = 0; i < 5; i++)
		pf_contest_end(&contest, PF_WORK_TRAIN, 1);
	ck_assert_uint_eq(contest.left[PF_WORK_TRAIN], 0);
}
END_TEST

START_TEST(estimates_of_instructions_alone)
{
	/* Nothing is known of a command that has not run, be it as long as training or not. */
	contest.left[PF_WORK_TRAIN] = 1;
	contest.left[PF_WORK_CALLGRIND] = 3;
	pf_contest_end(&contest, PF_WORK_TRAIN, 2);
	ck_assert_double_lt(pf_contest_left(&contest), 0);
	pf_contest_end(&contest, PF_WORK_CALLGRIND, 100);
	ck_assert_double_eq_tol(pf_contest_left(&contest), 2 * 100, 1e-9);
}
END_TEST

START_TEST(estimates_of_instructions_of_training)
{
	plan.small = plan.train;
	contest.left[PF_WORK_TRAIN] = 1;
	contest.left[PF_WORK_CALLGRIND] = 3;
	pf_contest_end(&contest, PF_WORK_TRAIN, 2);
	ck_assert_double_eq_tol(pf_contest_left(&contest), 3 * 60 * 2, 1e-9);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("analysis-contest");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, places);
	tcase_add_test(cases, checks);
	tcase_add_test(cases, estimates);
	tcase_add_test(cases, estimates_of_instructions_alone);
	tcase_add_test(cases, estimates_of_instructions_of_training);
	return run_case("analysis-contest", cases);
}
