/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compact vectors to traffic: weights, drops, and the cut into invocations; expectations by hand. */
#include "converter/intake.h"
#include "testsuite/unit/suite.h"

#define BASE 0x10000u

static struct pf_vec_map maps[] = {
	{ .start = BASE, .end = BASE + 0x1000, .offset = 0x2000, .path = "/bin/unit" },
	{ .start = 0x90000, .end = 0x91000, .path = "//anon" },
};

/* f: 0 to 0x3f; calls g (0x80 to 0x9f) at 0x10 and loops from 0x30 back to 0. */
static struct pf_vec_edge edges[] = {
	{ .kind = PF_EDGE_CALL, .start = BASE, .from = BASE + 0x10, .to = BASE + 0x80 },
	{ .kind = PF_EDGE_COND, .start = BASE + 0x80, .from = BASE + 0x84, .to = BASE + 0x90 },
	{ .kind = PF_EDGE_RETURN, .start = BASE + 0x90, .from = BASE + 0x9f, .to = BASE + 0x15 },
	{ .kind = PF_EDGE_COND, .start = BASE + 0x15, .from = BASE + 0x20, .to = BASE + 0x28 },
	{ .kind = PF_EDGE_COND, .start = BASE + 0x28, .from = BASE + 0x30, .to = BASE },
	{ .kind = PF_EDGE_JUMP, .from_map = 1, .to_map = 1, .start = 0x90000, .from = 0x90010, .to = 0x90000 },
	{ .kind = PF_EDGE_JUMP, .start = BASE + 0x40, .from = BASE + 0x30, .to = BASE },
	/* g's return again, as bursts come to it that began, or as code jumped, behind its beginning. */
	{ .kind = PF_EDGE_RETURN, .start = BASE + 0x92, .from = BASE + 0x9f, .to = BASE + 0x15 },
	{ .kind = PF_EDGE_RETURN, .start = BASE + 0x94, .from = BASE + 0x9f, .to = BASE + 0x15 },
	{ .kind = PF_EDGE_RETURN, .start = BASE + 0x98, .from = BASE + 0x9f, .to = BASE + 0x15 },
};

static const uint32_t round_trip[] = { 0, 1, 2, 3, 4, 0, 1, 2, 3, 4 };
static const uint32_t with_bad[] = { 3, 5, 6, 99, 4 };

static struct pf_traffic traffic;
static struct pf_recording recording;

static void take(struct pf_vec_burst *bursts, uint64_t count, struct pf_intake_options options)
{
	struct pf_vectors vectors = { .map_count = 2,
				      .edge_count = sizeof edges / sizeof edges[0],
				      .burst_count = count,
				      .maps = maps,
				      .edges = edges,
				      .bursts = bursts };
	struct pf_error error;

	ck_assert_int_eq(pf_intake_vectors(&traffic, &vectors, &options, &recording, &error), PF_OK);
}

static void drop_all(void)
{
	pf_traffic_fini(&traffic);
	pf_recording_fini(&recording);
}

static uint64_t weight_from(uint64_t from)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < traffic.edges.count; i++)
		sum += traffic.edges.at[i].from == from + 0x2000 ? traffic.edges.at[i].weight : 0;
	return sum;
}

START_TEST(sequences_by_invocation)
{
	struct pf_vec_burst burst = {
		.edge_count = 10, .edges = round_trip, .repeat = 1, .period = 1000, .elapsed = 10
	};

	take(&burst, 1, (struct pf_intake_options) { 0 });
	ck_assert_uint_eq(traffic.branches_used, 10);
	ck_assert_uint_eq(traffic.edges.count, 8); /* of the table, all but those that cannot be */
	ck_assert_uint_eq(weight_from(0x10), 2 * PF_WEIGHT_ONE);
	/* g's (its jump and its return), twice, and f's (call, jump, back edge, and the same again). */
	ck_assert_uint_eq(traffic.sequences.count, 2);
	ck_assert_uint_eq(traffic.sequences.at[0].count, 2);
	ck_assert_uint_eq(traffic.sequences.at[0].weight, 2 * PF_WEIGHT_ONE);
	ck_assert_uint_eq(traffic.sequences.at[1].count, 6);
	ck_assert_uint_eq(traffic.sequences.at[1].weight, PF_WEIGHT_ONE);
	ck_assert_uint_eq(traffic.edges.at[traffic.pool.at[traffic.sequences.at[1].first]].from, 0x2010);
	drop_all();
}
END_TEST

