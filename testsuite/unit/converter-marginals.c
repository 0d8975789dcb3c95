/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches and straight code that were counted apart become edges with the same sums. */
#include "converter/marginals.h"
#include "testsuite/unit/suite.h"

/* The text goes over to another object and comes back to the first, which it says by its id. */
static struct pf_aggregate_object objects[] = { { { 1 }, 1 }, { { 2 }, 1 }, { { 1 }, 1 } };
static struct pf_traffic traffic;

static struct pf_aggregate entry(enum pf_aggregate_kind kind, uint64_t from, uint64_t to, uint64_t count,
				 uint64_t missed)
{
	return (struct pf_aggregate) {
		.kind = kind, .from = { .address = from }, .to = { .address = to }, .count = count, .missed = missed
	};
}

static void take(struct pf_aggregate *list, size_t count, bool bare)
{
	struct pf_aggregates aggregates = { .objects = { .at = objects, .count = 3 },
					    .list = { .at = list, .count = count } };
	struct pf_intake_options options = { .bare = bare };
	struct pf_recording recording = { 0 };
	struct pf_error error;

	traffic = (struct pf_traffic) { 0 };
	ck_assert_int_eq(pf_marginals_take(&traffic, &aggregates, "unit", &options, &recording, &error), PF_OK);
	pf_recording_fini(&recording);
}

/* The weight of the edge in counts, and its mispredictions; it is not there: 0. */
static uint64_t edge(uint64_t start, uint64_t from, uint64_t to, uint64_t *missed)
{
	for (size_t i = 0; i < traffic.edges.count; i++) {
		const struct pf_traffic_edge *e = &traffic.edges.at[i];

		if (e->start == start && e->from == from && e->to == to) {
			*missed = e->missed / PF_WEIGHT_ONE;
			return e->weight / PF_WEIGHT_ONE;
		}
	}
	*missed = 0;
	return 0;
}

static void check(uint64_t start, uint64_t from, uint64_t to, uint64_t weight, uint64_t missed)
{
	uint64_t got;

	ck_assert_uint_eq(edge(start, from, to, &got), weight);
	ck_assert_uint_eq(got, missed);
}

/* Code from 10 (3 times) and 20 (7 times) to the branch at 30, which goes to 40 (6, one of them mispredicted) and 50
 * (4): laid side by side, 0-3 of the code and 0-6 of the branch, 3-6, and 6-10. */
START_TEST(equal_sums)
{
	struct pf_aggregate list[] = {
		entry(PF_AGGREGATE_BRANCH, 30, 50, 4, 4),
		entry(PF_AGGREGATE_RUN, 20, 30, 7, 0),
		entry(PF_AGGREGATE_BRANCH, 30, 40, 6, 0),
		entry(PF_AGGREGATE_RUN, 10, 30, 3, 0),
	};

	take(list, 4, false);
	check(10, 30, 40, 3, 0);
	check(20, 30, 40, 3, 0);
	check(20, 30, 50, 4, 4);
	ck_assert_uint_eq(traffic.edges.count, 3);
	ck_assert_uint_eq(traffic.branches_used, 10);
	pf_traffic_fini(&traffic);
}
END_TEST

/* Of 10 branches 5 have code in front: 3 and 2 are used.  Those left are the oldest; or they are kept, without code,
 * and with what is left of the mispredictions. */
START_TEST(more_branches_than_code)
{
	struct pf_aggregate list[] = {
		entry(PF_AGGREGATE_BRANCH, 30, 40, 6, 2),
		entry(PF_AGGREGATE_BRANCH, 30, 50, 4, 0),
		entry(PF_AGGREGATE_RUN, 10, 30, 5, 0),
	};

	take(list, 3, false);
	check(10, 30, 40, 3, 1);
	check(10, 30, 50, 2, 0);
	ck_assert_uint_eq(traffic.drops[PF_DROP_OLDEST], 5);
	ck_assert_uint_eq(traffic.branches_read, 10);
	ck_assert_uint_eq(traffic.branches_used, 5);
	pf_traffic_fini(&traffic);
	take(list, 3, true);
	check(10, 30, 40, 3, 1);
	check(30, 30, 40, 3, 1);
	check(30, 30, 50, 2, 0);
	ck_assert_uint_eq(traffic.branches_used, 10);
	pf_traffic_fini(&traffic);
}
END_TEST

