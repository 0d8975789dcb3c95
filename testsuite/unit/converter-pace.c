/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bursts of a simulated program that is fast in one place and slow in another, at moments of its time: what is counted
 * must be in proportion to what ran.  How often each branch ran is known, as the simulation ran it. */
#include "converter/intake.h"
#include "testsuite/unit/suite.h"

#define BASE 0x100000u
#define REGIONS 3u
#define BRANCHES 4u /* of each region */
#define NOMINAL 256u
#define BURSTS 6000u
#define TIMINGS 1500u
#define STAGE 2000u /* branches that a region runs at a time */

static const double pace[REGIONS] = { 1, 30, 4 }; /* ns a branch, on the mean */
static struct pf_vec_edge edges[REGIONS * BRANCHES];
static struct pf_vec_map map = { .start = BASE, .end = BASE + 0x10000, .path = "/bin/unit" };
static struct pf_vec_burst bursts[BURSTS];
static uint32_t pool[BURSTS][NOMINAL];
static struct pf_vec_timing timings[TIMINGS];
static struct pf_vec_share shares[TIMINGS][REGIONS * BRANCHES];
static uint64_t state;
static struct pf_traffic traffic;
static struct pf_recording recording;

static double chance(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 33) / 2147483648.0;
}

static void place_all(void)
{
	for (uint32_t i = 0; i < REGIONS * BRANCHES; i++) {
		uint64_t at = BASE + 64 * i;

		edges[i] = (struct pf_vec_edge) { .kind = PF_EDGE_COND, .start = at, .from = at + 16, .to = at };
	}
}

/* Where the program is AT branches after its start: it runs its regions in turn. */
static uint32_t region_at(uint64_t at)
{
	return (uint32_t)(at / STAGE % REGIONS);
}

static double time_of(uint64_t at)
{
	return pace[region_at(at)];
}

/* A moment of the program's time, as a branch of its endless round. */
static uint64_t moment(void)
{
	double sum = 0, at;

	for (uint32_t r = 0; r < REGIONS; r++)
		sum += pace[r];
	at = chance() * sum;
	for (uint32_t r = 0; r < REGIONS; r++) {
		if (at < pace[r])
			return r * STAGE + (uint64_t)(at / pace[r] * STAGE);
		at -= pace[r];
	}
	return 0;
}

static uint32_t branch_at(uint64_t at)
{
	return region_at(at) * BRANCHES + (uint32_t)(chance() * BRANCHES);
}

/* Takes the time of a stretch that begins at a moment of the program's. */
static void take_time(uint32_t i)
{
	uint32_t counts[REGIONS * BRANCHES] = { 0 }, n = 0;
	uint64_t at = moment();
	double elapsed = 0;

	for (uint32_t k = 0; k < NOMINAL; k++) {
		counts[branch_at(at + k)]++;
		elapsed += time_of(at + k) * (0.5 + chance());
	}
	for (uint32_t e = 0; e < REGIONS * BRANCHES; e++) {
		if (counts[e])
			shares[i][n++] = (struct pf_vec_share) { e, counts[e] };
	}
	timings[i] = (struct pf_vec_timing) { (uint64_t)(elapsed + 1), n, shares[i] };
}

static void record(void)
{
	place_all();
	for (uint32_t i = 0; i < BURSTS; i++) {
		uint64_t at = moment();

		for (uint32_t k = 0; k < NOMINAL; k++)
			pool[i][k] = branch_at(at + k);
		bursts[i] = (struct pf_vec_burst) {
			.time = i, .repeat = 1, .period = 1000, .edge_count = NOMINAL, .edges = pool[i]
		};
	}
	for (uint32_t i = 0; i < TIMINGS; i++)
		take_time(i);
}

/* Counts COUNT bursts from FIRST on, of a recording with so many TIMED stretches. */
static void count(uint32_t first, uint32_t count, uint32_t timed, enum pf_weighting weighting)
{
	struct pf_vectors vectors = { .map_count = 1,
				      .edge_count = REGIONS * BRANCHES,
				      .burst_count = count,
				      .timing_count = timed,
				      .nominal_length = NOMINAL,
				      .maps = &map,
				      .edges = edges,
				      .timings = timings,
				      .bursts = bursts + first };
	struct pf_intake_options options = { .weighting = weighting };
	struct pf_error error;

	ck_assert_int_eq(pf_intake_vectors(&traffic, &vectors, &options, &recording, &error), PF_OK);
	pf_recording_fini(&recording);
}

