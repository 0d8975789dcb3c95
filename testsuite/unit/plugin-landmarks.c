/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where functions of an edited file are, by those around them: expectations follow from plugin/landmarks.h by hand. */
#include "plugin/landmarks.h"
#include "testsuite/unit/suite.h"

static void add(struct pf_landmarks *l, uint32_t profiled, uint32_t today)
{
	ck_assert_int_eq(pf_landmarks_add(l, profiled, today), PF_OK);
}

#define CHECK_DISTANCE(l, profiled, today, wanted) ck_assert_uint_eq(pf_landmarks_distance(l, profiled, today), wanted)

START_TEST(nothing_is_known)
{
	struct pf_landmarks l = { 0 };

	CHECK_DISTANCE(&l, 10, 10, 0);
	CHECK_DISTANCE(&l, 10, 11, UINT32_MAX);
	pf_landmarks_fini(&l);
}
END_TEST

/* Five lines were put in between line 10 and line 30: what is between the two is above them or below. */
START_TEST(by_the_side_of_the_edit)
{
	struct pf_landmarks l = { 0 };

	add(&l, 30, 35);
	add(&l, 10, 10);
	CHECK_DISTANCE(&l, 20, 20, 0);
	CHECK_DISTANCE(&l, 20, 25, 0);
	CHECK_DISTANCE(&l, 20, 24, 2); /* 22 is halfway */
	CHECK_DISTANCE(&l, 20, 9, UINT32_MAX);
	CHECK_DISTANCE(&l, 20, 36, UINT32_MAX);
	CHECK_DISTANCE(&l, 40, 45, 0);
	CHECK_DISTANCE(&l, 40, 48, 3);
	CHECK_DISTANCE(&l, 5, 5, 0);
	CHECK_DISTANCE(&l, 5, 2, 3);
	pf_landmarks_fini(&l);
}
END_TEST

/* All lines are twice as many. */
START_TEST(laid_out_anew)
{
	struct pf_landmarks l = { 0 };

	add(&l, 100, 200);
	add(&l, 200, 400);
	CHECK_DISTANCE(&l, 150, 298, 2);
	CHECK_DISTANCE(&l, 130, 298, 38);
	pf_landmarks_fini(&l);
}
END_TEST

/* The one of line 50 was moved to the top; the others did not move. */
START_TEST(one_was_moved)
{
	struct pf_landmarks l = { 0 };

	for (uint32_t line = 10; line < 100; line += 10)
		add(&l, line, line == 50 ? 1 : line);
	CHECK_DISTANCE(&l, 45, 45, 0);
	CHECK_DISTANCE(&l, 55, 55, 0);
	CHECK_DISTANCE(&l, 55, 39, UINT32_MAX);
	ck_assert_uint_eq(l.list.count, 8);
	pf_landmarks_fini(&l);
}
END_TEST

/* Two lines were put into what line 20 declares. */
START_TEST(what_was_edited)
{
	struct pf_landmarks l = { 0 };

	ck_assert(!pf_landmarks_edited(&l, 20, 20));
	for (uint32_t line = 10; line <= 60; line += 10)
		add(&l, line, line > 20 ? line + 2 : line);
	ck_assert(!pf_landmarks_edited(&l, 10, 10));
	ck_assert(pf_landmarks_edited(&l, 20, 20));
	ck_assert(!pf_landmarks_edited(&l, 25, 27));
	ck_assert(!pf_landmarks_edited(&l, 50, 52));
	ck_assert(pf_landmarks_edited(&l, 60, 62)); /* who knows */
	ck_assert(pf_landmarks_edited(&l, 0, 0));
	pf_landmarks_fini(&l);
}
END_TEST

/* Of six functions three are a line shorter. */
START_TEST(a_file_laid_out_anew)
{
	struct pf_landmarks l = { 0 };

	for (uint32_t line = 10; line <= 60; line += 10)
		add(&l, line, line > 30 ? line - 3 : line - (line - 10) / 10);
	add(&l, 70, 67);
	ck_assert(!pf_landmarks_edited(&l, 40, 37));
	add(&l, 80, 76);
	ck_assert(pf_landmarks_edited(&l, 40, 37));
	pf_landmarks_fini(&l);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-landmarks", nothing_is_known, by_the_side_of_the_edit, laid_out_anew, one_was_moved,
			 what_was_edited, a_file_laid_out_anew);
}
