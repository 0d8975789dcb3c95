/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics against what can be worked out by hand: medians, the exact distribution of a resampled median of two
 * and three values, and how often an interval holds the truth, which for the median is a sum of binomials whatever the
 * distribution: of 9 pairs the interval is from the 2nd to the 8th, which is 1 - 2 (1 + 9) / 2^9 = 0.961. */
#include "testsuite/unit/analysis-helpers.h"

START_TEST(medians)
{
	double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 10 }, one[] = { 7 }, equal[] = { 2, 2, 2, 2 };

	ck_near(pf_statistics_median(odd, 3), 3, 0);
	ck_near(odd[0], 1, 0); /* sorted: the range can be read off */
	ck_near(odd[2], 5, 0);
	ck_near(pf_statistics_median(even, 4), 3.5, 0);
	ck_near(pf_statistics_median(one, 1), 7, 0);
	ck_near(pf_statistics_median(equal, 4), 2, 0);
}
END_TEST

START_TEST(ratios_and_their_refusal)
{
	double base[] = { 2, 3, 4 }, variant[] = { 1, 2, 8 }, ratios[3];
	double zero[] = { 1, 0, 1 }, huge[] = { 1e308, 1e308, 1e308 }, tiny[] = { 1e-308, 1, 1 };

	ck_assert(pf_statistics_ratios(base, variant, 3, ratios));
	ck_near(ratios[0], 2, 0);
	ck_near(ratios[1], 1.5, 0);
	ck_near(ratios[2], 0.5, 0);
	ck_assert(!pf_statistics_ratios(base, zero, 3, ratios));
	ck_assert(!pf_statistics_ratios(zero, base, 3, ratios));
	ck_assert(!pf_statistics_ratios(zero, zero, 3, ratios));
	ck_assert(!pf_statistics_ratios(huge, tiny, 3, ratios));
	ck_assert(!pf_statistics_ratios(base, variant, 0, ratios));
}
END_TEST

#define MANY 10000

static double share(const double *values, double of)
{
	size_t count = 0;

	for (size_t i = 0; i < MANY; i++)
		count += values[i] == of;
	return (double)count / MANY;
}

/* 4 sigma of a share of 10,000 are at most 0.02. */
START_TEST(resampled_medians_have_their_exact_distribution)
{
	static double sample[MANY];
	double two[] = { 2, 1 }, three[] = { 3, 1, 2 };

	ck_assert(pf_statistics_resample(two, 2, 2, 1, sample, MANY));
	ck_near(share(sample, 1), 0.25, 0.02);
	ck_near(share(sample, 1.5), 0.5, 0.02);
	ck_near(share(sample, 2), 0.25, 0.02);
	ck_assert(pf_statistics_resample(three, 3, 3, 2, sample, MANY));
	ck_near(share(sample, 1), 7. / 27, 0.02);
	ck_near(share(sample, 2), 13. / 27, 0.02);
	ck_near(share(sample, 3), 7. / 27, 0.02);
	/* One draw of three is any of them. */
	ck_assert(pf_statistics_resample(three, 3, 1, 3, sample, MANY));
	ck_near(share(sample, 1), 1. / 3, 0.02);
	ck_near(share(sample, 3), 1. / 3, 0.02);
}
END_TEST

START_TEST(the_same_seed_draws_the_same_pairs)
{
	double first[] = { 3, 1, 2, 9, 4 }, second[5], a[500], b[500], c[500];
	size_t same = 0;

	for (size_t i = 0; i < 5; i++)
		second[i] = 10 * first[i];
	ck_assert(pf_statistics_resample(first, 5, 5, 7, a, 500));
	ck_assert(pf_statistics_resample(second, 5, 5, 7, b, 500));
	ck_assert(pf_statistics_resample(first, 5, 5, 8, c, 500));
	for (size_t i = 0; i < 500; i++) {
		ck_near(b[i], 10 * a[i], 0);
		same += a[i] == c[i];
	}
	ck_assert_uint_lt(same, 300); /* another seed draws others: equal by chance alone */
}
END_TEST

START_TEST(the_interval_of_nine_is_from_the_second_to_the_eighth)
{
	static double sample[MANY];
	double nine[] = { 9, 1, 8, 2, 7, 3, 6, 4, 5 };

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct pf_estimate got;

		ck_assert(pf_statistics_resample(nine, 9, 9, pf_statistics_seed("nine", seed), sample, MANY));
		got = pf_statistics_interval(5, sample, MANY, 8);
		ck_assert(got.known && got.bounded);
		ck_near(got.value, 5, 0);
		ck_near(got.low, 2, 0);
		ck_near(got.high, 8, 0);
	}
}
END_TEST

