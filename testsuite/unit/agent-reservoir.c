/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reservoir against hand computation, statistics with fixed seeds, a look between any two of its instructions, and
 * a shared memory that somebody else writes to. */
#include "runtime/agent/reservoir.h"
#include "testsuite/unit/suite.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS PF_RESERVOIR_LEAST_CHUNKS
#define TABLES_AT 4096u
#define CHUNKS_AT 8192u
#define MOST_EDGES 16u
#define BIG_CHUNK 512u

static _Alignas(8) uint8_t section[CHUNKS_AT + CHUNKS * BIG_CHUNK];
static struct pf_wire_chunk own[CHUNKS];
static struct pf_reservoir reservoir;

static void begin(uint32_t chunk_size, uint64_t seed)
{
	struct pf_wire_layout layout = { .chunk_size = chunk_size,
					 .tables = { TABLES_AT, CHUNKS },
					 .chunks = { CHUNKS_AT, CHUNKS } };

	memset(section, 0, sizeof section);
	memset(own, 0, sizeof own);
	pf_reservoir_init(&reservoir, &layout, section, own, seed);
}

/* Burst NUMBER has its number as time, and ids that follow from it. */
static bool add(uint64_t number, uint32_t edge_count)
{
	struct pf_wire_burst burst = { .edge_count = edge_count, .time_ns = number };
	uint32_t ids[MOST_EDGES];

	for (uint32_t i = 0; i < edge_count; i++)
		ids[i] = (uint32_t)number * 31 + i;
	return pf_reservoir_add(&reservoir, &burst, ids);
}

/* What a reader finds: calls SEE for each burst with its weight; the sum of the weights, or -1 if anything is torn. */
typedef void see_burst(void *context, const struct pf_wire_burst *burst, uint64_t weight);

static int64_t read_section(uint32_t chunk_size, see_burst *see, void *context)
{
	uint64_t epoch = ((struct pf_wire_header *)section)->epoch;
	const struct pf_wire_chunk *table = (const struct pf_wire_chunk *)(section + TABLES_AT) + epoch % 2 * CHUNKS;
	int64_t sum = 0;

	for (uint32_t c = 0; c < CHUNKS; c++) {
		const uint8_t *at = section + CHUNKS_AT + c * chunk_size, *end = at + table[c].used;

		while (at < end) {
			const struct pf_wire_burst *burst = (const struct pf_wire_burst *)at;
			const uint32_t *ids = (const uint32_t *)(burst + 1);

			if (burst->edge_count == 0 || burst->edge_count > MOST_EDGES)
				return -1;
			for (uint32_t i = 0; i < burst->edge_count; i++)
				if (ids[i] != (uint32_t)burst->time_ns * 31 + i)
					return -1;
			if (see)
				see(context, burst, 1ull << table[c].generation);
			sum += 1ll << table[c].generation;
			at += pf_wire_burst_size(burst->edge_count);
		}
	}
	return sum;
}

struct weights {
	uint64_t of[256];
};

static void note_weight(void *context, const struct pf_wire_burst *burst, uint64_t weight)
{
	struct weights *weights = context;

	ck_assert_uint_lt(burst->time_ns, 256);
	ck_assert_uint_eq(weights->of[burst->time_ns], 0);
	weights->of[burst->time_ns] = weight;
}

/* Two bursts of 48 bytes fill a chunk of 96; 47 chunks are filled before the last free one is needed. */
START_TEST(the_first_thinning_by_hand)
{
	struct weights weights = { 0 };

	begin(96, 1);
	for (uint64_t i = 0; i < 94; i++)
		ck_assert(add(i, 2));
	ck_assert_int_eq(read_section(96, note_weight, &weights), 94);
	for (int i = 0; i < 94; i++)
		ck_assert_uint_eq(weights.of[i], 1);
	ck_assert(add(94, 2));
	memset(&weights, 0, sizeof weights);
	ck_assert_int_eq(read_section(96, note_weight, &weights), 95);
	/* Of 0 and 1 one is left and stands for both, and so of 2 and 3; all others are as they were. */
	ck_assert_uint_eq(weights.of[0] + weights.of[1], 2);
	ck_assert_uint_eq(weights.of[0] * weights.of[1], 0);
	ck_assert_uint_eq(weights.of[2] + weights.of[3], 2);
	ck_assert_uint_eq(weights.of[2] * weights.of[3], 0);
	for (int i = 4; i < 95; i++)
		ck_assert_uint_eq(weights.of[i], 1);
}
END_TEST

/* Somebody has written over the first burst of the first chunk; those of the second are represented all the same. */
START_TEST(a_damaged_chunk_costs_itself_only)
{
	struct weights weights = { 0 };

	begin(96, 1);
	for (uint64_t i = 0; i < 94; i++)
		ck_assert(add(i, 2));
	((struct pf_wire_burst *)(section + CHUNKS_AT))->edge_count = UINT32_MAX;
	ck_assert(add(94, 2));
	ck_assert_int_eq(read_section(96, note_weight, &weights), 93);
	ck_assert_uint_eq(weights.of[0] + weights.of[1], 0);
	ck_assert_uint_eq(weights.of[2] + weights.of[3], 2);
}
END_TEST

