/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a correction is believed, on two halves of two bursts each, one at either edge: by hand from the formula in
 * converter/confidence.c. */
#include "converter/traffic.h"
#include "converter/confidence.h"
#include "testsuite/unit/suite.h"

static uint32_t edges[2] = { 0, 1 };

/* ONE and OTHER: the share of the first edge in either half, as it is and as corrected. */
static double trusted(const double one[2], const double other[2])
{
	static const uint32_t ids[2] = { 0, 1 };
	double plain[4] = { one[0], 1 - one[0], other[0], 1 - other[0] };
	double corrected[4] = { one[1], 1 - one[1], other[1], 1 - other[1] };
	struct pf_vec_burst bursts[4] = { { 0 } };
	struct pf_vectors vectors = { .edge_count = 2, .burst_count = 4, .bursts = bursts };
	struct pf_trust trust = {
		&vectors, ids, 2, { .last = 255, .seen = 4 }, plain, corrected, { corrected, corrected }
	};
	struct pf_trust_evidence evidence = { 0 };

	for (unsigned i = 0; i < 4; i++)
		bursts[i] =
		    (struct pf_vec_burst) { .time = i / 2 * 255, .repeat = 1, .edge_count = 1, .edges = &edges[i % 2] };
	ck_assert_int_eq(pf_trust_add(&trust, &evidence), PF_OK);
	/* Of so many timings that what was expected before does not count. */
	return pf_trust_share(&evidence, 1000000000000, 0);
}

static void check(double plain_one, double one, double plain_other, double other, double want)
{
	double first[2] = { plain_one, one }, second[2] = { plain_other, other };

	ck_assert_double_eq_tol(trusted(first, second), want, 1e-9);
	ck_assert_double_eq_tol(trusted(second, first), want, 1e-9);
}

START_TEST(what_both_halves_say_is_believed)
{
	check(0.5, 0.8, 0.5, 0.8, 1);
}
END_TEST

START_TEST(what_they_contradict_is_not)
{
	check(0.5, 0.9, 0.5, 0.2, 0);
}
END_TEST

/* D1 D2 = 2 * 0.3 * 0.1, D D = 2 * 0.2 * 0.2; in the second case 2 * 0.3 * 0.2 less 2 * 0.2 * 0.1 / 4, over
 * 2 * 0.25 * 0.25. */
START_TEST(in_between)
{
	check(0.5, 0.8, 0.5, 0.6, 0.06 / 0.08);
	check(0.6, 0.9, 0.4, 0.6, 0.11 / 0.125);
}
END_TEST

/* Forty timings are worth as much as knowing nothing, which says half; and what is added up is one estimate. */
START_TEST(few_timings_say_little)
{
	static const struct pf_trust_evidence none = { 0 }, all = { .bias = 0.4, .distance = 0.4 },
					      against = { .bias = -4, .common = 4, .distance = 1 },
					      sum = { .bias = 0.2 + 0.4, .common = 0.2, .distance = 0.4 + 0.4 };

	ck_assert_double_eq(pf_trust_share(&none, 0, 0), 0.5);
	ck_assert_double_eq(pf_trust_share(&none, 1000, 0), 0.5);
	ck_assert_double_eq(pf_trust_share(&all, 0, 0), 0.5);
	ck_assert_double_eq_tol(pf_trust_share(&all, 40, 0), 0.75, 1e-9);
	ck_assert_double_eq_tol(pf_trust_share(&all, 120, 0), 0.875, 1e-9);
	ck_assert_double_eq(pf_trust_share(&against, 40, 0), 0);
	ck_assert_double_eq_tol(pf_trust_share(&sum, 1000000000000, 0), 0.5, 1e-9);
}
END_TEST

/* Where bias is as large as noise, B B = n n, four recordings have a quarter of n n: 1 / (1 + 1/4). */
START_TEST(sums_are_corrected_further)
{
	static const struct pf_trust_evidence none = { 0 }, even = { .bias = 0.1, .distance = 0.2 },
					      all = { .bias = 0.2, .distance = 0.2 }, not = { .distance = 0.2 };

	ck_assert_double_eq_tol(pf_trust_share(&none, 0, 3), 0.8, 1e-9);
	ck_assert_double_eq_tol(pf_trust_share(&even, 1000000000000, 3), 0.8, 1e-9);
	ck_assert_double_eq_tol(pf_trust_share(&all, 1000000000000, 9), 1, 1e-9);
	ck_assert_double_eq_tol(pf_trust_share(&not, 1000000000000, 9), 0, 1e-9);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-confidence", what_both_halves_say_is_believed, what_they_contradict_is_not,
			 in_between, few_timings_say_little, sums_are_corrected_further);
}
