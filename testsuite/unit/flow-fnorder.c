/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of functions: against all orders of small programs, against orders made by hand, and the same for the
 * same program however its calls are listed. */
#include "flow/fnorder.h"
#include "flow-random.h"
#include "testsuite/unit/suite.h"

#include <math.h>
#include <string.h>

#define SMALL 7
#define LARGE 3000

struct program {
	uint32_t count, arc_count;
	uint64_t sizes[LARGE], weights[LARGE];
	struct pf_arc arcs[LARGE * 3];
};

static struct program program;

/* Each function is entered as often as it is called, and once more. */
static void random_program(uint64_t seed, uint32_t count, uint32_t arc_count)
{
	struct flow_random r = flow_seed(seed);

	program.count = count;
	program.arc_count = arc_count;
	for (uint32_t i = 0; i < count; i++) {
		program.sizes[i] = 16 + flow_below(&r, 500);
		program.weights[i] = 1;
	}
	for (uint32_t i = 0; i < arc_count; i++) {
		struct pf_arc *a = &program.arcs[i];

		*a = (struct pf_arc) { flow_below(&r, count), flow_below(&r, count), 1u << flow_below(&r, 16), false };
		program.weights[a->to] += a->count;
	}
}

static void sort_program(uint32_t *order)
{
	ck_assert_int_eq(
	    pf_fnorder_sort(program.count, program.sizes, program.weights, program.arcs, program.arc_count, order), 0);
}

/* The published formula, written down once more. */
static double score(const uint32_t *order)
{
	double sum = 0, begin[LARGE], at = 0;

	for (uint32_t i = 0; i < program.count; i++) {
		begin[order[i]] = at;
		at += (double)program.sizes[order[i]];
	}
	for (uint32_t i = 0; i < program.arc_count; i++) {
		const struct pf_arc *a = &program.arcs[i];
		double distance = fabs(begin[a->from] + (double)(program.sizes[a->from] / 2) - begin[a->to]);

		if (a->from != a->to)
			sum += (double)a->count * pow(distance > 0 ? distance : 0.1, -0.25);
	}
	return sum;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static double best_of_all(uint32_t *order, uint32_t from)
{
	double best = 0;

	if (from == program.count)
		return score(order);
	for (uint32_t i = from; i < program.count; i++) {
		double below;

		swap(&order[from], &order[i]);
		below = best_of_all(order, from + 1);
		swap(&order[from], &order[i]);
		best = below > best ? below : best;
	}
	return best;
}

START_TEST(near_the_best_of_all_orders)
{
	double sum = 0, worst = 1;
	int programs = 200;

	for (int seed = 1; seed <= programs; seed++) {
		uint32_t order[SMALL], any[SMALL] = { 0, 1, 2, 3, 4, 5, 6 };
		double best, ratio;

		random_program((uint64_t)seed, SMALL, 10);
		best = best_of_all(any, 0);
		sort_program(order);
		ratio = score(order) / best;
		sum += ratio;
		worst = ratio < worst ? ratio : worst;
	}
	ck_assert_double_gt(sum / programs, 0.97);
	ck_assert_double_gt(worst, 0.85);
}
END_TEST

/* Two programs in one, their functions taken in turn: each comes to lie in one piece, the one with more calls first,
 * callers of the same callee around it. */
START_TEST(strangers_lie_apart)
{
	uint32_t order[6], expected[] = { 1, 3, 5 };

	program = (struct program) { .count = 6, .arc_count = 4 };
	for (uint32_t i = 0; i < 6; i++) {
		program.sizes[i] = 100;
		program.weights[i] = i % 2 ? 1000 : 10;
	}
	program.arcs[0] = (struct pf_arc) { 1, 3, 1000, false };
	program.arcs[1] = (struct pf_arc) { 3, 5, 1000, false };
	program.arcs[2] = (struct pf_arc) { 0, 2, 10, false };
	program.arcs[3] = (struct pf_arc) { 2, 4, 10, false };
	sort_program(order);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(order[i], expected[i]);
		ck_assert_uint_eq(order[i + 3], expected[i] - 1);
	}
}
END_TEST

/* Nothing calls anything: by entries for a byte. */
START_TEST(density_decides_without_calls)
{
	uint32_t order[4], expected[] = { 2, 0, 3, 1 };

	program = (struct program) { .count = 4, .sizes = { 100, 100, 10, 1000 }, .weights = { 50, 1, 40, 30 } };
	sort_program(order);
	ck_assert_mem_eq(order, expected, sizeof order);
}
END_TEST

START_TEST(each_function_once_in_any_order_of_calls)
{
	static uint32_t order[LARGE], again[LARGE];
	static bool seen[LARGE];
	struct flow_random r = flow_seed(99);

	random_program(5, LARGE, LARGE * 3);
	sort_program(order);
	for (uint32_t i = 0; i < LARGE; i++) {
		ck_assert(!seen[order[i]]);
		seen[order[i]] = true;
	}
	for (uint32_t i = program.arc_count - 1; i > 0; i--) {
		struct pf_arc *other = &program.arcs[flow_below(&r, i + 1)], kept = *other;

		*other = program.arcs[i];
		program.arcs[i] = kept;
	}
	sort_program(again);
	ck_assert_mem_eq(order, again, sizeof order);
}
END_TEST

/* Whatever a profile may say. */
START_TEST(extremes_are_ordered)
{
	uint32_t order[3];

	program = (struct program) {
		.count = 3,
		.arc_count = 3,
		.sizes = { 1, UINT64_MAX / 4, 1 },
		.weights = { UINT64_MAX, 0, UINT64_MAX },
		.arcs = { { 0, 2, UINT64_MAX, false }, { 2, 0, UINT64_MAX, false }, { 1, 1, UINT64_MAX, false } }
	};
	sort_program(order);
	ck_assert_uint_eq(order[0] + order[1], 2);
	ck_assert_uint_eq(order[2], 1);
	program.count = program.arc_count = 0;
	sort_program(order);
}
END_TEST

int main(void)
{
	return RUN_SUITE("flow-fnorder", near_the_best_of_all_orders, strangers_lie_apart,
			 density_decides_without_calls, each_function_once_in_any_order_of_calls, extremes_are_ordered);
}
