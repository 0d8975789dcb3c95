/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mode vote and the comparison figures, against values worked out by hand. */
#include "plugin/figures.h"
#include "plugin/vote.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

#define MODE(...)                                                                                                      \
	mode_of((struct pf_vote[]) { __VA_ARGS__ }, sizeof((struct pf_vote[]) { __VA_ARGS__ }) / sizeof(struct pf_vote))

static uint64_t mode_of(struct pf_vote *votes, size_t count)
{
	uint64_t mode = UINT64_MAX;

	ck_assert(pf_vote_mode(votes, count, &mode));
	return mode;
}

START_TEST(stray_maximum_loses)
{
	ck_assert_uint_eq(MODE({ 640, 4, 0, false }, { 9000, 4, 0, false }, { 641, 4, 0, false }, { 639, 4, 0, false }),
			  640);
}
END_TEST

START_TEST(heavier_votes_win)
{
	ck_assert_uint_eq(MODE({ 100, 1, 0, false }, { 101, 1, 0, false }, { 5000, 8, 0, false }), 5000);
}
END_TEST

START_TEST(lower_value_wins_a_draw)
{
	ck_assert_uint_eq(MODE({ 7000, 4, 0, false }, { 20, 4, 0, false }), 20);
}
END_TEST

START_TEST(zero_is_a_value)
{
	ck_assert_uint_eq(MODE({ 0, 4, 0, false }, { 0, 4, 0, false }, { 500, 4, 0, false }), 0);
}
END_TEST

START_TEST(movable_votes_come_last)
{
	struct pf_vote votes[] = { { 1, 4, 0, true }, { 2, 4, 0, false }, { 3, 4, 0, true }, { 4, 4, 0, false } };

	ck_assert_uint_eq(pf_vote_settled(votes, 4), 2);
	ck_assert_uint_eq(votes[0].count + votes[1].count, 6);
	ck_assert_uint_eq(votes[2].count + votes[3].count, 4);
	ck_assert_uint_eq(pf_vote_settled(votes + 2, 2), 0);
}
END_TEST

START_TEST(nobody_votes)
{
	uint64_t mode = 7;

	ck_assert(!pf_vote_mode(NULL, 0, &mode));
	ck_assert_uint_eq(mode, 7);
}
END_TEST

START_TEST(comparison_ignores_the_unit)
{
	const uint64_t truth[] = { 100, 300, 0 }, half[] = { 50, 150, 0 }, wrong[] = { 0, 0, 40 };
	struct pf_comparison c = { 0 }, d = { 0 }, b = { 0 };

	pf_compare_blocks(&c, half, truth, 3);
	ck_assert_double_eq_tol(pf_compare_block_error(&c), 0, 1e-9);
	pf_compare_blocks(&d, wrong, truth, 3);
	ck_assert_double_eq_tol(pf_compare_block_error(&d), 2, 1e-9);
	pf_compare_branch(&b, 0.5, 0.75, 300);
	pf_compare_branch(&b, 1, 1, 100);
	ck_assert_double_eq_tol(pf_compare_branch_error(&b), 0.25 * 300 / 400, 1e-9);
	/* Of 300 a coin sends half the wrong way, where a quarter must be; of 1,000 eight tenths go the other way, and
	 * two tenths must. */
	ck_assert_double_eq_tol(b.misdirected, 300 * (0.5 - 0.25), 1e-9);
	pf_compare_branch(&b, 0.6, 0.2, 1000);
	ck_assert_double_eq_tol(b.misdirected, 75 + 1000 * (0.8 - 0.2), 1e-9);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-vote", stray_maximum_loses, heavier_votes_win, lower_value_wins_a_draw,
			 zero_is_a_value, movable_votes_come_last, nobody_votes, comparison_ignores_the_unit);
}
