/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file stood where and when, against a search through all mappings. */
#include "converter/mapping.h"
#include "support/error.h"
#include "testsuite/unit/suite.h"

#define PIDS 3
#define SPAN 64
#define TIMES 8

static struct pf_mapping given[40];
static uint32_t state;

static uint32_t random_below(uint32_t limit)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 16) % limit;
}

/* The definition: of those that cover ADDRESS the newest at or before TIME, of one time the last in the file; if there
 * is none, the first of the later ones. */
static uint32_t search(uint32_t count, uint32_t pid, uint64_t address, uint64_t time)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++) {
		if (given[i].pid != pid || address < given[i].start || address >= given[i].end)
			continue;
		if (given[i].time <= time &&
		    (best == UINT32_MAX || given[best].time > time || given[i].time >= given[best].time))
			best = i;
		if (given[i].time > time &&
		    (best == UINT32_MAX || (given[best].time > time && given[i].time < given[best].time)))
			best = i;
	}
	return best == UINT32_MAX ? UINT32_MAX : given[best].module;
}

static void check_all(uint32_t count)
{
	struct pf_mappings m = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		given[i].pid = random_below(PIDS);
		given[i].start = random_below(SPAN);
		given[i].end = given[i].start + random_below(SPAN - (uint32_t)given[i].start + 1);
		given[i].time = random_below(TIMES);
		given[i].module = i;
		ck_assert_int_eq(pf_mappings_add(&m, &given[i]), PF_OK);
	}
	ck_assert_int_eq(pf_mappings_finish(&m), PF_OK);
	for (uint32_t pid = 0; pid < PIDS; pid++) {
		for (uint64_t address = 0; address <= SPAN; address++) {
			for (uint64_t time = 0; time <= TIMES; time++) {
				const struct pf_mapping *found = pf_mappings_find(&m, pid, address, time);

				ck_assert_uint_eq(found ? found->module : UINT32_MAX,
						  search(count, pid, address, time));
			}
		}
	}
	pf_mappings_fini(&m);
}

START_TEST(as_a_search_through_all)
{
	for (state = 0; state < 100; state++) {
		uint32_t seed = state;

		check_all(seed % (sizeof given / sizeof given[0]));
		state = seed;
	}
}
END_TEST

START_TEST(parents)
{
	struct pf_mappings m = { 0 };
	struct pf_mapping map = { .pid = 1, .module = 5, .start = 0, .end = 10 };

	ck_assert_int_eq(pf_mappings_add(&m, &map), PF_OK);
	ck_assert_int_eq(pf_mappings_fork(&m, 2, 1, 0), PF_OK);
	ck_assert_int_eq(pf_mappings_fork(&m, 1, 2, 0), PF_OK); /* a hostile circle */
	ck_assert_int_eq(pf_mappings_finish(&m), PF_OK);
	ck_assert_uint_eq(pf_mappings_find(&m, 2, 9, 0)->module, 5);
	ck_assert_ptr_null(pf_mappings_find(&m, 2, 10, 0));
	ck_assert_ptr_null(pf_mappings_find(&m, 3, 9, 0));
	pf_mappings_fini(&m);
}
END_TEST

static uint32_t module_at(const struct pf_mappings *m, uint32_t pid, uint64_t time)
{
	const struct pf_mapping *found = pf_mappings_find(m, pid, 5, time);

	return found ? found->module : UINT32_MAX;
}

/* Process 3 is at first a child of 1 that executes another program, and later, when the number is used again, one of 2
 * that does not. */
START_TEST(numbers_used_again)
{
	struct pf_mappings m = { 0 };
	const struct pf_mapping maps[] = {
		{ .pid = 1, .module = 10, .end = 10, .time = 1 },
		{ .pid = 2, .module = 20, .end = 10, .time = 2 },
		{ .pid = 3, .module = 30, .end = 10, .time = 20 },
		{ .pid = 1, .module = 11, .end = 10, .time = 15 },
	};

	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		ck_assert_int_eq(pf_mappings_add(&m, &maps[i]), PF_OK);
	ck_assert_int_eq(pf_mappings_fork(&m, 3, 2, 40), PF_OK);
	ck_assert_int_eq(pf_mappings_fork(&m, 3, 1, 10), PF_OK);
	ck_assert_int_eq(pf_mappings_finish(&m), PF_OK);
	ck_assert_uint_eq(module_at(&m, 3, 12), 10); /* before it executes */
	ck_assert_uint_eq(module_at(&m, 3, 17), 10); /* its parent has, by now */
	ck_assert_uint_eq(module_at(&m, 1, 17), 11);
	ck_assert_uint_eq(module_at(&m, 3, 20), 30);
	ck_assert_uint_eq(module_at(&m, 3, 39), 30);
	ck_assert_uint_eq(module_at(&m, 3, 40), 20);
	ck_assert_uint_eq(module_at(&m, 3, 99), 20);
	ck_assert_uint_eq(module_at(&m, 4, 99), UINT32_MAX);
	pf_mappings_fini(&m);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-mapping", as_a_search_through_all, numbers_used_again, parents);
}