/* With equal bursts, two to a chunk, every thinning keeps the sum of the weights exactly. */
START_TEST(equal_bursts_are_never_lost)
{
	begin(96, 2);
	for (uint64_t i = 0; i < 200000; i++) {
		ck_assert(add(i, 2));
		if (i % 997 == 0)
			ck_assert_int_eq(read_section(96, NULL, NULL), (int64_t)i + 1);
	}
	ck_assert_int_eq(read_section(96, NULL, NULL), 200000);
}
END_TEST

START_TEST(too_large_a_burst_is_refused)
{
	begin(96, 3);
	ck_assert(!add(0, 16));
	ck_assert(add(1, 14));
	ck_assert_int_eq(read_section(96, NULL, NULL), 1);
}
END_TEST

#define WINDOWS 4
#define SIZES 4
#define RUNS 100
#define BURSTS 8000u

struct sums {
	double windows[WINDOWS], sizes[SIZES];
};

static void sum_up(void *context, const struct pf_wire_burst *burst, uint64_t weight)
{
	struct sums *sums = context;

	sums->windows[burst->time_ns * WINDOWS / BURSTS] += (double)weight;
	sums->sizes[burst->edge_count / 5] += (double)weight;
}

/* The mean of RUNS estimates is the truth, within five standard errors. */
static void check_mean(double sum, double squares, double truth)
{
	double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / RUNS);

	ck_assert_msg(fabs(mean - truth) <= 5 * error + 1e-9, "mean %g +- %g, truth %g", mean, error, truth);
	/* A sample of some 400 of 8,000 bursts: a window of 2000 has about 100 of them in each run. */
	ck_assert_msg(error < truth * 0.02, "error %g of %g", error, truth);
}

/* Whatever their size, and wherever in the run: each part of it is represented by its true weight.  The sizes follow a
 * generator of the test's own, the same in every run; the seed of the coin differs. */
START_TEST(every_part_is_represented)
{
	static struct sums sum, squares;
	double truth[SIZES] = { 0 };

	for (uint64_t run = 0; run < RUNS; run++) {
		struct sums one = { 0 };
		uint32_t state = 12345;

		begin(BIG_CHUNK, run);
		for (uint64_t i = 0; i < BURSTS; i++) {
			uint32_t edges;

			state = state * 1103515245u + 12345u;
			edges = 1 + (state >> 16) % MOST_EDGES;
			ck_assert(add(i, edges));
			truth[edges / 5] += 1.0 / RUNS;
		}
		ck_assert_int_gt(read_section(BIG_CHUNK, sum_up, &one), 0);
		for (int i = 0; i < WINDOWS; i++) {
			sum.windows[i] += one.windows[i];
			squares.windows[i] += one.windows[i] * one.windows[i];
		}
		for (int i = 0; i < SIZES; i++) {
			sum.sizes[i] += one.sizes[i];
			squares.sizes[i] += one.sizes[i] * one.sizes[i];
		}
	}
	for (int i = 0; i < WINDOWS; i++)
		check_mean(sum.windows[i], squares.windows[i], (double)BURSTS / WINDOWS);
	for (int i = 0; i < SIZES; i++)
		check_mean(sum.sizes[i], squares.sizes[i], truth[i]);
}
END_TEST

/* Adds COUNT bursts, each the same part of the BURSTS windows of time. */
static void add_many(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint32_t window = (uint32_t)(i * BURSTS / count), ids[2] = { window * 31, window * 31 + 1 };
		struct pf_wire_burst burst = { .edge_count = 2, .time_ns = window };

		ck_assert(pf_reservoir_add(&reservoir, &burst, ids));
	}
}

static uint32_t highest_generation(void)
{
	uint32_t highest = 0;

	for (uint32_t i = 0; i < CHUNKS; i++)
		highest = own[i].used && own[i].generation > highest ? own[i].generation : highest;
	return highest;
}

/* Five million bursts: the last quarter weighs as much as the first. */
START_TEST(a_long_run_does_not_forget_its_start)
{
	static struct sums sums;
	double least = 1e300, most = 0, chunk;

	begin(BIG_CHUNK, 7);
	add_many(5000000);
	/* 10 bursts of 48 bytes to a chunk, an even number: the sum is exact. */
	ck_assert_int_eq(read_section(BIG_CHUNK, sum_up, &sums), 5000000);
	for (int i = 0; i < WINDOWS; i++) {
		least = sums.windows[i] < least ? sums.windows[i] : least;
		most = sums.windows[i] > most ? sums.windows[i] : most;
	}
	/* 470 bursts are left, so that some stand for 2^13 at least; a window may cut a chunk at either side. */
	ck_assert_uint_ge(highest_generation(), 13);
	chunk = 10.0 * (double)(1u << highest_generation());
	ck_assert_double_ge(least, 1250000 - 2 * chunk);
	ck_assert_double_le(most, 1250000 + 2 * chunk);
}
END_TEST

