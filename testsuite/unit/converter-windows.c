/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths are shortened, not lost: what ended with a decision stays as much as it was while there is room.  Weights that
 * no 64 bits hold do not keep the reduction from its end. */
#include "converter/windows.h"
#include "testsuite/unit/suite.h"

/* A sequence of the COUNT decisions at LINES, each of which went on in the line below; one window ends with its last.
 */
static void add(struct pf_windows *w, uint64_t weight, const int32_t *lines, uint32_t count)
{
	uint32_t first = (uint32_t)w->decisions.count;

	for (uint32_t i = 0; i < count; i++) {
		struct pf_decision *new = pf_array_push(&w->decisions);

		if (!new)
			ck_abort_msg("out of memory");
		new->from.position.line = lines[i];
		new->to.position.line = lines[i] + 1;
	}
	ck_assert_int_eq(pf_windows_add(w, first, first + count - 1, weight), PF_OK);
}

static int32_t newest(const struct pf_windows *w, size_t i)
{
	return w->decisions.at[w->list.at[i].last].from.position.line;
}

START_TEST(equal_ones_add_up)
{
	struct pf_windows w = { 0 };
	struct pf_windows_lost lost;

	add(&w, 3, (int32_t[]) { 10, 20 }, 2);
	add(&w, 5, (int32_t[]) { 30, 20 }, 2);
	add(&w, 4, (int32_t[]) { 10, 20 }, 2);
	lost = pf_windows_reduce(&w, 256);
	ck_assert_uint_eq(w.list.count, 2);
	ck_assert_uint_eq(w.list.at[0].weight, 7);
	ck_assert_uint_eq(w.list.at[1].weight, 5);
	ck_assert_uint_eq(w.list.at[0].count, 2);
	ck_assert_uint_eq(lost.count + lost.weight, 0);
	pf_windows_fini(&w);
}
END_TEST

START_TEST(light_ones_lose_their_past)
{
	struct pf_windows w = { 0 };
	struct pf_windows_lost lost;

	/* Of 10,000 a thousandth is 10, so that less than 11 is light: 6 and 7 are, and 13 is not; 9 alone is lost. */
	add(&w, 9978, (int32_t[]) { 10, 20 }, 2);
	add(&w, 6, (int32_t[]) { 1, 30, 40 }, 3);
	add(&w, 7, (int32_t[]) { 2, 30, 40 }, 3);
	add(&w, 9, (int32_t[]) { 50, 60 }, 2);
	lost = pf_windows_reduce(&w, 256);
	ck_assert_uint_eq(w.list.count, 2);
	ck_assert_int_eq(newest(&w, 0), 20);
	ck_assert_uint_eq(w.list.at[0].weight, 9978);
	ck_assert_int_eq(newest(&w, 1), 40);
	ck_assert_uint_eq(w.list.at[1].weight, 13);
	ck_assert_uint_eq(w.list.at[1].count, 2);
	ck_assert_uint_eq(lost.count, 1);
	ck_assert_uint_eq(lost.weight, 9);
	pf_windows_fini(&w);
}
END_TEST

START_TEST(the_heaviest_stay_where_room_ends)
{
	struct pf_windows w = { 0 };
	struct pf_windows_lost lost;
	uint64_t weight = 0;

	/* Decisions 1 to 300, of that weight: 45,150 in all, so that limits are 46, 92 and 184, which 117 reach. */
	for (int32_t line = 1; line <= 300; line++)
		add(&w, (uint64_t)line, &line, 1);
	lost = pf_windows_reduce(&w, 200);
	ck_assert_uint_eq(w.list.count, 117);
	ck_assert_uint_eq(lost.count, 183);
	for (size_t i = 0; i < w.list.count; i++) {
		ck_assert_uint_eq(w.list.at[i].weight, (uint64_t)newest(&w, i));
		ck_assert_uint_ge(w.list.at[i].weight, 184);
		weight += w.list.at[i].weight;
	}
	ck_assert_uint_eq(weight + lost.weight, 45150);
	pf_windows_fini(&w);
}
END_TEST

START_TEST(saturated_weights_come_to_an_end)
{
	for (uint32_t number = 2; number <= 300; number += 298) {
		struct pf_windows w = { 0 };
		struct pf_windows_lost lost;

		for (int32_t line = 1; line <= (int32_t)number; line++)
			add(&w, UINT64_MAX, &line, 1);
		add(&w, 1, (int32_t[]) { 1000 }, 1);
		lost = pf_windows_reduce(&w, 256);
		/* Two have room; of 300 that are all as heavy as can be, none is heavier than the others. */
		ck_assert_uint_eq(w.list.count, number == 2 ? 2 : 0);
		ck_assert_uint_eq(lost.count, number == 2 ? 1 : 301);
		ck_assert_uint_eq(lost.weight, number == 2 ? 1 : UINT64_MAX);
		pf_windows_fini(&w);
	}
}
END_TEST

/* Of a long recording's sequences most say the same: memory is for what they say, and the counts are all of theirs. */
START_TEST(what_is_said_again_takes_no_room)
{
	enum { SEQUENCES = 600000, KINDS = 100 };
	struct pf_windows w = { 0 };

	for (int32_t i = 0; i < SEQUENCES; i++)
		add(&w, 1, (int32_t[]) { 1000, i % 7, 2000 + i % KINDS }, 3);
	ck_assert_uint_lt(w.decisions.count, 2 * SEQUENCES);
	pf_windows_reduce(&w, 1000);
	/* Each of the hundred last ones had each of the seven before it: 7 and 100 have no common factor. */
	ck_assert_uint_eq(w.list.count, 7 * KINDS);
	for (size_t i = 0; i < w.list.count; i++) {
		uint32_t last = w.list.at[i].last;

		ck_assert_uint_eq(w.list.at[i].count, 3);
		ck_assert_int_eq(newest(&w, i), 2000 + (int32_t)i / 7);
		ck_assert_int_eq(w.decisions.at[last - 1].from.position.line, (int32_t)i % 7);
		ck_assert_int_eq(w.decisions.at[last - 2].from.position.line, 1000);
		ck_assert_uint_ge(w.list.at[i].weight, SEQUENCES / (7 * KINDS));
		ck_assert_uint_le(w.list.at[i].weight, SEQUENCES / (7 * KINDS) + 1);
	}
	pf_windows_fini(&w);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-windows", equal_ones_add_up, light_ones_lose_their_past,
			 the_heaviest_stay_where_room_ends, saturated_weights_come_to_an_end,
			 what_is_said_again_takes_no_room);
}
