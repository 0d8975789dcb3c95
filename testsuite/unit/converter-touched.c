/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is taken is not left; against a plain list of marks. */
#include "converter/touched.h"
#include "support/error.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>

#define COUNT 500

START_TEST(what_was_taken_is_not_left)
{
	uint64_t addresses[COUNT];
	bool taken[COUNT] = { false };
	struct pf_touched t;

	srand(1);
	for (size_t i = 0; i < COUNT; i++)
		addresses[i] = 1000 + 3 * i;
	ck_assert_int_eq(pf_touched_init(&t, addresses, COUNT), PF_OK);
	for (int round = 0; round < 2000; round++) {
		uint64_t start = 990 + (uint64_t)(rand() % (3 * COUNT + 20)), end = start + (uint64_t)(rand() % 30);
		bool left = false;

		for (size_t i = 0; i < COUNT; i++)
			left |= !taken[i] && addresses[i] >= start && addresses[i] < end;
		ck_assert_int_eq(pf_touched_in(&t, start, end), left);
		for (size_t i = 0; i < COUNT && round % 3 == 0; i++)
			taken[i] |= addresses[i] >= start && addresses[i] < end;
		if (round % 3 == 0)
			pf_touched_take(&t, start, end);
	}
	pf_touched_take(&t, 0, UINT64_MAX);
	ck_assert(!pf_touched_in(&t, 0, UINT64_MAX));
	pf_touched_fini(&t);
}
END_TEST

START_TEST(none_is_none)
{
	struct pf_touched t = { 0 };

	ck_assert(!pf_touched_in(&t, 0, UINT64_MAX));
	pf_touched_take(&t, 0, UINT64_MAX);
	ck_assert_int_eq(pf_touched_init(&t, NULL, 0), PF_OK);
	ck_assert(!pf_touched_in(&t, 0, UINT64_MAX));
	pf_touched_fini(&t);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-touched", what_was_taken_is_not_left, none_is_none);
}
