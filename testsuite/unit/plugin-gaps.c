/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function that was laid out anew: where its positions are is written in the tests, as the compiler tells them of
 * both.
 *
 *	0: int f(int n)                 0: int f( int n ) {
 *	2: 	int s = a(n);           1:   int s = a( n );
 *	3: 	if (s > 9)              2:   if ( s > 9 ) s = b( s ) ^ s;
 *	4: 		s = b(s) ^ s;   3:   return s
 *	5: 	return s + 3;           4:     + 3; }
 */
#include "plugin/gaps.h"
#include "testsuite/unit/alignment-pair.h"

struct spot {
	int32_t line;
	uint32_t column;
	const char *what; /* "?": a condition; else whom it calls */
};

static const struct spot then[] = { { 2, 10, "a" }, { 3, 5, "?" }, { 4, 7, "b" }, { 4, 12, NULL }, { 5, 11, NULL } };
static const struct spot now[] = { { 1, 11, "a" },  { 2, 8, "?" },  { 2, 19, "b" },
				   { 2, 26, NULL }, { 4, 5, NULL }, { 4, 10, NULL } };
#define COUNT(spots) (sizeof(spots) / sizeof *(spots))

static void add_spots(struct pf_outline *outline, const struct spot *spots, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct pf_position at = { spots[i].line, spots[i].column, 0 };
		bool decides = spots[i].what && strcmp(spots[i].what, "?") == 0;

		ck_assert(pf_outline_add(outline, &at, decides ? NULL : spots[i].what));
		ck_assert(!decides || pf_outline_add_condition(outline, &at));
	}
	pf_outline_sort(outline);
}

static void fill_in(struct pair *p, bool edited, const struct spot *ours, size_t our_count, const struct spot *theirs,
		    size_t their_count)
{
	add_spots(&p->profile, ours, our_count);
	add_spots(&p->today, theirs, their_count);
	p->a.source = &p->today;
	ck_assert_int_eq(pf_gaps_fill(&p->profile, edited, &p->a), PF_OK);
}

static void fill(struct pair *p, const struct spot *ours, size_t our_count, const struct spot *theirs,
		 size_t their_count)
{
	fill_in(p, true, ours, our_count, theirs, their_count);
}

START_TEST(all_was_laid_out_anew)
{
	struct pair p = { 0 };

	fill(&p, then, COUNT(then), now, COUNT(now));
	ck_assert(pf_alignment_moves(&p.a));
	CHECK_MOVED(&p.a, 2, 10, 1, 11);
	CHECK_MOVED(&p.a, 3, 5, 2, 8);
	CHECK_MOVED(&p.a, 4, 7, 2, 19);
	CHECK_MOVED(&p.a, 4, 12, 2, 26);
	release(&p);
}
END_TEST

/* What stands where it stood holds the gaps: the call of the one that is called otherwise now is between two such. */
START_TEST(a_callee_of_another_name)
{
	struct pair p = { 0 };
	const struct spot renamed[] = {
		{ 2, 10, "a" }, { 3, 5, "?" }, { 4, 9, "longer" }, { 4, 19, NULL }, { 5, 11, NULL }
	};

	fill(&p, then, COUNT(then), renamed, COUNT(renamed));
	CHECK_MOVED(&p.a, 3, 5, 3, 5);
	CHECK_MOVED(&p.a, 4, 7, 4, 9);
	CHECK_MOVED(&p.a, 4, 12, 4, 19);
	release(&p);
}
END_TEST

/* A condition is there no more, so that nothing in its gap is what it was. */
START_TEST(something_else_is_written_there)
{
	struct pair p = { 0 };
	const struct spot other[] = {
		{ 2, 10, "a" }, { 3, 9, NULL }, { 3, 14, NULL }, { 4, 8, NULL }, { 5, 11, NULL }
	};

	fill(&p, then, COUNT(then), other, COUNT(other));
	ck_assert(!pf_alignment_moves(&p.a));
	release(&p);
}
END_TEST

/* Order alone makes no function of nothing but conditions another one. */
START_TEST(nothing_holds_it)
{
	struct pair p = { 0 };
	const struct spot ours[] = { { 2, 10, NULL }, { 3, 5, "?" }, { 4, 7, NULL } };
	const struct spot theirs[] = { { 1, 3, NULL }, { 2, 9, "?" }, { 3, 12, NULL }, { 3, 19, "other" } };

	fill(&p, ours, COUNT(ours), theirs, COUNT(theirs));
	ck_assert(!pf_alignment_moves(&p.a));
	release(&p);
}
END_TEST

