/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callgrind's text, record by record, as Valgrind's manual describes it. */
#include "analysis/callgrind-text.h"
#include "testsuite/unit/suite.h"

static struct pf_callgrind_text t;

static void expect(int record, uint64_t address, uint64_t count, uint64_t target)
{
	struct pf_error error = { 0 };

	ck_assert_msg(pf_callgrind_text_next(&t, &error) == record, "line %d: not %d: %s", (int)t.text.number, record,
		      error.text);
	ck_assert_uint_eq(t.address, address);
	if (record != PF_CALLGRIND_OBJECT && record != 0)
		ck_assert_uint_eq(t.count, count);
	if (record > PF_CALLGRIND_COSTS)
		ck_assert_uint_eq(t.target, target);
}

static void begin(const char *text)
{
	pf_callgrind_text_over(&t, text, strlen(text), "text");
}

static const char *object(uint64_t number)
{
	return pf_callgrind_text_name(&t.objects, number);
}

/* Two parts, the second without the columns of lines and with another order of events. */
START_TEST(compressed)
{
	struct pf_error error;

	begin("cmd:  ./app -x\npositions: instr line\nevents: Ir Dr\nsummary: 9 9\n"
	      "ob=(3) /app\nfl=(1) a.c\nfn=(7) main\n0x1000 5 20 1\n"
	      "jcnd=2/3 +16 +1\n+4 +1\njump=4 -4 *\n* *\n"
	      "cob=(9) /lib/c\ncfi=(2) b.c\ncfn=(8) f\ncalls=6 0x99 0\n+4 * 700 1\n"
	      "cfn=(10) g\ncalls=1 0x77 0\n* * 8 8\n+2 *\ntotals: 9 9\n"
	      "positions: instr\nevents: Dr Ir\nob=(9)\nfn=(8)\n0x99 3 30\n");
	ck_assert_int_eq(pf_callgrind_text_next(&t, &error), PF_CALLGRIND_COMMAND);
	ck_assert_str_eq(t.command, "  ./app -x");
	expect(PF_CALLGRIND_OBJECT, 0, 0, 0);
	ck_assert_str_eq(object(t.object), "/app");
	expect(PF_CALLGRIND_COSTS, 0x1000, 20, 0);
	expect(PF_CALLGRIND_JUMPS, 0x1004, 2, 0x1010);
	ck_assert_uint_eq(t.executed, 3);
	expect(PF_CALLGRIND_JUMPS, 0x1004, 4, 0x1000);
	ck_assert_uint_eq(t.executed, 0);
	expect(PF_CALLGRIND_CALLS, 0x1008, 6, 0x99);
	ck_assert_str_eq(object(t.callee_object), "/lib/c");
	ck_assert_str_eq(pf_callgrind_text_name(&t.functions, t.callee), "f");
	ck_assert_str_eq(pf_callgrind_text_name(&t.functions, t.function), "main");
	/* Without cob= the callee is in the caller's object, also behind a call into another. */
	expect(PF_CALLGRIND_CALLS, 0x1008, 1, 0x77);
	ck_assert_str_eq(object(t.callee_object), "/app");
	expect(PF_CALLGRIND_COSTS, 0x100a, 0, 0);
	expect(PF_CALLGRIND_OBJECT, 0x100a, 0, 0);
	expect(PF_CALLGRIND_COSTS, 0x99, 30, 0);
	ck_assert_str_eq(object(t.object), "/lib/c");
	ck_assert_str_eq(pf_callgrind_text_name(&t.functions, t.function), "f");
	expect(0, 0x99, 0, 0);
	pf_callgrind_text_close(&t);
}
END_TEST

/* As --compress-strings=no --compress-pos=no writes it. */
START_TEST(plain)
{
	begin("positions: instr line\nevents: Ir\n"
	      "ob=/app\nfn=(below main)\n0x1000 0 1\ncob=/lib/c\ncfn=f\ncalls=2 0x99 0\n0x1004 0 9\n"
	      "ob=/lib/c\nfn=f\n0x99 0 9\nob=/app\n0x1008 0 1\n");
	expect(PF_CALLGRIND_OBJECT, 0, 0, 0);
	expect(PF_CALLGRIND_COSTS, 0x1000, 1, 0);
	ck_assert_uint_eq(t.function, PF_CALLGRIND_NONE);
	expect(PF_CALLGRIND_CALLS, 0x1004, 2, 0x99);
	ck_assert_str_eq(object(t.callee_object), "/lib/c");
	expect(PF_CALLGRIND_OBJECT, 0x1004, 0, 0);
	ck_assert_uint_eq(t.object, t.callee_object);
	expect(PF_CALLGRIND_COSTS, 0x99, 9, 0);
	expect(PF_CALLGRIND_OBJECT, 0x99, 0, 0);
	ck_assert_str_eq(object(t.object), "/app");
	expect(PF_CALLGRIND_COSTS, 0x1008, 1, 0);
	expect(0, 0x1008, 0, 0);
	pf_callgrind_text_close(&t);
}
END_TEST

static void check_refused(const char *text, const char *says)
{
	struct pf_error error = { 0 };
	int status;

	begin(text);
	do
		status = pf_callgrind_text_next(&t, &error);
	while (status > 0);
	ck_assert_int_eq(status, PF_EFORMAT);
	ck_assert_msg(strstr(error.text, says), "'%s' does not say '%s'", error.text, says);
	pf_callgrind_text_close(&t);
}

START_TEST(refusals)
{
	check_refused("0x1 2\n", "text:1: costs are not those of instructions");
	check_refused("calls=x 0x9\n", "text:1: no number of calls or jumps");
	check_refused("jcnd=3/x 0x9\n", "text:1: no number of calls or jumps");
	check_refused("jump=3\n", "text:1: no number of calls or jumps");
	check_refused("cob=(4294967296) f\n", "text:1: an object has no number");
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-callgrind-text", compressed, plain, refusals);
}
