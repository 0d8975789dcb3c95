/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which young processes have bursts: within the budget, and so that every moment of every process is seen alike. */
#include "runtime/agent/young.c" /* the file itself: the agent is no library */
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <string.h>

#define PPM 10000 /* 1%: grown up at 100 ms */
#define MS 1000000ull

START_TEST(the_first_processes_all_have_bursts)
{
	struct pf_control control = { 0 };
	struct pf_young young = { 0 };

	ck_assert_uint_eq(pf_young_share(&control, PPM), PF_YOUNG_ALL);
	ck_assert_uint_eq(pf_young_weigh(&young, PPM, 12345), 12345); /* nobody asked for a lot */
	ck_assert(pf_young_may(&young, &control, PPM, 10 * MS, PF_YOUNG_ALL - 1));
	ck_assert_uint_eq(pf_young_weigh(&young, PPM, 12345), 12345);
	ck_assert_uint_eq(control.asked, 1);
	ck_assert_uint_eq(control.drawn, 1);
	/* What the starts took, and what the first bursts cost, is no reason yet. */
	control.start_ns = control.cost_ns = MS;
	ck_assert_uint_eq(pf_young_share(&control, PPM), PF_YOUNG_ALL);
}
END_TEST

/* 1,000 s of CPU time, of which 10 s are allowed. */
START_TEST(the_share_follows_from_what_was_spent)
{
	struct pf_control control = { .asked = 1000000, .drawn = 500000, .cpu_ns = 1000000 * MS };

	control.cost_ns = 10000 * MS;
	ck_assert_uint_eq(pf_young_share(&control, PPM) / 4, PF_YOUNG_ALL / 2 / 4);
	control.cost_ns = 20000 * MS;
	ck_assert_uint_eq(pf_young_share(&control, PPM) / 4, PF_YOUNG_ALL / 8 / 4);
	control.cost_ns = 7000 * MS;
	ck_assert_uint_eq(pf_young_share(&control, PPM), PF_YOUNG_ALL);
	control.cost_ns = 20000000 * MS;
	ck_assert_uint_eq(pf_young_share(&control, PPM), 1);
	control.cost_ns = 0;
	ck_assert_uint_eq(pf_young_share(&control, PPM), PF_YOUNG_ALL);
	/* What no agent writes: divisors of 0, by sums that wrap. */
	control.cost_ns = -4 * MS;
	ck_assert_uint_eq(pf_young_share(&control, PPM), 1);
	control.asked = control.drawn = -4ull;
	control.cost_ns = 0;
	ck_assert_uint_eq(pf_young_share(&control, PPM), 1);
}
END_TEST

START_TEST(a_blank_counts_until_it_has_grown_up)
{
	struct pf_control control = { .asked = 100000, .drawn = 50000, .cpu_ns = 100000 * MS, .cost_ns = 1000 * MS };
	struct pf_young blank = { 0 }, drawn = { 0 };

	ck_assert(!pf_young_may(&blank, &control, PPM, 10 * MS, PF_YOUNG_ALL - 1));
	for (int i = 1; i < 9; i++)
		ck_assert(!pf_young_may(&blank, &control, PPM, 10 * MS, 0));
	ck_assert(pf_young_may(&blank, &control, PPM, 10 * MS, 0));
	ck_assert(!pf_young_is(&blank, PPM));
	ck_assert_uint_eq(pf_young_weigh(&blank, PPM, 10 * MS), 10 * MS);
	ck_assert(pf_young_may(&drawn, &control, PPM, 10 * MS, 0));
	ck_assert_uint_ge(pf_young_weigh(&drawn, PPM, 10 * MS), 19 * MS);
	ck_assert_uint_le(pf_young_weigh(&drawn, PPM, 10 * MS), 21 * MS);
}
END_TEST

/* Processes of one to thirty ticks of 10 ms, most of them short; a burst at each tick, the first costs 1 ms, others
 * .05. */
START_TEST(all_times_of_all_processes_are_seen_alike)
{
	struct pf_control control = { 0 };
	double ran[30] = { 0 }, seen[30] = { 0 };
	uint64_t cpu = 0;

	srand(1);
	for (int p = 0; p < 300000; p++) {
		struct pf_young young = { 0 };
		int length = 1 + rand() % (rand() % 4 ? 5 : 30), bursts = 0;

		for (int age = 0; age < length; age++) {
			ran[age] += 10 * MS;
			cpu += 10 * MS;
			control.cpu_ns += 10 * MS;
			if (!pf_young_may(&young, &control, PPM, 10 * MS, (uint64_t)rand()))
				continue;
			seen[age] += (double)pf_young_weigh(&young, PPM, 10 * MS);
			control.cost_ns += bursts++ ? MS / 20 : MS;
		}
	}
	for (int age = 0; age < 30; age++)
		ck_assert_double_eq_tol(seen[age] / ran[age], 1, 0.05);
	/* Those that have grown up pay for their first burst themselves, so some more than the budget may be spent. */
	ck_assert_double_eq_tol((double)control.cost_ns / ((double)cpu * PPM / 1e6), 1, 0.25);
	ck_assert_uint_lt(control.drawn, control.asked / 2);
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-young", the_first_processes_all_have_bursts, the_share_follows_from_what_was_spent,
			 a_blank_counts_until_it_has_grown_up, all_times_of_all_processes_are_seen_alike);
}
