/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions after edits: where they are is written in the tests, as an editor would find them. */
#include "testsuite/unit/alignment-pair.h"

/* The profile of a loop with three calls:
 *
 *	0: int f(int n)
 *	2: 	int s = 0;
 *	3: 	for (int i = 0; i < n; i++) {
 *	4: 		s += a(i);
 *	5: 		if (s > 9)
 *	6: 			s = b(s) + s;
 *	7: 		s ^= c(s, i);
 *	8: 	}
 *	9: 	return s;
 *
 * Each line has the columns that its statements have; calls have a name. */
struct line {
	int32_t line;
	uint32_t columns[4]; /* 0: no more */
	const char *call;    /* at the first of them */
};

static const struct line loop[] = {
	{ 2, { 6 }, NULL },       { 3, { 20, 28 }, NULL }, { 4, { 8, 5 }, "a" },  { 5, { 6 }, NULL },
	{ 6, { 8, 13, 6 }, "b" }, { 7, { 8, 5 }, "c" },    { 9, { 9, 2 }, NULL },
};
#define LOOP (sizeof loop / sizeof *loop)

static void add_lines(struct pf_outline *outline, const struct line *lines, size_t count, int32_t by,
		      uint32_t columns_by)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned k = 0; k < 4 && lines[i].columns[k]; k++) {
			struct pf_position at = { lines[i].line + by, lines[i].columns[k] + columns_by, 0 };

			ck_assert(pf_outline_add(outline, &at, k == 0 ? lines[i].call : NULL));
		}
	}
}

static struct pf_outline profiled(void)
{
	struct pf_outline outline = { 0 };

	add_lines(&outline, loop, LOOP, 0, 0);
	pf_outline_sort(&outline);
	return outline;
}

/* Aligns the loop with TODAY. */
static void align(struct pair *p)
{
	p->profile = profiled();
	pf_outline_sort(&p->today);
	ck_assert_int_eq(pf_align(&p->profile, &p->today, &p->a), PF_OK);
}

START_TEST(what_was_not_edited_stays)
{
	struct pair p = { 0 };
	const struct line more[] = { { 1, { 3 }, NULL }, { 12, { 4, 8 }, "d" } };

	/* The source has more than what became code. */
	add_lines(&p.today, loop, LOOP, 0, 0);
	add_lines(&p.today, more, 2, 0, 0);
	align(&p);
	ck_assert_uint_eq(p.a.count, 0);
	ck_assert_uint_eq(pf_align_missing(&p.profile, &p.today), 0);
	CHECK_MOVED(&p.a, 6, 13, 6, 13);
	release(&p);
}
END_TEST

START_TEST(lines_put_in)
{
	struct pair p = { 0 };
	const struct line more[] = { { 4, { 3, 7 }, "log" }, { 5, { 3 }, NULL } };

	/* Two lines in front of the loop's body. */
	add_lines(&p.today, loop, 2, 0, 0);
	add_lines(&p.today, more, 2, 0, 0);
	add_lines(&p.today, loop + 2, LOOP - 2, 2, 0);
	align(&p);
	CHECK_MOVED(&p.a, 3, 28, 3, 28);
	CHECK_MOVED(&p.a, 4, 8, 6, 8);
	CHECK_MOVED(&p.a, 6, 13, 8, 13);
	CHECK_MOVED(&p.a, 9, 9, 11, 9);
	release(&p);
}
END_TEST

START_TEST(lines_taken_out)
{
	struct pair p = { 0 };

	/* Without the condition and its call.  Line 5 is line 7 now, and what was there is gone. */
	add_lines(&p.today, loop, 3, 0, 0);
	add_lines(&p.today, loop + 5, 2, -2, 0);
	align(&p);
	CHECK_MOVED(&p.a, 4, 8, 4, 8);
	CHECK_MOVED(&p.a, 5, 6, PF_NOWHERE, 6);
	CHECK_MOVED(&p.a, 7, 8, 5, 8);
	CHECK_MOVED(&p.a, 9, 9, 7, 9);
	release(&p);
}
END_TEST

START_TEST(a_block_got_a_condition_around_it)
{
	struct pair p = { 0 };
	const struct line condition[] = { { 4, { 6 }, NULL } };

	/* The body is one line down and one column in; the line of one position goes with its neighbours. */
	add_lines(&p.today, loop, 2, 0, 0);
	add_lines(&p.today, condition, 1, 0, 0);
	add_lines(&p.today, loop + 2, 4, 1, 1);
	add_lines(&p.today, loop + 6, 1, 2, 0);
	align(&p);
	CHECK_MOVED(&p.a, 3, 28, 3, 28);
	CHECK_MOVED(&p.a, 4, 8, 5, 9);
	CHECK_MOVED(&p.a, 5, 6, 6, 7);
	CHECK_MOVED(&p.a, 6, 13, 7, 14);
	CHECK_MOVED(&p.a, 7, 5, 8, 6);
	CHECK_MOVED(&p.a, 9, 9, 11, 9);
	release(&p);
}
END_TEST

