/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folding and joining file names; expected values by `realpath -ms --relative-to` where that has an opinion. */
#include "support/filename.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

static const struct {
	const char *folder, *name, *joined;
} cases[] = {
	{ NULL, "a.c", "a.c" },
	{ "", "a.c", "a.c" },
	{ "", "./src//a.c", "src/a.c" },
	{ "/home/x", "a.c", "/home/x/a.c" },
	{ "/home/x/", "src/./a.c", "/home/x/src/a.c" },
	{ "/home/x/build", "../src/a.c", "/home/x/src/a.c" },
	{ "/home/x", "/usr/src/a.c", "/usr/src/a.c" },
	{ "/", "a.c", "/a.c" },
	{ "/x", "../../../a.c", "/a.c" },
	{ ".", "a.c", "a.c" },
	{ ".", "../a.c", "../a.c" },
	{ "b", "../../../a.c", "../../a.c" },
	{ "b", "../..x/a.c", "..x/a.c" },
	{ "..x", "../a.c", "a.c" },
	{ "/", "/", "/" },
	{ NULL, ".", "" },
	{ NULL, "", "" },
	{ NULL, "a/..", "" },
	{ NULL, "/..", "/" },
	{ NULL, "a/b/", "a/b" },
};

START_TEST(joined_names_are_folded)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *joined = pf_filename_join(cases[i].folder, cases[i].name);

		ck_assert_str_eq(joined, cases[i].joined);
		free(joined);
	}
}
END_TEST

START_TEST(bases)
{
	ck_assert_str_eq(pf_filename_base("/x/a.c"), "a.c");
	ck_assert_str_eq(pf_filename_base("a.c"), "a.c");
	ck_assert_str_eq(pf_filename_base("x/"), "");
	ck_assert_uint_eq(pf_filename_length("/x/a b"), 6);
	ck_assert_uint_eq(pf_filename_length("/x/a b (deleted)"), 6);
	ck_assert_uint_eq(pf_filename_length("/x/a (deleted) b"), 16);
	ck_assert_uint_eq(pf_filename_length(" (deleted)"), 10);
}
END_TEST

int main(void)
{
	return RUN_SUITE("support-filename", joined_names_are_folded, bases);
}