START_TEST(equal_values_have_an_interval_of_no_width)
{
	double equal[] = { 3, 3, 3, 3 }, one[] = { 4 }, sample[100];
	struct pf_estimate got;

	ck_assert(pf_statistics_resample(equal, 4, 4, 1, sample, 100));
	got = pf_statistics_interval(3, sample, 100, 3);
	ck_near(got.low, 3, 0);
	ck_near(got.high, 3, 0);
	ck_assert(pf_statistics_resample(one, 1, 1, 1, sample, 100));
	got = pf_statistics_interval(4, sample, 100, 0);
	ck_assert(got.known && !got.bounded); /* one value says nothing of its spread */
}
END_TEST

START_TEST(an_interval_that_is_not_finite_is_none)
{
	double samples[100];

	for (size_t i = 0; i < 100; i++)
		samples[i] = i < 50 ? 1 : INFINITY;
	ck_assert(!pf_statistics_interval(1, samples, 100, 8).bounded);
}
END_TEST

START_TEST(reach_is_the_size_that_95_of_100_do_not_exceed)
{
	double samples[100];

	for (size_t i = 0; i < 100; i++)
		samples[i] = i % 2 ? (double)(i + 1) : -(double)(i + 1);
	ck_near(pf_statistics_reach(samples, 100), 95, 0);
}
END_TEST

/* Normal noise by the sum of twelve. */
static double noise(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)pf_statistics_draw(state, 1 << 20) / (1 << 20);
	return sum - 6;
}

/* How often the interval of COUNT lognormal values around 1 holds 1. */
static double coverage(size_t count, uint64_t seed)
{
	enum { SERIES = 1500, RESAMPLES = 2000 };
	static double sample[RESAMPLES];
	uint64_t state = seed;
	size_t held = 0;

	for (uint64_t i = 0; i < SERIES; i++) {
		double values[32];
		struct pf_estimate got;

		for (size_t k = 0; k < count; k++)
			values[k] = exp(0.02 * noise(&state));
		ck_assert(pf_statistics_resample(values, count, count, i, sample, RESAMPLES));
		got = pf_statistics_interval(1, sample, RESAMPLES, count - 1);
		held += got.low <= 1 && got.high >= 1;
	}
	return (double)held / SERIES;
}

START_TEST(intervals_hold_the_truth_as_often_as_binomials_say)
{
	ck_near(coverage(5, 11), 1 - 2. / 32, 0.02);            /* 1st to 5th */
	ck_near(coverage(7, 14), 1 - 2. / 128, 0.02);           /* 1st to 7th */
	ck_near(coverage(9, 12), 1 - 2 * (1. + 9) / 512, 0.02); /* 2nd to 8th */
	ck_near(coverage(15, 13), 1 - 2 * 576. / 32768, 0.02);  /* 4th to 12th: 1 + 15 + 105 + 455 */
}
END_TEST

START_TEST(draws_are_even_and_seeds_differ)
{
	size_t counts[7] = { 0 };
	uint64_t state = 5;

	for (size_t i = 0; i < 70000; i++) {
		size_t drawn = pf_statistics_draw(&state, 7);

		ck_assert_uint_lt(drawn, 7);
		counts[drawn]++;
	}
	for (size_t i = 0; i < 7; i++) /* sigma is 93 */
		ck_assert_msg(counts[i] > 9600 && counts[i] < 10400, "%zu drawn %zu times", i, counts[i]);
	ck_assert_uint_ne(pf_statistics_seed("a", 1), pf_statistics_seed("a", 2));
	ck_assert_uint_ne(pf_statistics_seed("a", 1), pf_statistics_seed("b", 1));
	ck_assert_uint_eq(pf_statistics_seed("a", 1), pf_statistics_seed("a", 1));
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-statistics", medians, ratios_and_their_refusal,
			 resampled_medians_have_their_exact_distribution, the_same_seed_draws_the_same_pairs,
			 the_interval_of_nine_is_from_the_second_to_the_eighth,
			 equal_values_have_an_interval_of_no_width, an_interval_that_is_not_finite_is_none,
			 reach_is_the_size_that_95_of_100_do_not_exceed,
			 intervals_hold_the_truth_as_often_as_binomials_say, draws_are_even_and_seeds_differ);
}
