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
	struct pf_summary s = { .maximum = 10116, .total = 600000 };

	ck_assert_uint_eq(pf_heat_threshold(&s, 10000), 12);
	ck_assert_uint_eq(pf_heat_threshold(&s, 500), 20);
}
END_TEST

START_TEST(stays_below_the_maximum)
{
	struct pf_summary three = { .maximum = 3 }, empty = { .maximum = 0 };

	ck_assert_uint_eq(pf_heat_threshold(&three, 10000), 3);
	ck_assert_uint_eq(pf_heat_threshold(&empty, 10000), 1);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-heat", fraction_of_the_maximum, few_sightings_are_not_hot, share_of_all_that_ran,
			 stays_below_the_maximum);
}
