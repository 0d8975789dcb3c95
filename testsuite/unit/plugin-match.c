/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching of positions, instances and functions: expectations follow from plugin/match.h by hand. */
#include "plugin/match.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

static struct pf_record records[] = {
	{ .place = { 0, { 2, 5, 0 } }, .count = 10 },  { .place = { 0, { 2, 5, 3 } }, .count = 900 },
	{ .place = { 0, { 3, 7, 4 } }, .count = 50 },  { .place = { 0, { 4, 1, 0 } }, .count = 100 },
	{ .place = { 0, { 4, 9, 0 } }, .count = 104 }, { .place = { 1, { 2, 5, 0 } }, .count = 77 },
};
static struct pf_node nodes[] = {
	{ .name = "f", .file = "a.c", .line = 10 },
	{ .parent = 0, .site = { 3, 7, 4 }, .name = "g", .file = "b.h", .line = 20 },
	{ .parent = 0, .site = { 5, 2, 0 }, .name = "C4", .file = "b.h", .line = 30 },
	{ .parent = 1, .site = { 1, 1, 0 }, .name = "g", .file = "b.h", .line = 20 },
	{ .parent = 0, .site = { 3, 7, 4 }, .name = "g", .file = "b.h", .line = 25 },
};
static const struct pf_function function = {
	.name = "f", .file = "a.c", .line = 10, .nodes = nodes, .node_count = 5, .records = records, .record_count = 6
};

static struct pf_match at(uint32_t node, int32_t line, uint32_t column, uint32_t discriminator)
{
	struct pf_place place = { node, { line, column, discriminator } };

	return pf_match_record(&function, &place);
}

START_TEST(exact_comes_first)
{
	ck_assert_int_eq(at(0, 2, 5, 3).kind, PF_MATCH_EXACT);
	ck_assert_uint_eq(at(0, 2, 5, 3).record->count, 900);
	ck_assert_uint_eq(at(0, 2, 5, 0).record->count, 10);
	ck_assert_uint_eq(at(1, 2, 5, 0).record->count, 77);
}
END_TEST

START_TEST(column_only_when_unambiguous)
{
	ck_assert_int_eq(at(0, 3, 7, 0).kind, PF_MATCH_COLUMN);
	ck_assert_uint_eq(at(0, 3, 7, 9).record->count, 50);
	ck_assert_int_eq(at(0, 2, 5, 1).kind, PF_MATCH_NONE);
}
END_TEST

START_TEST(line_only_when_its_records_agree)
{
	ck_assert_int_eq(at(0, 4, 30, 0).kind, PF_MATCH_LINE);
	ck_assert_int_eq(at(0, 2, 30, 0).kind, PF_MATCH_NONE);
	ck_assert_int_eq(at(0, 9, 1, 0).kind, PF_MATCH_NONE);
}
END_TEST

START_TEST(instances)
{
	const char *g[] = { "g" }, *other[] = { "C1", "Thing" };
	struct pf_position site = { 3, 7, 0 }, far = { 3, 8, 0 }, ctor = { 5, 2, 0 }, deep = { 1, 1, 0 };

	ck_assert_uint_eq(pf_match_instance(&function, 0, &site, g, 1, 20), 1);
	ck_assert_uint_eq(pf_match_instance(&function, 0, &site, g, 1, 25), 4);
	ck_assert_uint_eq(pf_match_instance(&function, 0, &site, g, 1, 26), 1);
	ck_assert_uint_eq(pf_match_instance(&function, 0, &far, g, 1, 20), UINT32_MAX);
	ck_assert_uint_eq(pf_match_instance(&function, 0, &ctor, other, 2, 30), 2);
	ck_assert_uint_eq(pf_match_instance(&function, 0, &ctor, other, 2, 31), UINT32_MAX);
	ck_assert_uint_eq(pf_match_instance(&function, 1, &deep, g, 1, 20), 3);
}
END_TEST

START_TEST(functions_of_one_name)
{
	struct pf_function two[] = { { .name = "s", .file = "/x/a.c", .line = 5 },
				     { .name = "s", .file = "/x/b.c", .line = 9 } };
	bool stale;

	ck_assert_ptr_eq(pf_match_function(two, 2, "b.c", 9, PF_PUBLIC, &stale), &two[1]);
	ck_assert(!stale);
	ck_assert_ptr_eq(pf_match_function(two, 2, "a.c", 7, PF_PUBLIC, &stale), &two[0]);
	ck_assert(stale);
	ck_assert_ptr_null(pf_match_function(two, 2, "c.c", 1, PF_PUBLIC, &stale));
	ck_assert_ptr_eq(pf_match_function(two, 1, "moved.c", 5, PF_PUBLIC, &stale), &two[0]);
	ck_assert_ptr_null(pf_match_function(two, 0, "a.c", 5, PF_PUBLIC, &stale));
	/* A file of another program has a function of this name, too; or it is the file under a new name or in a new
	 * folder. */
	ck_assert_ptr_null(pf_match_function(two, 1, "other.c", 9, PF_ELSEWHERE, &stale));
	ck_assert_ptr_eq(pf_match_function(two, 1, "moved.c", two[0].line, PF_ELSEWHERE, &stale), &two[0]);
	ck_assert_ptr_eq(pf_match_function(two, 1, "new/a.c", 9, PF_ELSEWHERE, &stale), &two[0]);
	/* The very file, whose function an edit has moved, before one of a like name with a function in that line. */
	two[1].file = "/y/x/a.c";
	ck_assert_ptr_eq(pf_match_function(two, 2, "/x/a.c", 9, PF_LOCAL_IN, &stale), &two[0]);
	ck_assert(stale);
}
END_TEST

START_TEST(local_functions_stay_in_their_file)
{
	struct pf_function one[] = { { .name = "init", .file = "/src/app/a.c", .line = 5 } };
	struct pf_function same[] = { { .name = "init", .file = "/src/app/left/init.c", .line = 5 },
				      { .name = "init", .file = "/src/app/right/init.c", .line = 5 } };
	bool stale;

	ck_assert_ptr_null(pf_match_function(one, 1, "/src/app/b.c", 5, PF_LOCAL, &stale));
	ck_assert_ptr_null(pf_match_function(one, 1, "/src/app/b.c", 9, PF_LOCAL, &stale));
	ck_assert_ptr_eq(pf_match_function(one, 1, "/src/app/a.c", 9, PF_LOCAL, &stale), &one[0]);
	ck_assert(stale);
	/* Another copy of the tree; another folder of the same tree, edited. */
	ck_assert_ptr_eq(pf_match_function(one, 1, "/src/app-pgo/a.c", 5, PF_LOCAL, &stale), &one[0]);
	ck_assert_ptr_null(pf_match_function(one, 1, "/src/app/lib/a.c", 9, PF_LOCAL, &stale));
	ck_assert_ptr_eq(pf_match_function(same, 2, "/tmp/copy/right/init.c", 5, PF_LOCAL, &stale), &same[1]);
	ck_assert_ptr_eq(pf_match_function(same, 2, "left/init.c", 5, PF_LOCAL, &stale), &same[0]);
	/* A file that did not run, of a folder that the profile knows. */
	ck_assert_ptr_null(pf_match_function(one, 1, "/src/other/a.c", 5, PF_LOCAL_IN, &stale));
	ck_assert_ptr_null(pf_match_function(same, 2, "/tmp/copy/middle/init.c", 5, PF_LOCAL, &stale));
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-match", exact_comes_first, column_only_when_unambiguous,
			 line_only_when_its_records_agree, instances, functions_of_one_name,
			 local_functions_stay_in_their_file);
}
