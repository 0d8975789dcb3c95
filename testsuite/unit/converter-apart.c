/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which machine blocks exclude each other, in code by hand: each instruction is one byte and mostly a block. */
#include "converter/apart.h"
#include "testsuite/unit/suite.h"

/* A loop of two arms with a switch behind it:
 *
 *	0	enter
 *	1	if ... goto 4		the loop's head
 *	2	one arm
 *	3	goto 5
 *	4	the other arm
 *	5	if ... goto 1		end of the turn
 *	6	switch: seen to go to 7 and to 9, never to 8
 *	7	case
 *	8	return
 *	9	case
 *	10	return */
static struct pf_insn insns[] = {
	{ .address = 100, .length = 1, .block = 0 },
	{ .address = 101, .length = 1, .block = 1, .kind = PF_EDGE_COND, .target = 104 },
	{ .address = 102, .length = 1, .block = 2 },
	{ .address = 103, .length = 1, .block = 2, .kind = PF_EDGE_JUMP, .target = 105, .stops = true },
	{ .address = 104, .length = 1, .block = 3 },
	{ .address = 105, .length = 1, .block = 4, .kind = PF_EDGE_COND, .target = 101 },
	{ .address = 106, .length = 1, .block = 5, .kind = PF_EDGE_INDIRECT, .stops = true },
	{ .address = 107, .length = 1, .block = 6 },
	{ .address = 108, .length = 1, .block = 6, .kind = PF_EDGE_RETURN, .stops = true },
	{ .address = 109, .length = 1, .block = 7 },
	{ .address = 110, .length = 1, .block = 7, .kind = PF_EDGE_RETURN, .stops = true },
};

static struct pf_jump jumps[] = {
	{ .from = 105, .to = 101, .kind = PF_EDGE_COND },
	{ .from = 106, .to = 107, .kind = PF_EDGE_INDIRECT },
	{ .from = 106, .to = 109, .kind = PF_EDGE_INDIRECT },
};

static struct pf_apart look(void)
{
	struct pf_program_module module = { .jumps = { jumps, 3, 3 } };
	struct pf_program program = { .modules = &module };
	struct pf_building b = { .program = &program, .code = { .insns = { insns, 11, 11 }, .block_count = 8 } };
	struct pf_apart a;

	ck_assert_int_eq(pf_apart_init(&a, &b), PF_OK);
	return a;
}

START_TEST(arms_exclude_each_other_in_a_turn)
{
	struct pf_apart a = look();

	ck_assert(pf_apart_are(&a, 2, 3));
	ck_assert(pf_apart_are(&a, 3, 2));
	ck_assert(!pf_apart_are(&a, 1, 2));
	ck_assert(!pf_apart_are(&a, 3, 1));
	ck_assert(!pf_apart_are(&a, 2, 4));
	ck_assert(!pf_apart_are(&a, 0, 4));
	ck_assert(!pf_apart_are(&a, 2, 2));
	pf_apart_fini(&a);
}
END_TEST

START_TEST(recorded_cases_exclude_each_other)
{
	struct pf_apart a = look();

	ck_assert(pf_apart_are(&a, 6, 7));
	ck_assert(!pf_apart_are(&a, 5, 6));
	ck_assert(!pf_apart_are(&a, 7, 2));
	pf_apart_fini(&a);
}
END_TEST

START_TEST(nothing_is_known_of_no_code)
{
	struct pf_building b = { 0 };
	struct pf_apart a;

	ck_assert_int_eq(pf_apart_init(&a, &b), PF_OK);
	ck_assert(!pf_apart_are(&a, 0, 1));
	pf_apart_fini(&a);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-apart", arms_exclude_each_other_in_a_turn, recorded_cases_exclude_each_other,
			 nothing_is_known_of_no_code);
}
