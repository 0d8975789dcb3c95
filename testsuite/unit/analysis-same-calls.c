/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libraries take for the same calls: counts by hand. */
#include "analysis/same-calls.h"
#include "testsuite/unit/suite.h"

START_TEST(gaps)
{
	json_t *base = json_pack("{s:[i,i], s:[i,i], s:[i,i], s:[i,i]}", "c strcmp", 100, 1000, "c memcpy", 8, 80,
				 "c memset", 5, 50, "c gone", 1, 10);
	json_t *other = json_pack("{s:[i,i], s:[i,i], s:[i,i], s:[i,i]}", "c strcmp", 100, 1300, "c memcpy", 7, 10,
				  "c memset", 5, 40, "c new", 1, 99);
	struct pf_same_calls_gap gap = pf_same_calls_compare(base, other);

	/* Fewer calls of memcpy are what the build gained; strcmp's 300 more and memset's 10 less are no one's. */
	ck_assert_int_eq(gap.instructions, 290);
	ck_assert_str_eq(gap.largest, "c strcmp");
	ck_assert_int_eq(gap.of_largest, 300);
	ck_assert_uint_eq(gap.calls, 100);
	gap = pf_same_calls_compare(base, base);
	ck_assert_int_eq(gap.instructions, 0);
	ck_assert_ptr_null(gap.largest);
	json_decref(base);
	json_decref(other);
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-same-calls", gaps);
}