/* Share of region R in what was counted. */
static double share(uint32_t r)
{
	double of = 0, all = 0;

	for (size_t i = 0; i < traffic.edges.count; i++) {
		all += (double)traffic.edges.at[i].weight;
		of += traffic.edges.at[i].from / 64 / BRANCHES == r ? (double)traffic.edges.at[i].weight : 0;
	}
	return of / all;
}

static void check_equal(double tolerance)
{
	for (uint32_t r = 0; r < REGIONS; r++)
		ck_assert_double_eq_tol(share(r), 1.0 / REGIONS, tolerance);
	pf_traffic_fini(&traffic);
}

/* Of the slow region if nothing is done: its share of the time, but its first branches are seen from the fast one. */
static double biased(void)
{
	return (pace[1] - (pace[1] - pace[0]) * NOMINAL / 2 / STAGE) / (pace[0] + pace[1] + pace[2]);
}

START_TEST(regions_of_any_pace_count_the_same)
{
	record();
	count(0, BURSTS, 0, PF_WEIGHT_RATE);
	ck_assert_double_eq_tol(share(1), biased(), 0.02);
	pf_traffic_fini(&traffic);
	count(0, BURSTS, TIMINGS, PF_WEIGHT_PERIOD);
	ck_assert_double_eq_tol(share(1), biased(), 0.02);
	pf_traffic_fini(&traffic);
	count(0, BURSTS, TIMINGS, PF_WEIGHT_RATE);
	check_equal(0.03);
}
END_TEST

/* Each region in a file of its own, each as long as it takes for as many branches. */
START_TEST(recordings_of_any_pace_add_up)
{
	uint32_t stretch = 20;

	record();
	for (uint32_t r = 0; r < REGIONS; r++) {
		uint32_t time = (uint32_t)pace[r] * stretch;

		for (uint32_t i = 0; i < time; i++) {
			for (uint32_t k = 0; k < NOMINAL; k++)
				pool[i][k] = r * BRANCHES + (uint32_t)(chance() * BRANCHES);
		}
		shares[0][0] = (struct pf_vec_share) { r * BRANCHES, NOMINAL };
		timings[0] = (struct pf_vec_timing) { (uint64_t)pace[r] * NOMINAL, 1, shares[0] };
		count(0, time, 1, PF_WEIGHT_RATE);
	}
	check_equal(0.01);
}
END_TEST

/* However slow the program is, a count is so many sightings. */
START_TEST(counts_are_as_many_as_sightings)
{
	double sum = 0;

	record();
	count(0, BURSTS, TIMINGS, PF_WEIGHT_RATE);
	pf_traffic_settle(&traffic);
	for (size_t i = 0; i < traffic.edges.count; i++)
		sum += (double)traffic.edges.at[i].weight;
	ck_assert_double_eq_tol(sum, (double)BURSTS * NOMINAL * PF_WEIGHT_ONE, REGIONS * BRANCHES);
	check_equal(0.03);
}
END_TEST

START_TEST(a_lost_processor_does_not_matter)
{
	record();
	for (uint32_t i = 0; i < TIMINGS; i += 50)
		timings[i].elapsed += 1000000;
	count(0, BURSTS, TIMINGS, PF_WEIGHT_RATE);
	check_equal(0.04);
}
END_TEST

START_TEST(times_that_cannot_be)
{
	record();
	for (uint32_t i = 0; i < TIMINGS; i++) {
		timings[i].elapsed = i % 2 ? UINT64_MAX : i % 3;
		timings[i].share_count = i % 5 ? timings[i].share_count : 0;
	}
	count(0, BURSTS, TIMINGS, PF_WEIGHT_RATE);
	for (uint32_t r = 0; r < REGIONS; r++)
		ck_assert(share(r) > 0 && share(r) < 1);
	pf_traffic_fini(&traffic);
	for (uint32_t i = 0; i < TIMINGS; i++)
		timings[i].elapsed = 0;
	count(0, BURSTS, TIMINGS, PF_WEIGHT_RATE);
	ck_assert_double_eq_tol(share(1), biased(), 0.02);
	pf_traffic_fini(&traffic);
}
END_TEST

/* Few times, which say nothing of where they were taken. */
START_TEST(times_that_are_only_noise)
{
	record();
	for (uint32_t i = 0; i < 24; i++)
		timings[i].elapsed = NOMINAL * (chance() < 0.5 ? 1 : 16);
	count(0, BURSTS, 24, PF_WEIGHT_RATE);
	ck_assert_double_eq_tol(share(1), biased(), 0.05);
	pf_traffic_fini(&traffic);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-pace", regions_of_any_pace_count_the_same, recordings_of_any_pace_add_up,
			 counts_are_as_many_as_sightings,
			 a_lost_processor_does_not_matter, times_that_cannot_be, times_that_are_only_noise);
}