START_TEST(weights)
{
	struct pf_vec_burst bursts[] = {
		{ .edge_count = 5, .edges = round_trip, .repeat = 1, .period = 1000, .elapsed = 10 },
		{ .edge_count = 5, .edges = round_trip, .repeat = 1, .period = 3000, .elapsed = 30 },
	};

	take(bursts, 2, (struct pf_intake_options) { .weighting = PF_WEIGHT_NONE });
	ck_assert_uint_eq(weight_from(0x10), 2 * PF_WEIGHT_ONE);
	drop_all();
	/* Periods of half and one and a half times the mean. */
	take(bursts, 2, (struct pf_intake_options) { .weighting = PF_WEIGHT_PERIOD });
	ck_assert_uint_eq(weight_from(0x10), 2 * PF_WEIGHT_ONE);
	drop_all();
	bursts[1].edge_count = 0;
	take(bursts, 2, (struct pf_intake_options) { .weighting = PF_WEIGHT_PERIOD });
	ck_assert_uint_eq(weight_from(0x10), PF_WEIGHT_ONE / 2);
	drop_all();
	/* Without times the rate adds nothing. */
	bursts[1].edge_count = 5;
	take(bursts, 2, (struct pf_intake_options) { .weighting = PF_WEIGHT_RATE });
	ck_assert_uint_eq(weight_from(0x10), 2 * PF_WEIGHT_ONE);
	drop_all();
}
END_TEST

/* The weight of g's return with the code from START on, in executions. */
static uint64_t returns_from(uint64_t start)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < traffic.edges.count; i++) {
		const struct pf_traffic_edge *e = &traffic.edges.at[i];

		sum += e->from == 0x209f && e->start == start + 0x2000 ? e->weight : 0;
	}
	return sum / PF_WEIGHT_ONE;
}

/* A burst that begins in the middle of straight code counts for all of it, as others show where it begins. */
START_TEST(begun_in_the_middle)
{
	static const uint32_t at_92[] = { 7, 3, 4, 0, 1, 2 }, at_98[] = { 9, 3, 4, 0, 1, 8, 3, 4, 0, 1, 8 };
	struct pf_vec_burst bursts[] = {
		{ .edge_count = 6, .edges = at_92, .repeat = 1, .period = 1, .elapsed = 1 },
		{ .edge_count = 11, .edges = at_98, .repeat = 1, .period = 1, .elapsed = 1 },
	};

	/* Code never began at 0x98, but at 0x90. */
	take(bursts, 1, (struct pf_intake_options) { 0 });
	ck_assert_uint_eq(returns_from(0x90), 2);
	ck_assert_uint_eq(returns_from(0x92), 0);
	drop_all();
	/* At 0x94 more often than at 0x90: the burst at 0x98 came from there, that at 0x92 cannot. */
	take(bursts, 2, (struct pf_intake_options) { 0 });
	ck_assert_uint_eq(returns_from(0x90), 2);
	ck_assert_uint_eq(returns_from(0x94), 3);
	ck_assert_uint_eq(returns_from(0x98), 0);
	drop_all();
	/* What is behind a wait was cut off, and what nothing else shows is all that is known. */
	bursts[0].after_wait = true;
	bursts[1].edge_count = 5;
	take(bursts, 2, (struct pf_intake_options) { 0 });
	ck_assert_uint_eq(returns_from(0x90), 2);
	ck_assert_uint_eq(returns_from(0x92), 1);
	drop_all();
	take(bursts + 1, 1, (struct pf_intake_options) { 0 });
	ck_assert_uint_eq(returns_from(0x98), 1);
	drop_all();
}
END_TEST

START_TEST(drops_are_counted)
{
	struct pf_vec_burst burst = { .edge_count = 5, .edges = with_bad, .repeat = 3, .period = 1, .elapsed = 1 };

	take(&burst, 1, (struct pf_intake_options) { 0 });
	ck_assert_uint_eq(traffic.branches_read, 15);
	ck_assert_uint_eq(traffic.branches_used, 6);
	ck_assert_uint_eq(traffic.drops[PF_DROP_ANONYMOUS], 3);
	ck_assert_uint_eq(traffic.drops[PF_DROP_BACKWARDS], 3);
	ck_assert_uint_eq(traffic.drops[PF_DROP_CORRUPT], 3);
	drop_all();
	burst = (struct pf_vec_burst) { .edge_count = 10, .edges = round_trip, .repeat = 1, .period = 1, .elapsed = 1 };
	take(&burst, 1, (struct pf_intake_options) { .warm_up = 5 });
	ck_assert_uint_eq(traffic.drops[PF_DROP_WARM_UP], 5);
	ck_assert_uint_eq(weight_from(0x10), PF_WEIGHT_ONE);
	drop_all();
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-vectors", sequences_by_invocation, weights, begun_in_the_middle, drops_are_counted);
}
