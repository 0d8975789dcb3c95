/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libraries take for the same calls: texts as callgrind writes them, with counts by hand. */
#include "analysis/same-calls.h"
#include "testsuite/unit/suite.h"

static int parse(const char *text, json_t *libraries, struct pf_error *error)
{
	return pf_same_calls_parse(text, strlen(text), "text", "/home/me/work", libraries, error);
}

static void check_entry(const json_t *libraries, const char *key, int calls, int cost)
{
	const json_t *entry = json_object_get(libraries, key);

	ck_assert_msg(entry, "no %s", key);
	ck_assert_int_eq(json_integer_value(json_array_get(entry, 0)), calls);
	ck_assert_int_eq(json_integer_value(json_array_get(entry, 1)), cost);
}

/* A program whose main calls strcmp twice from two places and qsort, which calls main's compare and memcpy; memcpy is
 * first named as a callee in its caller's object, strcmp by cob=. */
static const char text[] = "version: 1\npositions: instr line\nevents: Ir\n\n"
			   "ob=(1) /home/me/work/app\nfl=(1) a.c\nfn=(1) main\n0x1000 16 5\n"
			   "cob=(2) /lib/libc.so.6\ncfi=(2) ???\ncfn=(2) strcmp\ncalls=70 0x99 0\n+4 +1 700\n"
			   "cob=(2)\ncfn=(2)\ncalls=30 0x99 0\n+4 +1 300\n"
			   "cob=(2)\ncfn=(3) qsort\ncalls=1 0x200 0\n+4 * 900\n"
			   "cfn=(5) helper\ncalls=4 0x200 0\n+4 * 9\n\n"
			   "ob=(2)\nfn=(3)\n0x200 0 50\ncob=(1)\ncfn=(4) compare\ncalls=9 0x2000 0\n* * 90\n"
			   "cfn=(6) memcpy\ncalls=8 0x300 0\n* * 80\n\n"
			   "fn=(2)\n0x99 0 600\n+1 0 400\n\nfn=(6)\n0x300 0 80\n\n"
			   "ob=(1)\nfn=(4)\n0x2000 9 90\n\nfn=(5)\n0x2100 9 9\n\ntotals: 1234\n";

START_TEST(leaves)
{
	json_t *libraries = json_object();
	struct pf_error error;

	ck_assert_int_eq(parse(text, libraries, &error), PF_OK);
	/* Neither the program's own functions nor qsort, which calls others. */
	ck_assert_uint_eq(json_object_size(libraries), 2);
	check_entry(libraries, "/lib/libc.so.6 strcmp", 100, 1000);
	check_entry(libraries, "/lib/libc.so.6 memcpy", 8, 80);
	/* Another process. */
	ck_assert_int_eq(parse(text, libraries, &error), PF_OK);
	check_entry(libraries, "/lib/libc.so.6 strcmp", 200, 2000);
	json_decref(libraries);
}
END_TEST

START_TEST(gaps)
{
	json_t *base = json_pack("{s:[i,i], s:[i,i], s:[i,i], s:[i,i]}", "c strcmp", 100, 1000, "c memcpy", 8, 80,
				 "c memset", 5, 50, "c gone", 1, 10);
	json_t *other = json_pack("{s:[i,i], s:[i,i], s:[i,i], s:[i,i]}", "c strcmp", 100, 1300, "c memcpy", 7, 10,
				  "c memset", 5, 40, "c new", 1, 99);
	struct pf_same_calls_gap gap = pf_same_calls_compare(base, other);

	/* Fewer calls of memcpy are what the build gained; strcmp's 300 more and memset's 10 less are no one's. */
	ck_assert_int_eq(gap.instructions, 290);
	ck_assert_str_eq(gap.largest, "c strcmp");
	ck_assert_int_eq(gap.of_largest, 300);
	ck_assert_uint_eq(gap.calls, 100);
	gap = pf_same_calls_compare(base, base);
	ck_assert_int_eq(gap.instructions, 0);
	ck_assert_ptr_null(gap.largest);
	json_decref(base);
	json_decref(other);
}
END_TEST

static void check_refused(const char *damaged, const char *says)
{
	json_t *libraries = json_object();
	struct pf_error error = { 0 };

	ck_assert_int_eq(parse(damaged, libraries, &error), PF_EFORMAT);
	ck_assert_msg(strstr(error.text, says), "'%s' does not say '%s'", error.text, says);
	json_decref(libraries);
}

START_TEST(refusals)
{
	check_refused("0x1 2\n", "text:1: costs without a function");
	check_refused("ob=(1) /lib/c\nfn=(1) f\n0x1 2 x\n", "text:3: costs without a function");
	check_refused("fn=f\n", "text:1: a name has no number");
	check_refused("fn=(4294967296) f\n", "text:1: a name has no number");
	check_refused("fn=(1) f\ncalls=3 0x9\n", "text:2: calls without a function");
	check_refused("cfn=(1) f\ncalls=3 0x9\n", "text:2: calls without a function");
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-same-calls", leaves, gaps, refusals);
}
