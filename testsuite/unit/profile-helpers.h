/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of profile/ share: profiles from text, profiles as text and as bytes. */
#ifndef PF_TEST_PROFILE_HELPERS_H
#define PF_TEST_PROFILE_HELPERS_H

#include "profile/pfdo.h"
#include "profile/text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "pathfdo-profile 1\nunit executions\n"

/* The profile that TEXT stands for. */
static inline struct pf_profile *profile_of(const char *text)
{
	struct pf_profile *profile;
	struct pf_error error = { 0 };

	ck_assert_msg(pf_text_read("test", text, strlen(text), &profile, &error) == PF_OK, "%s", error.text);
	return profile;
}

/* PROFILE as text, to free. */
static inline char *text_of(const struct pf_profile *profile)
{
	struct pf_buffer out = { 0 };

	pf_text_put_profile(&out, profile);
	pf_buffer_u8(&out, 0);
	ck_assert(!out.failed);
	return (char *)out.data;
}

/* Reads the profile GIVEN and checks that it prints as WANTED. */
static inline void check_text(const char *given, const char *wanted)
{
	struct pf_profile *profile = profile_of(given);
	char *text = text_of(profile);

	ck_assert_str_eq(text, wanted);
	free(text);
	pf_profile_free(profile);
}

/* The bytes of PROFILE as a .pfdo file, to free. */
static inline struct pf_buffer bytes_of(struct pf_profile *profile)
{
	char path[] = "/tmp/profile-bytes.XXXXXX";
	struct pf_buffer bytes = { 0 };
	struct pf_error error = { 0 };
	int fd = mkstemp(path), c;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");

	ck_assert_ptr_nonnull(file);
	fclose(file);
	ck_assert_msg(pf_pfdo_write(profile, path, &error) == PF_OK, "%s", error.text);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	while ((c = getc(file)) != EOF)
		pf_buffer_u8(&bytes, (uint8_t)c);
	fclose(file);
	remove(path);
	return bytes;
}

/* Runs the tests of one suite as a program does. */
static inline int run_suite(const char *name, const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#define RUN_SUITE(name, tests) run_suite(name, tests, sizeof tests / sizeof *tests)

#endif
