/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot threshold, against values worked out by hand. */
#include "plugin/heat.h"
#include "testsuite/unit/suite.h"

START_TEST(fraction_of_the_maximum)
{
	struct pf_summary s = { .maximum = 5000000 };

	ck_assert_uint_eq(pf_heat_threshold(&s, 10000), 500);
	ck_assert_uint_eq(pf_heat_threshold(&s, 1000), 5000);
	ck_assert_uint_eq(pf_heat_threshold(&s, 0), 5000000);
}
END_TEST

/* tinyxml2's maximum: a ten-thousandth of 6492 is less than one sighting. */
START_TEST(few_sightings_are_not_hot)
{
	struct pf_summary s = { .maximum = 6492 };

	ck_assert_uint_eq(pf_heat_threshold(&s, 10000), 4);
	ck_assert_uint_eq(pf_heat_threshold(&s, 1000), 6);
}
END_TEST

/* With no dominating loop the maximum says little: one in 50,000 of 600,000 sightings is 12. */
START_TEST(share_of_all_that_ran)
{
	struct pf_summary s = { .maximum = 10116, .total = 600000, .cutoffs = { { 995, 20, 1000 } } };

	ck_assert_uint_eq(pf_heat_threshold(&s, 10000), 12);
	ck_assert_uint_eq(pf_heat_threshold(&s, 500), 20);
}
END_TEST

/* A 50,000th of all is more here than anything ran.  Of 100,000 positions that ran 60 times each and as many that ran
 * once, the former are 6,000,000 of 6,100,000, or 983 permille: for 995 some of the latter are needed, which were seen
 * too seldom.  Beside 20,000 that ran once they are 996 permille. */
START_TEST(what_runs_a_little_everywhere)
{
	struct pf_summary s = { .maximum = 60,
				.total = 6100000,
				.cutoffs = { { 980, 60, 99634 }, { 995, 1, 169500 } } };
	struct pf_summary most = { .maximum = 60,
				   .total = 6020000,
				   .cutoffs = { { 980, 60, 98327 }, { 995, 60, 99832 } } };

	ck_assert_uint_eq(pf_heat_threshold(&s, 10000), 4);
	ck_assert_uint_eq(pf_heat_threshold(&most, 10000), 60);
	/* One in four of the highest count is what was asked for. */
	s.maximum = 400;
	ck_assert_uint_eq(pf_heat_threshold(&s, 4), 100);
}
END_TEST

START_TEST(stays_below_the_maximum)
{
	struct pf_summary three = { .maximum = 3 }, empty = { .maximum = 0 };

	ck_assert_uint_eq(pf_heat_threshold(&three, 10000), 3);
	ck_assert_uint_eq(pf_heat_threshold(&empty, 10000), 1);
}
END_TEST

/* Half of what 500 looks saw is 250 of them; who does not tell had a look for every 1,024. */
START_TEST(looks_at_a_part)
{
	struct pf_summary s = { .maximum = 1000, .total = 8000000 }, empty = { .maximum = 0 };

	ck_assert_uint_eq(pf_heat_looks(&s, 500, 4000000), 250);
	ck_assert_uint_eq(pf_heat_looks(&s, 500, 8000000), 500);
	ck_assert_uint_eq(pf_heat_looks(&s, 500, 15999), 0);
	ck_assert_uint_eq(pf_heat_looks(&s, 0, 10240), 10);
	ck_assert_uint_eq(pf_heat_looks(&empty, 500, 0), 0);
}
END_TEST

/* A quarter of what is hot suffices for what its author wants inlined, if it ran each time; nothing does for what never
 * ran. */
START_TEST(inlined_again)
{
	ck_assert(pf_heat_is_replayed(40, 1000, false, 40));
	ck_assert(!pf_heat_is_replayed(39, 39, false, 40));
	ck_assert(pf_heat_is_replayed(10, 10, true, 40));
	ck_assert(pf_heat_is_replayed(12, 10, true, 40));
	ck_assert(!pf_heat_is_replayed(10, 11, true, 40));
	ck_assert(!pf_heat_is_replayed(9, 9, true, 40));
	ck_assert(pf_heat_is_replayed(1, 1, true, 3));
	ck_assert(!pf_heat_is_replayed(0, 0, true, 3));
}
END_TEST

/* Between two of the steps that the summary knows, the next one holds; all of it is the last. */
START_TEST(where_the_program_is_busy)
{
	struct pf_summary s = { .cutoffs = { { 10, 9000, 1 }, { 950, 700, 40 }, { 990, 80, 90 }, { 995, 50, 120 } } };

	s.cutoffs[4] = (struct pf_cutoff) { 1000, 1, 500 };
	for (unsigned i = 5; i < PF_CUTOFF_COUNT; i++)
		s.cutoffs[i] = s.cutoffs[4];
	ck_assert_uint_eq(pf_heat_working_set(&s, 990, 5), 80);
	ck_assert_uint_eq(pf_heat_working_set(&s, 951, 5), 80);
	ck_assert_uint_eq(pf_heat_working_set(&s, 991, 5), 50);
	ck_assert_uint_eq(pf_heat_working_set(&s, 1000, 0), 1);
	ck_assert_uint_eq(pf_heat_working_set(&s, 5000, 0), 1);
	ck_assert_uint_eq(pf_heat_working_set(&s, 990, 200), 200);
}
END_TEST

/* 3 of 75 is 4%, half of which is 2%; 3 of 300 is 1%, twice which is 2%. */
START_TEST(looks_that_suffice)
{
	ck_assert(pf_heat_may_be_other(2));
	ck_assert(!pf_heat_may_be_other(3));
	ck_assert(pf_heat_is_short(74, 0));
	ck_assert(!pf_heat_is_short(75, 0));
	ck_assert(!pf_heat_is_short(75, 40));
	ck_assert(pf_heat_is_short(1000, 41));
	ck_assert(pf_heat_may_turn(299, 0));
	ck_assert(!pf_heat_may_turn(300, 10));
	ck_assert(pf_heat_may_turn(300, 11));
	ck_assert(!pf_heat_may_freeze(299));
	ck_assert(pf_heat_may_freeze(300));
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-heat", looks_at_a_part, looks_that_suffice, fraction_of_the_maximum,
			 few_sightings_are_not_hot, share_of_all_that_ran, what_runs_a_little_everywhere,
			 stays_below_the_maximum, inlined_again, where_the_program_is_busy);
}