START_TEST(a_block_went_elsewhere)
{
	struct pair p = { 0 };

	/* The body behind what followed it. */
	add_lines(&p.today, loop, 2, 0, 0);
	add_lines(&p.today, loop + 6, 1, -4, 0);
	add_lines(&p.today, loop + 2, 4, 2, 0);
	align(&p);
	CHECK_MOVED(&p.a, 3, 28, 3, 28);
	CHECK_MOVED(&p.a, 4, 8, 6, 8);
	CHECK_MOVED(&p.a, 7, 5, 9, 5);
	CHECK_MOVED(&p.a, 9, 9, 5, 9);
	release(&p);
}
END_TEST

START_TEST(chance_is_no_edit)
{
	struct pair p = { 0 };
	const struct line other[] = { { 30, { 8 }, NULL }, { 34, { 6, 9 }, NULL } };
	struct pf_outline with_strays = profiled();

	/* Lines of another function, whose columns coincide with some of this one's: they lie behind its end. */
	add_lines(&p.today, loop, LOOP, 0, 0);
	add_lines(&with_strays, other, 2, 0, 0);
	pf_outline_sort(&with_strays);
	pf_outline_sort(&p.today);
	ck_assert_int_eq(pf_align(&with_strays, &p.today, &p.a), PF_OK);
	ck_assert_uint_eq(p.a.count, 0);
	ck_assert_uint_eq(pf_align_missing(&with_strays, &p.today), 3);
	pf_outline_fini(&with_strays);
	release(&p);
}
END_TEST

START_TEST(nothing_in_common)
{
	struct pair p = { 0 };
	const struct line other[] = { { 2, { 40 }, "x" }, { 3, { 44, 50 }, "y" }, { 5, { 61 }, NULL } };

	add_lines(&p.today, other, 3, 0, 0);
	align(&p);
	ck_assert_uint_eq(p.a.count, 0);
	release(&p);
}
END_TEST

/* What one line of the profile is worth beside another is the anchor: lines that look the same are told apart by whom
 * they call. */
START_TEST(anchors_decide)
{
	struct pair p = { 0 };
	const struct line then[] = { { 1, { 3 }, "a" }, { 2, { 3 }, "b" }, { 3, { 3 }, "c" } };
	const struct line now[] = {
		{ 1, { 3 }, "x" }, { 2, { 3 }, "y" }, { 3, { 3 }, "a" }, { 4, { 3 }, "b" }, { 5, { 3 }, "c" }
	};

	add_lines(&p.profile, then, 3, 0, 0);
	add_lines(&p.today, now, 5, 0, 0);
	pf_outline_sort(&p.profile);
	pf_outline_sort(&p.today);
	ck_assert_int_eq(pf_align(&p.profile, &p.today, &p.a), PF_OK);
	CHECK_MOVED(&p.a, 1, 3, 3, 3);
	CHECK_MOVED(&p.a, 2, 3, 4, 3);
	CHECK_MOVED(&p.a, 3, 3, 5, 3);
	release(&p);
}
END_TEST

/* What no source has: lines at both ends of what a line can be. */
START_TEST(lines_far_apart)
{
	struct pair p = { 0 };
	const struct line far[] = { { INT32_MIN, { 3, 5 }, "a" },
				    { 7, { UINT32_MAX, 1 }, "b" },
				    { INT32_MAX, { 3 }, "c" } };

	add_lines(&p.profile, far, 3, 0, 0);
	add_lines(&p.today, loop, LOOP, 0, 0);
	pf_outline_sort(&p.profile);
	pf_outline_sort(&p.today);
	ck_assert_int_eq(pf_align(&p.profile, &p.today, &p.a), PF_OK);
	ck_assert_uint_eq(p.a.count, 0);
	CHECK_MOVED(&p.a, INT32_MIN, 3, INT32_MIN, 3);
	release(&p);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-align", what_was_not_edited_stays, lines_put_in, lines_taken_out,
			 a_block_got_a_condition_around_it, a_block_went_elsewhere, chance_is_no_edit,
			 nothing_in_common, anchors_decide, lines_far_apart);
}
