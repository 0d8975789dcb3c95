/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact counts from callgrind's text, as Valgrind's manual describes it. */
#include "analysis/callgrind.h"
#include "testsuite/unit/suite.h"

static int parse(const char *text, struct pf_exact_counts *counts, struct pf_error *error)
{
	return pf_callgrind_parse(text, strlen(text), "text", "/usr/bin/app", counts, error);
}

/* Relative positions, names by number, what belongs to calls and jumps, and an address under two functions. */
START_TEST(counts)
{
	static const char text[] = "# callgrind format\nversion: 1\npositions: instr line\nevents: Dr Ir\n\n"
				   "ob=(1) /usr/bin/app\nfn=(1) main\n"
				   "0x1000 16 5 10\n+4 +1 5 11\n"
				   "cob=(2) /lib/other.so\ncfn=(2) f\ncalls=3 0x99 0\n* * 7 700\n"
				   "jcnd=2/3 +8 *\n* *\n+2 * 0 12\n"
				   "ob=(2)\nfn=(2)\n0x1000 1 9 90\n"
				   "ob=(1)\nfn=(3) main'2\n0x1000 16 0 4\n-4 * 0 1\ntotals: 1 2\n";
	struct pf_exact_counts c;
	struct pf_error error;

	ck_assert_int_eq(parse(text, &c, &error), PF_OK);
	ck_assert_uint_eq(c.list.count, 4);
	ck_assert_uint_eq(pf_exact_count(&c, 0x0ffc), 1);
	ck_assert_uint_eq(pf_exact_count(&c, 0x1000), 14);
	ck_assert_uint_eq(pf_exact_count(&c, 0x1004), 11);
	ck_assert_uint_eq(pf_exact_count(&c, 0x1006), 12);
	ck_assert_uint_eq(pf_exact_count(&c, 0x1001), 0);
	pf_exact_counts_fini(&c);
}
END_TEST

static void check_refused(const char *text, int status, const char *says)
{
	struct pf_exact_counts c;
	struct pf_error error = { 0 };

	ck_assert_int_eq(parse(text, &c, &error), status);
	ck_assert_msg(strstr(error.text, says), "'%s' does not say '%s'", error.text, says);
	pf_exact_counts_fini(&c);
}

START_TEST(refusals)
{
	check_refused("", PF_EFORMAT, "text:0: no file of callgrind");
	check_refused("positions: line\nevents: Ir\nob=app\n1 2\n", PF_EFORMAT, "text:4: costs are not those");
	check_refused("positions: instr\nevents: Ir\nob=other\n0x1 2\n", PF_ENOTFOUND, "no object 'app'");
	check_refused("positions: instr\nevents: Dr\n", PF_EFORMAT, "text:2: there is no event Ir");
	check_refused("positions: instr\nevents: Ir\nob=(x) app\n", PF_EFORMAT, "text:3: an object has no number");
	check_refused("positions: instr\nevents: Ir\nob=app\n+x 2\n", PF_EFORMAT, "text:4: no address");
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-callgrind", counts, refusals);
}