/*
 *	2: 	if (end)                        1:   if (end) {
 *	4: 		move(s - end);          2:     move(s -
 *	6: 	n += s;                         3:          end); }
 *	7: 	end = s;                        6:   n += s;
 *	8: }                                    7:   end = s;
 *
 * What is six columns behind the call in its line is so still, and what is in a line below it is no part of it. */
START_TEST(what_stands_together)
{
	struct pair p = { 0 };
	const struct spot ours[] = { { 2, 6, NULL }, { 2, 6, "?" },  { 4, 3, "move" }, { 4, 9, NULL },
				     { 6, 4, NULL }, { 7, 6, NULL }, { 8, 1, NULL } };
	const struct spot theirs[] = { { 0, 6, NULL },  { 1, 7, "?" },   { 2, 5, "move" }, { 2, 7, NULL },
				       { 2, 11, NULL }, { 3, 18, NULL }, { 6, 5, NULL },   { 6, 8, NULL },
				       { 7, 7, NULL },  { 8, 1, NULL } };

	fill(&p, ours, COUNT(ours), theirs, COUNT(theirs));
	CHECK_MOVED(&p.a, 2, 6, 1, 7);
	CHECK_MOVED(&p.a, 4, 3, 2, 5);
	CHECK_MOVED(&p.a, 4, 9, 2, 11);
	CHECK_MOVED(&p.a, 6, 4, 6, 5);
	CHECK_MOVED(&p.a, 7, 6, 7, 7);
	release(&p);
}
END_TEST

/* What shifts find is little, and chance: as a whole the function is another one's layout.  What the source has no more
 * is nowhere. */
START_TEST(what_shifts_find_is_chance)
{
	struct pair p = { 0 };
	const struct spot ours[] = { { 2, 5, "a" }, { 3, 5, NULL }, { 5, 5, "b" }, { 7, 5, "c" }, { 9, 5, NULL } };
	const struct spot theirs[] = { { 1, 3, "a" }, { 2, 5, "d" }, { 3, 3, "b" }, { 5, 3, "c" } };

	fill(&p, ours, COUNT(ours), theirs, COUNT(theirs));
	CHECK_MOVED(&p.a, 2, 5, 1, 3);
	CHECK_MOVED(&p.a, 5, 5, 3, 3);
	CHECK_MOVED(&p.a, 7, 5, 5, 3);
	struct pf_position last = { 9, 5, 0 };
	ck_assert(!pf_align_position(&p.a, &last));
	ck_assert_int_eq(last.line, PF_NOWHERE);
	release(&p);
}
END_TEST

/* In their columns still, but where nobody knows of an edit, another function's. */
START_TEST(what_nobody_edited)
{
	struct pair p = { 0 };
	const struct spot ours[] = { { 4, 9, NULL }, { 11, 2, NULL }, { 11, 11, NULL } };
	const struct spot theirs[] = { { 2, 9, NULL }, { 3, 2, "?" }, { 3, 11, NULL } };

	fill_in(&p, false, ours, COUNT(ours), theirs, COUNT(theirs));
	ck_assert(!pf_alignment_moves(&p.a));
	fill(&p, NULL, 0, NULL, 0);
	CHECK_MOVED(&p.a, 11, 11, 3, 11);
	release(&p);
}
END_TEST

/* A source without a position, as of what the compiler made, and lines as far apart as numbers go. */
START_TEST(nothing_to_lay_on)
{
	struct pair p = { 0 }, q = { 0 };
	const struct spot ours[] = { { INT32_MIN + 1, 9, NULL }, { 2, UINT32_MAX, "a" }, { INT32_MAX, 1, NULL } };
	const struct spot theirs[] = { { INT32_MIN + 1, 1, NULL }, { 3, 1, "a" }, { INT32_MAX, UINT32_MAX, NULL } };

	fill(&p, ours, COUNT(ours), NULL, 0);
	ck_assert(!pf_alignment_moves(&p.a));
	release(&p);
	fill(&q, ours, COUNT(ours), theirs, COUNT(theirs));
	CHECK_MOVED(&q.a, 2, UINT32_MAX, 3, 1);
	release(&q);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-gaps", all_was_laid_out_anew, a_callee_of_another_name,
			 something_else_is_written_there, nothing_holds_it, what_stands_together,
			 what_shifts_find_is_chance, what_nobody_edited, nothing_to_lay_on);
}
