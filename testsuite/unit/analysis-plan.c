/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be built, and whether a binary was built so: lists of variants, build systems, and compilers' own words
 * about their options. */
#include "analysis/inspect.h"
#include "analysis/plan.h"
#include "analysis/tree.h"
#include "testsuite/unit/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(variants)
{
	bool wanted[PF_VARIANTS];
	struct pf_error error;

	ck_assert_int_eq(pf_plan_variants("soft,afdo", wanted, &error), PF_OK);
	for (unsigned v = 0; v < PF_VARIANTS; v++)
		ck_assert_int_eq(wanted[v], v == PF_VARIANT_BASE || v == PF_VARIANT_SOFT || v == PF_VARIANT_AFDO);
	ck_assert_int_eq(pf_plan_variants("", wanted, &error), PF_OK);
	ck_assert(wanted[PF_VARIANT_BASE] && !wanted[PF_VARIANT_FLAGS]);
	ck_assert_int_eq(pf_plan_variants("base,so", wanted, &error), PF_EINVAL);
	ck_assert_str_eq(error.text,
			 "there is no variant 'so'; there are base, flags, O3, instr, clock, soft, O3+soft, lbr, "
			 "afdo");
	ck_assert_int_eq(pf_plan_variants("generate", wanted, &error), PF_EINVAL);
	ck_assert_int_eq(pf_plan_variants("base,,soft", wanted, &error), PF_EINVAL);
}
END_TEST

/* Of base, and soft from two recordings, which are three with their mean: of each reference the seconds and four
 * events, and base's beside them; soft's collection; base against itself by time and cycles. */
START_TEST(runs)
{
	struct pf_plan plan = { .pairs = 3, .recordings = 2, .reference_count = 2, .times = true };
	uint64_t most = 3 * (4 * 2 * (2 * 5) + 2 + 2);

	plan.wanted[PF_VARIANT_BASE] = plan.wanted[PF_VARIANT_SOFT] = true;
	ck_assert_uint_ge(pf_plan_runs(&plan), most);
	ck_assert_uint_lt(pf_plan_runs(&plan), most * 5 / 4);
	plan.times = false;
	ck_assert_uint_eq(pf_plan_runs(&plan), 0);
}
END_TEST

static void touch(const char *folder, const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
}

static enum pf_build_system detect(const char *folder, enum pf_build_system asked)
{
	struct pf_plan plan = { .source = folder, .system = asked };
	struct pf_error error;

	return pf_plan_detect(&plan, &error) == PF_OK ? plan.system : PF_BUILD_AUTO;
}

/* Added in this order, each goes before the one in front of it. */
START_TEST(build_systems)
{
	static const struct {
		const char *file;
		enum pf_build_system system;
	} steps[] = { { "meson.build", PF_BUILD_MESON },
		      { "CMakeLists.txt", PF_BUILD_CMAKE },
		      { "configure", PF_BUILD_CONFIGURE },
		      { "Makefile", PF_BUILD_MAKE } };
	char folder[] = "/tmp/pathfdo-plan.XXXXXX";
	struct pf_plan plan = { .source = folder, .build = "sh build.sh" };
	struct pf_error error;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(detect(folder, PF_BUILD_AUTO), PF_BUILD_AUTO);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		touch(folder, steps[i].file);
		ck_assert_int_eq(detect(folder, PF_BUILD_AUTO), steps[i].system);
		ck_assert_int_eq(detect(folder, PF_BUILD_MESON), PF_BUILD_MESON);
	}
	ck_assert_int_eq(pf_plan_detect(&plan, &error), PF_OK);
	ck_assert_int_eq(plan.system, PF_BUILD_COMMAND);
	ck_assert_str_eq(pf_plan_build_command(&plan), "sh build.sh");
	ck_assert_str_eq(pf_plan_output_folder(&plan), "");
	plan.system = PF_BUILD_CMAKE;
	ck_assert_str_ne(pf_plan_output_folder(&plan), "");
	ck_assert_int_eq(pf_tree_remove(folder, &error), PF_OK);
	ck_assert_int_eq(pf_plan_system("cmake", &plan.system, &error), PF_OK);
	ck_assert_int_eq(plan.system, PF_BUILD_CMAKE);
	ck_assert_int_eq(pf_plan_system("command", &plan.system, &error), PF_EINVAL);
}
END_TEST

#define C "GNU C17 12.2.0 -mtune=generic -march=x86-64 "

/* Whether a unit of PRODUCER has FLAGS; -1 if it is none that could. */
static int has(const char *producer, const char *flags)
{
	struct pf_unit unit = { .name = (char *)"a.c", .producer = (char *)producer };
	struct pf_inspection in = { .units = &unit, .count = 1 };
	struct pf_unlike example;
	size_t total, with = pf_inspect_flags(&in, flags, &total, &example);

	ck_assert(with <= total && (example.unit != NULL) == (with < total));
	return total == 0 ? -1 : (int)with;
}

START_TEST(flags)
{
	ck_assert_int_eq(has(C "-g -O2 -fasynchronous-unwind-tables", "-O2 -g"), 1);
	ck_assert_int_eq(has(C "-g -O3", "-O2 -g"), 0);
	ck_assert_int_eq(has(C "-g", "-O2 -g"), 0);
	ck_assert_int_eq(has(C "-O2", "-O2"), 1);
	ck_assert_int_eq(has(C "-O2", "-O2 -g"), 0);
	/* The last level counts, on both sides; -O is -O1. */
	ck_assert_int_eq(has(C "-g3 -O2 -O3", "-O2 -O3 -g"), 1);
	ck_assert_int_eq(has(C "-O3 -O2", "-O3"), 0);
	ck_assert_int_eq(has(C "-O", "-O1"), 1);
	ck_assert_int_eq(has(C "-O1", "-O"), 1);
	/* Whole words, wherever. */
	ck_assert_int_eq(has(C "-O2 -ftracer", "-ftracer"), 1);
	ck_assert_int_eq(has(C "-O2 -ftracer-more", "-ftracer"), 0);
	ck_assert_int_eq(has(C "-O2 -fno-tracer", "-ftracer"), 0);
	ck_assert_int_eq(has("GNU C++14 12.2.0 -O2 -fprofile-use=/c", "-fprofile-use=/c -Wmissing-profile"), 1);
	ck_assert_int_eq(has("GNU Fortran2008 12.2.0 -O2 -fprofile-use=/d", "-fprofile-use=/c"), 0);
	/* Those that no flag of ours reaches. */
	ck_assert_int_eq(has("GNU AS 2.40", "-O2"), -1);
	ck_assert_int_eq(has("GNU GIMPLE 12.2.0 -O2 -flto", "-O3"), -1);
	ck_assert_int_eq(has("", "-O2"), -1);
}
END_TEST

START_TEST(languages)
{
	struct pf_unit units[] = { { .producer = (char *)C "-O2" },
				   { .producer = (char *)"GNU C++17 12.2.0 -O2" },
				   { .producer = (char *)"GNU C++17 12.2.0 -O2" },
				   { .producer = (char *)"GNU AS 2.40" } };
	struct pf_inspection in = { .units = units, .count = 1 };

	ck_assert_str_eq(pf_inspect_language(&in), "C");
	in.count = 4;
	ck_assert_str_eq(pf_inspect_language(&in), "C++");
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-plan", variants, runs, build_systems, flags, languages);
}
