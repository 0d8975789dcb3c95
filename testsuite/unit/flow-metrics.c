/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics on profiles small enough to work out by hand. */
#include "flow/metrics.h"
#include "testsuite/unit/suite.h"

#include <math.h>
#include <stdlib.h>

#define NEAR(got, want) ck_assert_double_eq_tol(got, want, 1e-12)

/* Estimate 10, 30, 60 of keys 1, 2, 3; actual 20, 20, 40, 120 of keys 1, 2, 3, 4 (key 3 in two parts). */
static size_t example(struct pf_weight_pair **pairs)
{
	static const struct pf_weight estimate[] = { { 3, 60 }, { 1, 10 }, { 2, 30 } };
	static const struct pf_weight actual[] = { { 4, 120 }, { 3, 15 }, { 1, 20 }, { 2, 20 }, { 3, 25 } };

	return pf_metrics_join(estimate, 3, actual, 5, pairs);
}

START_TEST(join_adds_up)
{
	struct pf_weight_pair *pairs;
	ck_assert_uint_eq(example(&pairs), 4);
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_uint_eq(pairs[i].key, i + 1);
	NEAR(pairs[2].estimate, 60);
	NEAR(pairs[2].actual, 40);
	NEAR(pairs[3].estimate, 0);
	free(pairs);
	static const struct pf_weight bad[] = { { 1, -5 }, { 2, NAN } };
	ck_assert_uint_eq(pf_metrics_join(bad, 2, NULL, 0, &pairs), 2);
	NEAR(pairs[0].estimate + pairs[1].estimate, 0);
	free(pairs);
}
END_TEST

START_TEST(overlap)
{
	struct pf_weight_pair *pairs;
	size_t count = example(&pairs);
	NEAR(pf_metrics_overlap(pairs, count), 0.1 + 0.1 + 0.2); /* p .1 .3 .6 0; q .1 .1 .2 .6 */
	NEAR(pf_metrics_overlap(pairs, 0), 1);
	NEAR(pf_metrics_overlap(pairs + 3, 1), 0); /* the estimate is empty */
	for (size_t i = 0; i < count; i++)
		pairs[i].estimate = 7 * pairs[i].actual;
	NEAR(pf_metrics_overlap(pairs, count), 1); /* scale does not matter */
	free(pairs);
}
END_TEST

/* Branch 1: both mostly go to 3 (in two parts).  Branch 2: the other way.  Branch 3: a tie agrees with either of its
 * ways.  Branches 4 and 5 are in one profile only. */
START_TEST(mismatch)
{
	struct pf_edge_pair edges[] = {
		{ 5, 1, 0, 100 }, { 1, 2, 10, 0 }, { 1, 3, 20, 0 }, { 1, 2, 0, 30 }, { 1, 3, 0, 25 },  { 1, 3, 0, 25 },
		{ 2, 1, 15, 5 },  { 2, 2, 5, 7 },  { 3, 1, 5, 5 },  { 3, 2, 5, 3 },  { 4, 1, 900, 0 },
	};
	struct pf_direction_mismatch got = pf_metrics_mismatch(edges, sizeof(edges) / sizeof(*edges));
	ck_assert_uint_eq(got.branches, 3);
	ck_assert_uint_eq(got.wrong, 1);
	NEAR(got.share, (20.0 / 60 + 12.0 / 100) / 2);
	got = pf_metrics_mismatch(edges, 0);
	ck_assert_uint_eq(got.branches, 0);
	NEAR(got.share, 0);
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-metrics", join_adds_up, overlap, mismatch);
}
