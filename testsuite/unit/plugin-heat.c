/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot threshold, against values worked out by hand. */
#include "plugin/heat.h"
#include "testsuite/unit/suite.h"

static const uint32_t permilles[PF_CUTOFF_COUNT] = { 10,  100, 200, 300, 400, 500, 600, 700,
						     800, 900, 950, 990, 995, 999, 1000 };

/* A summary with a MAXIMUM whose steps end at 900, 990, 999 and 1000 permille with these counts. */
static struct pf_summary summary_of(uint64_t maximum, uint64_t at900, uint64_t at990, uint64_t at999, uint64_t at1000)
{
	struct pf_summary summary = { .maximum = maximum };

	for (unsigned i = 0; i < PF_CUTOFF_COUNT; i++) {
		uint32_t p = permilles[i];

		summary.cutoffs[i].permille = p;
		summary.cutoffs[i].minimum = p <= 900 ? at900 : p <= 990 ? at990 : p <= 999 ? at999 : at1000;
	}
	return summary;
}

/* tinyxml2's profile: a ten-thousandth of 6492 would be less than one sighting. */
START_TEST(working_set_decides)
{
	struct pf_summary s = summary_of(6492, 212, 72, 5, 1);

	ck_assert_uint_eq(pf_heat_threshold(&s, 990), 72);
	ck_assert_uint_eq(pf_heat_threshold(&s, 999), 5);
	ck_assert_uint_eq(pf_heat_threshold(&s, 900), 212);
	ck_assert_uint_eq(pf_heat_threshold(&s, 0), 212);
}
END_TEST

START_TEST(few_sightings_are_not_hot)
{
	struct pf_summary s = summary_of(6492, 20, 11, 10, 10);

	ck_assert_uint_eq(pf_heat_threshold(&s, 990), 40);
	ck_assert_uint_eq(pf_heat_threshold(&s, 1000), 40);
}
END_TEST

START_TEST(stays_below_the_maximum)
{
	struct pf_summary once = summary_of(7, 7, 7, 7, 7), lies = summary_of(100, 1, 1, 1, UINT64_MAX),
			  wild = summary_of(100, 5000, 5000, 5000, 1), empty = summary_of(0, 0, 0, 0, 0);

	ck_assert_uint_eq(pf_heat_threshold(&once, 990), 7);
	ck_assert_uint_eq(pf_heat_threshold(&lies, 990), 100);
	ck_assert_uint_eq(pf_heat_threshold(&wild, 990), 100);
	ck_assert_uint_eq(pf_heat_threshold(&empty, 990), 1);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-heat", working_set_decides, few_sightings_are_not_hot, stays_below_the_maximum);
}