/* As if the run had gone on for a million times as long: each burst stands for 2^20 times as many.  What follows is
 * thinned as before, at generations beyond 30, and no sum overflows. */
START_TEST(generations_go_on)
{
	struct pf_wire_chunk *table;
	int64_t sum;

	begin(BIG_CHUNK, 8);
	add_many(1000000);
	table = (struct pf_wire_chunk *)(section + TABLES_AT) + reservoir.epoch % 2 * CHUNKS;
	for (uint32_t i = 0; i < CHUNKS; i++) {
		own[i].generation += own[i].used ? 20 : 0;
		table[i] = own[i];
	}
	ck_assert_uint_ge(highest_generation(), 31);
	sum = read_section(BIG_CHUNK, NULL, NULL);
	ck_assert_int_eq(sum, 1000000ll << 20);
	add_many(5000000);
	ck_assert_uint_ge(highest_generation(), 31);
	ck_assert_int_eq(read_section(BIG_CHUNK, NULL, NULL), sum + 5000000);
}
END_TEST

/* Where the weight would no longer fit there is no thinning, and what has no place is refused. */
START_TEST(the_last_generation_is_full)
{
	begin(96, 9);
	for (uint64_t i = 0; i < 94; i++)
		ck_assert(add(i, 2));
	for (uint32_t i = 0; i < CHUNKS; i++)
		own[i].generation = PF_WIRE_MAX_GENERATION;
	ck_assert(!add(94, 2));
}
END_TEST

static volatile sig_atomic_t started, finished, bad;
static volatile long steps;

static void look(int signal)
{
	int64_t sum = read_section(96, NULL, NULL);

	(void)signal;
	steps++;
	if (sum < finished || sum > started)
		bad++;
}

static void set_trap_flag(bool on)
{
	if (on)
		__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
	else
		__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

/* The processor stops after every instruction of a burst that thins and of one that only appends, and the handler reads
 * what a reader would read then. */
START_TEST(nothing_is_torn_between_any_two_instructions)
{
	struct sigaction action = { .sa_handler = look };

	begin(96, 5);
	ck_assert_int_eq(sigaction(SIGTRAP, &action, NULL), 0);
	for (uint64_t i = 0; i < 100; i++) {
		bool stepped = i == 94 || i == 95;

		started = (int)i + 1;
		if (stepped)
			set_trap_flag(true);
		add(i, 2);
		if (stepped)
			set_trap_flag(false);
		finished = (int)i + 1;
	}
	ck_assert_int_gt(steps, 1000);
	ck_assert_int_eq(bad, 0);
	ck_assert_int_eq(read_section(96, NULL, NULL), 100);
}
END_TEST

/* Somebody else fills the shared memory with noise all the time: what follows is meaningless, but stays inside. */
START_TEST(shared_memory_is_not_trusted)
{
	struct {
		uint8_t before[4096];
		uint8_t section[sizeof section];
		uint8_t after[4096];
	} *fenced = aligned_alloc(8, sizeof *fenced);
	struct pf_wire_layout layout = { .chunk_size = 104,
					 .tables = { TABLES_AT, CHUNKS },
					 .chunks = { CHUNKS_AT, CHUNKS } };
	size_t used = CHUNKS_AT + CHUNKS * 104;
	uint32_t state = 1;

	memset(fenced, 0x5a, sizeof *fenced);
	memset(fenced->section, 0, used);
	memset(own, 0, sizeof own);
	pf_reservoir_init(&reservoir, &layout, fenced->section, own, 9);
	for (uint64_t i = 0; i < 5000; i++) {
		add(i, 1 + (uint32_t)i % MOST_EDGES);
		for (int n = 0; n < 64; n++) {
			state = state * 1103515245u + 12345u;
			fenced->section[(state >> 8) % used] = (uint8_t)(state >> 28);
		}
	}
	for (size_t i = 0; i < sizeof fenced->before; i++) {
		ck_assert_int_eq(fenced->before[i], 0x5a);
		ck_assert_int_eq(fenced->after[i], 0x5a);
	}
	for (size_t i = used; i < sizeof fenced->section; i++)
		ck_assert_int_eq(fenced->section[i], 0x5a);
	free(fenced);
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-reservoir", the_first_thinning_by_hand, a_damaged_chunk_costs_itself_only,
			 equal_bursts_are_never_lost, too_large_a_burst_is_refused, every_part_is_represented,
			 a_long_run_does_not_forget_its_start, generations_go_on, the_last_generation_is_full,
			 nothing_is_torn_between_any_two_instructions, shared_memory_is_not_trusted);
}
