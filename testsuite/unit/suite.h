/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a unit test as a program does: each file of testsuite/unit is one, and its exit status is the result. */
#ifndef PF_TEST_SUITE_H
#define PF_TEST_SUITE_H

#include <check.h>

#define TEST_SECONDS 120 /* for one test, also on a busy machine */

/* Runs the tests of CASES, which becomes the suite's; the exit status of the program. */
static inline int run_case(const char *name, TCase *cases)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(cases, TEST_SECONDS);
	suite_add_tcase(suite, cases);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

static inline int run_suite(const char *name, const TTest *const *tests, size_t count)
{
	TCase *cases = tcase_create(name);

	for (size_t i = 0; i < count; i++)
		tcase_add_test(cases, tests[i]);
	return run_case(name, cases);
}

/* RUN_SUITE("layer-topic", a_test, another_test): for tests without fixtures and loops. */
#define TEST_LIST(...)                                                                                                 \
	(const TTest *const[])                                                                                         \
	{                                                                                                              \
		__VA_ARGS__                                                                                            \
	}
#define RUN_SUITE(name, ...)                                                                                           \
	run_suite(name, TEST_LIST(__VA_ARGS__), sizeof TEST_LIST(__VA_ARGS__) / sizeof(const TTest *))

#endif
