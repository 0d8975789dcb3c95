/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians, their bootstrap, and geometric means.  The hard case is speed without giving up pairing: 10,000 resamples of
 * every pair list would be 10,000 sorts.  Instead the values are ranked once; a resample only counts how often each
 * rank was drawn, and walks to the middle. */
#include "analysis/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double pf_statistics_median(double *values, size_t count)
{
	assert(count > 0);
	qsort(values, count, sizeof *values, by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

bool pf_statistics_ratios(const double *numerators, const double *denominators, size_t count, double *ratios)
{
	for (size_t i = 0; i < count; i++) {
		ratios[i] = numerators[i] / denominators[i];
		if (!isfinite(ratios[i]) || ratios[i] <= 0)
			return false;
	}
	return count > 0;
}

/* splitmix64: passes the statistical batteries, and any seed is as good as another. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

size_t pf_statistics_draw(uint64_t *state, size_t count)
{
	return (size_t)((unsigned __int128)next_random(state) * count >> 64);
}

uint64_t pf_statistics_seed(const char *name, uint64_t number)
{
	uint64_t state = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *name; name++)
		state = (state ^ (unsigned char)*name) * 0x100000001b3u;
	state ^= number * 0xd1342543de82ef95u;
	return next_random(&state);
}

struct ranked {
	double value;
	size_t place; /* among the values as given */
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* The value of the NTH draw in order, given how often each rank was drawn. */
static double nth_value(const struct ranked *ranked, const uint32_t *drawn, size_t nth)
{
	size_t rank = 0;

	for (size_t seen = drawn[0]; seen <= nth; seen += drawn[rank])
		rank++;
	return ranked[rank].value;
}

static double drawn_median(const struct ranked *ranked, const uint32_t *drawn, size_t draws)
{
	double upper = nth_value(ranked, drawn, draws / 2);

	return draws % 2 ? upper : (nth_value(ranked, drawn, draws / 2 - 1) + upper) / 2;
}

static void rank_values(const double *values, size_t count, struct ranked *ranked, size_t *rank_of)
{
	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked) { values[i], i };
	qsort(ranked, count, sizeof *ranked, by_rank);
	for (size_t rank = 0; rank < count; rank++)
		rank_of[ranked[rank].place] = rank;
}

bool pf_statistics_resample(const double *values, size_t count, size_t draws, uint64_t seed, double *medians,
			    size_t resamples)
{
	struct ranked *ranked = calloc(count, sizeof *ranked);
	size_t *rank_of = calloc(count, sizeof *rank_of);
	uint32_t *drawn = calloc(count, sizeof *drawn);
	bool done = ranked && rank_of && drawn;

	assert(count > 0 && draws > 0);
	if (done)
		rank_values(values, count, ranked, rank_of);
	for (size_t b = 0; done && b < resamples; b++) {
		for (size_t i = 0; i < count; i++)
			drawn[i] = 0;
		for (size_t i = 0; i < draws; i++)
			drawn[rank_of[pf_statistics_draw(&seed, count)]]++;
		medians[b] = drawn_median(ranked, drawn, draws);
	}
	free(drawn);
	free(rank_of);
	free(ranked);
	return done;
}

/* The 97.5th percentile of Student's distribution. */
static double student(size_t freedom)
{
	static const double table[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
					2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
					2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 };

	if (freedom <= sizeof table / sizeof *table)
		return table[freedom - 1];
	return 1.96 + 2.37 / (double)freedom; /* the first term of its expansion */
}

/* The share of resamples to cut off at either end: the normal distribution's tail at Student's percentile, widened by
 * what a resample's spread is short of the true one.  Approaches 0.025. */
static double tail_share(size_t freedom)
{
	double pairs = (double)freedom + 1;

	return erfc(student(freedom) * sqrt(pairs / (pairs - 1)) / sqrt(2)) / 2;
}

struct pf_estimate pf_statistics_interval(double value, double *samples, size_t count, size_t freedom)
{
	struct pf_estimate estimate = { .known = true, .value = value, .freedom = freedom };
	size_t tail;

	if (!count || !freedom)
		return estimate;
	tail = (size_t)(tail_share(freedom) * (double)count);
	qsort(samples, count, sizeof *samples, by_value);
	estimate.low = samples[tail];
	estimate.high = samples[count - 1 - tail];
	estimate.bounded = isfinite(estimate.low) && isfinite(estimate.high);
	return estimate;
}

double pf_statistics_reach(double *samples, size_t count)
{
	assert(count > 0);
	for (size_t i = 0; i < count; i++)
		samples[i] = fabs(samples[i]);
	qsort(samples, count, sizeof *samples, by_value);
	return samples[count - 1 - count / 20];
}
