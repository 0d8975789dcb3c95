/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file of the profiled tree a file is: expectations follow from plugin/renames.h by hand. */
#include "plugin/renames.h"
#include "testsuite/unit/suite.h"

START_TEST(functions_tell)
{
	struct pf_renames r = { 0 };

	ck_assert_str_eq(pf_renames_of(&r, "/pgo/a.c"), "/pgo/a.c");
	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/a.c", "/project/a.c"), PF_OK);
	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/a.c", "/project/a.c"), PF_OK);
	ck_assert_str_eq(pf_renames_of(&r, "/pgo/a.c"), "/project/a.c");
	ck_assert_str_eq(pf_renames_of(&r, "/pgo/b.c"), "/pgo/b.c");
	pf_renames_fini(&r);
}
END_TEST

/* Paths that end alike are one file's as they are; another file is not this one under another name. */
START_TEST(what_is_no_rename)
{
	struct pf_renames r = { 0 };

	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/lib/a.c", "/project/lib/a.c"), PF_OK);
	ck_assert_str_eq(pf_renames_of(&r, "/pgo/lib/a.c"), "/pgo/lib/a.c");
	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/b.c", "/project/a.c"), PF_OK);
	ck_assert_str_eq(pf_renames_of(&r, "/pgo/b.c"), "/pgo/b.c");
	pf_renames_fini(&r);
}
END_TEST

START_TEST(contradictions)
{
	struct pf_renames r = { 0 };

	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/a.c", "/project/a.c"), PF_OK);
	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/a.c", "/project/sub/a.c"), PF_OK);
	ck_assert_int_eq(pf_renames_learn(&r, "/pgo/a.c", "/project/a.c"), PF_OK);
	ck_assert_str_eq(pf_renames_of(&r, "/pgo/a.c"), "/pgo/a.c");
	pf_renames_fini(&r);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-renames", functions_tell, what_is_no_rename, contradictions);
}