START_TEST(more_code_than_branches)
{
	struct pf_aggregate list[] = {
		entry(PF_AGGREGATE_BRANCH, 30, 40, 2, 0),
		entry(PF_AGGREGATE_RUN, 10, 30, 5, 0),
		entry(PF_AGGREGATE_RUN, 60, 70, 9, 0),
	};

	take(list, 3, false);
	check(10, 30, 40, 2, 0);
	check(10, 30, 0, 3, 0);
	check(60, 70, 0, 9, 0);
	ck_assert_uint_eq(traffic.branches_used, 2);
	pf_traffic_fini(&traffic);
}
END_TEST

/* Code and the branch behind it are of one place where the text was at another object in between, and so are two pieces
 * of code that end at one branch. */
START_TEST(object_named_again)
{
	struct pf_aggregate list[] = {
		entry(PF_AGGREGATE_BRANCH, 30, 40, 6, 2), entry(PF_AGGREGATE_BRANCH, 30, 50, 4, 0),
		entry(PF_AGGREGATE_RUN, 10, 30, 7, 0),    entry(PF_AGGREGATE_RUN, 10, 30, 3, 0),
		entry(PF_AGGREGATE_SAMPLE, 30, 0, 8, 0),  entry(PF_AGGREGATE_SAMPLE, 30, 0, 9, 0),
	};

	list[1].to.object = 1;
	list[2].from.object = list[2].to.object = 2;
	list[3].from.object = 2; /* of the same object by another number */
	list[5].from.object = 2;
	take(list, 6, false);
	check(10, 30, 40, 6, 2);
	check(10, 30, 50, 4, 0);
	ck_assert_uint_eq(traffic.edges.count, 2);
	ck_assert_uint_eq(traffic.drops[PF_DROP_OLDEST], 0);
	ck_assert_uint_eq(traffic.drops[PF_DROP_UNMAPPED], 0);
	ck_assert_uint_eq(traffic.samples.count, 1);
	pf_traffic_fini(&traffic);
}
END_TEST

/* Straight code cannot go back, or over objects, or on for ever. */
START_TEST(impossible_code)
{
	struct pf_aggregate list[] = {
		entry(PF_AGGREGATE_BRANCH, 30, 40, 1, 0),
		entry(PF_AGGREGATE_RUN, 50, 30, 2, 0),
		entry(PF_AGGREGATE_RUN, 10, 30, 4, 0),
		entry(PF_AGGREGATE_RUN, 10, 1u << 30, 8, 0),
	};

	list[2].from.object = PF_AGGREGATE_UNKNOWN;
	take(list, 4, false);
	ck_assert_uint_eq(traffic.drops[PF_DROP_BACKWARDS], 2);
	ck_assert_uint_eq(traffic.drops[PF_DROP_UNMAPPED], 4);
	ck_assert_uint_eq(traffic.drops[PF_DROP_LONG], 8);
	ck_assert_uint_eq(traffic.drops[PF_DROP_OLDEST], 1);
	ck_assert_uint_eq(traffic.edges.count, 0);
	pf_traffic_fini(&traffic);
}
END_TEST

/* Sums that do not fit into 64 bits stop at the largest value. */
START_TEST(hostile_counts)
{
	struct pf_aggregate list[] = {
		entry(PF_AGGREGATE_BRANCH, 30, 40, UINT64_MAX, UINT64_MAX),
		entry(PF_AGGREGATE_BRANCH, 30, 50, UINT64_MAX, 1),
		entry(PF_AGGREGATE_RUN, 10, 30, UINT64_MAX, 0),
		entry(PF_AGGREGATE_RUN, 20, 30, UINT64_MAX, 0),
	};

	take(list, 4, true);
	ck_assert_uint_gt(traffic.edges.count, 0);
	pf_traffic_fini(&traffic);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-marginals", equal_sums, more_branches_than_code, more_code_than_branches,
			 object_named_again, impossible_code, hostile_counts);
}
