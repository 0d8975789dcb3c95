/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of a switch's values and their weights, against values worked out by hand. */
#include "plugin/pieces.h"
#include "testsuite/unit/suite.h"

#define NEAR 1e-9

static void check_piece(const struct pf_piece *piece, uint64_t low, uint64_t high, uint32_t way)
{
	ck_assert_uint_eq(piece->low, low);
	ck_assert_uint_eq(piece->high, high);
	ck_assert_uint_eq(piece->way, way);
}

START_TEST(cases_and_what_is_between)
{
	struct pf_case cases[] = { { 20, 29, 2 }, { 10, 10, 1 }, { 30, 30, 1 } };
	struct pf_index index = { 0, 255, 0 };
	struct pf_piece pieces[8];

	ck_assert_uint_eq(pf_pieces_cut(&index, cases, 3, pieces), 6);
	check_piece(&pieces[0], 0, 9, 0);
	check_piece(&pieces[1], 10, 10, 1);
	check_piece(&pieces[2], 11, 19, 0);
	check_piece(&pieces[3], 20, 29, 2);
	check_piece(&pieces[4], 30, 30, 1);
	check_piece(&pieces[5], 31, 255, 0);
}
END_TEST

/* Cases beyond the range are not there, those that stand out of it are cut, and neither end is passed. */
START_TEST(within_the_range)
{
	struct pf_case cases[] = { { 0, 4, 1 }, { 5, 12, 2 }, { 18, 30, 3 }, { 40, 50, 4 } };
	struct pf_index index = { 10, 20, 0 }, all = { 0, UINT64_MAX, 0 };
	struct pf_case whole = { 0, UINT64_MAX, 7 };
	struct pf_piece pieces[10];

	ck_assert_uint_eq(pf_pieces_cut(&index, cases, 4, pieces), 3);
	check_piece(&pieces[0], 10, 12, 2);
	check_piece(&pieces[1], 13, 17, 0);
	check_piece(&pieces[2], 18, 20, 3);
	ck_assert_uint_eq(pf_pieces_cut(&all, &whole, 1, pieces), 1);
	check_piece(&pieces[0], 0, UINT64_MAX, 7);
	ck_assert_uint_eq(pf_pieces_cut(&index, cases, 0, pieces), 1);
	check_piece(&pieces[0], 10, 20, 0);
}
END_TEST

START_TEST(cut_at_zero)
{
	struct pf_case cases[] = { { 100, 200, 1 }, { 300, 300, 2 } };
	struct pf_index index = { 0, 1000, 128 }, between = { 0, 1000, 250 };
	struct pf_piece pieces[6];

	ck_assert_uint_eq(pf_pieces_cut(&index, cases, 2, pieces), 6);
	check_piece(&pieces[1], 100, 127, 1);
	check_piece(&pieces[2], 128, 200, 1);
	check_piece(&pieces[3], 201, 299, 0);
	ck_assert_uint_eq(pf_pieces_cut(&between, cases, 2, pieces), 6);
	check_piece(&pieces[2], 201, 249, 0);
	check_piece(&pieces[3], 250, 299, 0);
}
END_TEST

/* Of a byte's 256 values 6 are cases: 250 have the default's .75, 226 of them beyond 29, 9 and 15 before. */
START_TEST(each_value_alike)
{
	struct pf_case cases[] = { { 9, 9, 1 }, { 25, 28, 2 }, { 29, 29, 1 } };
	struct pf_index index = { 0, 255, 0 };
	struct pf_way ways[] = { { .75, 0 }, { .2, 0 }, { .05, 0 } };
	struct pf_piece pieces[8];
	uint32_t count = pf_pieces_cut(&index, cases, 3, pieces);

	pf_pieces_weigh(pieces, count, ways);
	ck_assert_uint_eq(count, 6);
	ck_assert_double_eq_tol(pieces[0].weight, .75 * 9 / 250, NEAR);
	ck_assert_double_eq_tol(pieces[1].weight, .1, NEAR);
	ck_assert_double_eq_tol(pieces[2].weight, .75 * 15 / 250, NEAR);
	ck_assert_double_eq_tol(pieces[3].weight, .05, NEAR);
	ck_assert_double_eq_tol(pieces[4].weight, .1, NEAR);
	ck_assert_double_eq_tol(pieces[5].weight, .75 * 226 / 250, NEAR);
	ck_assert_double_eq_tol(ways[0].values, 250, NEAR);
}
END_TEST

/* One value of 2^64 - 2 is a little and not nothing. */
START_TEST(many_values)
{
	struct pf_case cases[] = { { 5, 5, 1 }, { 7, 7, 1 } };
	struct pf_index index = { 0, UINT64_MAX, 0 };
	struct pf_way ways[] = { { 1, 0 }, { 0, 0 } };
	struct pf_piece pieces[6];
	uint32_t count = pf_pieces_cut(&index, cases, 2, pieces);

	pf_pieces_weigh(pieces, count, ways);
	ck_assert_uint_eq(count, 5);
	ck_assert_double_eq_tol(pieces[2].weight * 0x1p64, 1, 1e-6);
	ck_assert_double_eq(pieces[1].weight, 0);
	ck_assert_double_eq_tol(pieces[4].weight, 1, NEAR);
}
END_TEST

/* 100 values before the cases, 50 between them, 150 behind: .2 between, the rest 2:3. */
START_TEST(known_part_outside)
{
	struct pf_case cases[] = { { 100, 109, 1 }, { 160, 169, 1 } };
	struct pf_index index = { 0, 319, 0 }, tight = { 100, 169, 0 };
	struct pf_way ways[] = { { .8, 0 }, { .2, 0 } }, again[] = { { .8, 0 }, { .2, 0 } };
	struct pf_piece pieces[6];
	uint32_t count = pf_pieces_cut(&index, cases, 2, pieces);

	pf_pieces_weigh(pieces, count, ways);
	pf_pieces_divide(pieces, count, .75);
	ck_assert_double_eq_tol(pieces[0].weight, .24, NEAR);
	ck_assert_double_eq_tol(pieces[1].weight, .1, NEAR);
	ck_assert_double_eq_tol(pieces[2].weight, .2, NEAR);
	ck_assert_double_eq_tol(pieces[4].weight, .36, NEAR);
	count = pf_pieces_cut(&tight, cases, 2, pieces);
	pf_pieces_weigh(pieces, count, again);
	pf_pieces_divide(pieces, count, .75);
	ck_assert_double_eq_tol(pieces[1].weight, .8, NEAR);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-pieces", cases_and_what_is_between, within_the_range, cut_at_zero, each_value_alike,
			 many_values, known_part_outside);
}
