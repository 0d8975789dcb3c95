/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bursts of simulated programs, of which each branch that ran is known: what is counted must be in proportion to it,
 * however long the bursts are and wherever they are cut.  A program is a function that says what it runs; time passes
 * with each branch and in each system call, and bursts begin at random moments of it. */
#include "converter/intake.h"
#include "testsuite/unit/suite.h"

#define BASE 0x100000u
#define BRANCHES 64u /* that a program may have */
#define CUTS 4u
#define MIDDLE BRANCHES     /* edge i + MIDDLE is edge i, entered in the middle of its straight code */
#define TAIL (2 * BRANCHES) /* edge TAIL + c is the straight code in front of cut c */
#define LENGTH 3000000u     /* branches that are run, at least */
#define ROOM 200000u        /* for a program's last round */
#define MOST_BURSTS 20000u
#define POOL 40000000u /* branches in all bursts */

struct event {
	uint8_t branch; /* or the number of a cut, if it takes time */
	uint16_t time;  /* branches' worth that a cut takes; 0: a branch */
	uint16_t stall; /* branches' worth that a branch takes beyond its own */
};

static struct event *trace;
static size_t trace_length;
static uint64_t ran[BRANCHES];
static struct pf_vec_edge edges[TAIL + CUTS];
static struct pf_vec_map map = { .start = BASE, .end = BASE + 0x10000, .path = "/bin/unit" };
static struct pf_vec_burst *bursts;
static uint32_t *pool;
static size_t pool_length, burst_count;
static uint16_t call_time; /* of the next call */
static uint64_t state;
static struct pf_traffic traffic;
static struct pf_recording recording;

static uint32_t chance(uint32_t of)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % of;
}

/* ---- programs say what they run by these ------------------------------------------------------------------ */

static void run(uint8_t branch)
{
	trace[trace_length++] = (struct event) { .branch = branch };
	ran[branch]++;
}

static void cut(uint8_t number, uint16_t time)
{
	trace[trace_length++] = (struct event) { number, time, 0 };
}

/* A branch that takes as long as STALL more. */
static void stall(uint8_t branch, uint16_t stall)
{
	run(branch);
	trace[trace_length - 1].stall = stall;
}

/* A loop of COUNT turns over two branches of its own, one or the other. */
static void stage(uint8_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		run((uint8_t)(first + chance(2)));
}

/* ---- the recorder ----------------------------------------------------------------------------------------- */

static void place(uint32_t edge, uint8_t kind, uint64_t start, uint64_t from, uint64_t to)
{
	edges[edge] =
	    (struct pf_vec_edge) { .kind = kind, .start = BASE + start, .from = BASE + from, .to = BASE + to };
}

/* Branch b lies at 256 * b; cut c at 0x8000 + 256 * c, and goes on in the straight code of branch FIRST[c]. */
static void place_all(void)
{
	for (uint32_t b = 0; b < BRANCHES; b++) {
		place(b, PF_EDGE_COND, 256 * b, 256 * b + 64, 256 * b);
		place(b + MIDDLE, PF_EDGE_COND, 256 * b + 32, 256 * b + 64, 256 * b);
	}
	for (uint32_t c = 0; c < CUTS; c++)
		place(TAIL + c, PF_EDGE_FALL, 0x8000 + 256 * c, 0x8000 + 256 * c + 8, 0x8000 + 256 * c + 16);
}

/* The branch behind cut C is B, which it goes to straight on. */
static void goes_on(uint32_t c, uint32_t b)
{
	edges[b].start = edges[TAIL + c].to + 2;
	edges[b].from = edges[b + MIDDLE].from = edges[b].start + 40;
	edges[b + MIDDLE].start = edges[b].start + 20;
}

/* From event AT on; MIDDLE_OF: it began between two branches. */
static void burst(size_t at, uint32_t nominal, bool in_middle, uint32_t reason)
{
	struct pf_vec_burst *b = &bursts[burst_count];
	uint32_t *first = &pool[pool_length];
	uint32_t count = 0, ended = PF_END_LENGTH;

	for (; at < trace_length && count < nominal && ended == PF_END_LENGTH; at++) {
		uint32_t edge = trace[at].branch;

		if (trace[at].time > 0) {
			edge += TAIL;
			ended = reason;
		} else if (count == 0 && in_middle) {
			edge += MIDDLE;
		}
		first[count++] = edge;
	}
	*b = (struct pf_vec_burst) { .time = burst_count,
				     .repeat = 1,
				     .period = 1,
				     .elapsed = 1,
				     .edge_count = count,
				     .end_reason = ended,
				     .edges = first };
	pool_length += count;
	burst_count++;
}

/* About COUNT bursts of NOMINAL branches, cut for REASON. */
static void record(uint32_t count, uint32_t nominal, uint32_t reason)
{
	uint64_t time = 0, next, span, total = 0;

	for (size_t i = 0; i < trace_length; i++)
		total += trace[i].time > 0 ? trace[i].time : 1u + trace[i].stall;
	span = total / count;
	next = chance((uint32_t)span);
	burst_count = pool_length = 0;
	for (size_t i = 0; i + 1 < trace_length && burst_count < MOST_BURSTS && pool_length + nominal < POOL; i++) {
		bool call = trace[i].time > 0;

		time += call ? trace[i].time : 1u + trace[i].stall;
		if (time <= next || (call && trace[i + 1].time > 0))
			continue;
		burst(call ? i + 1 : i, nominal, !call, reason);
		while (next < time)
			next += span / 2 + chance((uint32_t)span);
	}
}

static void count_all(uint32_t nominal)
{
	struct pf_vectors vectors = { .map_count = 1,
				      .edge_count = TAIL + CUTS,
				      .burst_count = burst_count,
				      .nominal_length = nominal,
				      .maps = &map,
				      .edges = edges,
				      .bursts = bursts };
	struct pf_intake_options options = { .weighting = PF_WEIGHT_NONE };
	struct pf_error error;

	pf_traffic_fini(&traffic);
	pf_recording_fini(&recording);
	ck_assert_int_eq(pf_intake_vectors(&traffic, &vectors, &options, &recording, &error), PF_OK);
}

typedef void program(void);

/* Runs PROGRAM, round by round, records it and counts. */
static void simulate(program *round, uint32_t count, uint32_t nominal, uint32_t reason)
{
	place_all();
	state = 42;
	trace_length = 0;
	memset(ran, 0, sizeof ran);
	while (trace_length < LENGTH)
		round();
	ck_assert_uint_le(trace_length, LENGTH + ROOM);
	record(count, nominal, reason);
	count_all(nominal);
}

static void setup(void)
{
	trace = calloc(LENGTH + ROOM, sizeof *trace);
	bursts = calloc(MOST_BURSTS, sizeof *bursts);
	pool = calloc(POOL, sizeof *pool);
	ck_assert(trace && bursts && pool);
	call_time = 40;
}

static void teardown(void)
{
	free(trace);
	free(bursts);
	free(pool);
	pf_traffic_fini(&traffic);
	pf_recording_fini(&recording);
}

/* ---- what came of it -------------------------------------------------------------------------------------- */

static double weight_of(uint32_t branch)
{
	double sum = 0;

	for (size_t i = 0; i < traffic.edges.count; i++) {
		if (traffic.edges.at[i].from == edges[branch].from - BASE)
			sum += (double)traffic.edges.at[i].weight;
	}
	return sum;
}

/* Whether a branch before B is the same one, entered elsewhere. */
static bool is_counted(uint32_t b)
{
	for (uint32_t i = 0; i < b; i++) {
		if (edges[i].from == edges[b].from)
			return true;
	}
	return false;
}

/* Weight of branches FIRST to LAST for each time that they ran, over the same for all of the program. */
static double rate(uint32_t first, uint32_t last)
{
	double weight = 0, all = 0, runs = 0, all_runs = 0;

	for (uint32_t b = 0; b < BRANCHES; b++) {
		if (is_counted(b))
			continue;
		all += weight_of(b);
		all_runs += (double)ran[b];
		if (b < first || b > last)
			continue;
		weight += weight_of(b);
		runs += (double)ran[b];
	}
	return weight / runs / (all / all_runs);
}

#define CHECK_RATE(first, last, tolerance) ck_assert_double_eq_tol(rate(first, last), 1, tolerance)

/* ---- programs --------------------------------------------------------------------------------------------- */

static void four_stages(void)
{
	goes_on(0, 10);
	cut(0, call_time);
	run(10);
	for (uint8_t i = 0; i < 4; i++)
		stage((uint8_t)(2 * i), 200);
}

/* Behind the call the program is slow for two branches, of which the second runs elsewhere as well. */
static void stages_behind_a_stall(void)
{
	goes_on(0, 10);
	cut(0, call_time);
	run(10);
	stall(11, 120);
	stall(12, 0);
	for (uint8_t i = 0; i < 4; i++) {
		stage((uint8_t)(2 * i), 200);
		run(12);
	}
}

/* The first stage begins behind the call, and is as fast there as elsewhere. */
static void stages_in_a_shadow(void)
{
	goes_on(0, 0);
	cut(0, call_time);
	for (uint8_t i = 0; i < 4; i++)
		stage((uint8_t)(2 * i), 200);
}

/* The straight code behind the call is the second stage's loop, as far as its branch. */
static void straight_into_a_loop(void)
{
	place(TAIL, PF_EDGE_FALL, 472, 480, 492);
	goes_on(0, 10);
	edges[10].from = edges[10 + MIDDLE].from = edges[2].from;
	cut(0, call_time);
	run(10);
	stage(2, 199);
	for (uint8_t i = 1; i < 4; i++)
		stage((uint8_t)(i == 1 ? 0 : 2 * i), 200);
}

/* Behind the call there are four branches in a row, as fast as all. */
static void branches_in_a_row(void)
{
	goes_on(0, 10);
	for (uint32_t b = 11; b < 14; b++) {
		uint64_t start = edges[b - 1].from + 1 - BASE;

		place(b, PF_EDGE_COND, start, start + 8, 0);
		place(b + MIDDLE, PF_EDGE_COND, start + 4, start + 8, 0);
	}
	cut(0, call_time);
	for (uint8_t b = 10; b < 14; b++)
		run(b);
	for (uint8_t i = 0; i < 4; i++)
		stage((uint8_t)(2 * i), 20);
}

/* As the four stages, but forty places have the stall, each of them seldom. */
static void many_stalls(void)
{
	uint8_t site = (uint8_t)(20 + chance(40));

	goes_on(0, 10);
	cut(0, 800);
	run(10);
	stall(site, 200);
	for (uint8_t i = 0; i < 4; i++)
		stage((uint8_t)(2 * i), 200);
}

static void stages_of_many_lengths(void)
{
	goes_on(0, 10);
	cut(0, call_time);
	run(10);
	stage(0, 100);
	stage(2, 1000);
	stage(4, 10000);
}

static void long_or_short(void)
{
	goes_on(0, 10);
	cut(0, call_time);
	run(10);
	if (chance(2))
		stage(0, 2000);
	else
		stage(2, 50);
	stage(4, 100);
}

/* Two callers of one function with a system call in it, which takes one of them ten times as long. */
static void slow_and_fast(void)
{
	bool slow = chance(2);

	goes_on(0, 21);
	goes_on(0, 23);
	edges[20].kind = edges[22].kind = PF_EDGE_CALL;
	edges[21].kind = edges[23].kind = PF_EDGE_RETURN;
	edges[21].to = edges[20].from + 5;
	edges[23].to = edges[22].from + 5;
	run(slow ? 20 : 22);
	cut(0, slow ? 300 : 30);
	run(slow ? 21 : 23);
	stage(slow ? 0 : 2, 300);
}

/* A call that is mostly passed by, and straight code of ten branches behind it. */
static void sometimes(void)
{
	goes_on(0, 10);
	if (chance(3) == 0) {
		cut(0, call_time);
		for (uint8_t i = 10; i < 20; i++)
			run(i);
	}
	stage(0, 100);
	stage(2, 100);
}

/* The same instruction is left to the processor again and again. */
static void one_instruction(void)
{
	goes_on(0, 10);
	cut(0, call_time);
	run(10);
	for (uint8_t i = 11; i < 40; i++)
		run(i);
}

static void never(void)
{
	stage(0, 300);
	stage(2, 700);
}

/* ---- tests ------------------------------------------------------------------------------------------------ */

START_TEST(stages_are_equal_at_every_length)
{
	static const uint32_t lengths[] = { 16, 64, 256, 1024, 4096, 65536 };

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		simulate(four_stages, 4000, lengths[i], PF_END_SYSCALL);
		for (uint32_t s = 0; s < 4; s++)
			CHECK_RATE(2 * s, 2 * s + 1, 0.1);
	}
}
END_TEST

/* Bursts that begin in a stall behind a call are no more than what ran there. */
START_TEST(stalls_behind_calls)
{
	static const struct {
		program *round;
		uint32_t count;
		double tolerance;
	} programs[] = {
		{ stages_behind_a_stall, 4000, 0.1 }, { stages_in_a_shadow, 4000, 0.1 },
		{ straight_into_a_loop, 4000, 0.1 },  { branches_in_a_row, 8000, 0.05 },
		{ many_stalls, 400, 0.25 }, /* two or three in each of the places */
	};
	static const uint32_t lengths[] = { 64, 256, 1024 };

	for (size_t p = 0; p < sizeof programs / sizeof programs[0]; p++) {
		for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
			simulate(programs[p].round, programs[p].count, lengths[i], PF_END_SYSCALL);
			for (uint32_t s = 0; s < 4; s++)
				CHECK_RATE(2 * s, 2 * s + 1, programs[p].tolerance);
			if (programs[p].round == branches_in_a_row)
				CHECK_RATE(10, 13, 0.1);
		}
	}
}
END_TEST

START_TEST(stages_of_all_lengths)
{
	simulate(stages_of_many_lengths, 4000, 1024, PF_END_SYSCALL);
	CHECK_RATE(0, 1, 0.15);
	CHECK_RATE(2, 3, 0.1);
	CHECK_RATE(4, 5, 0.02);
	simulate(stages_of_many_lengths, 4000, 16384, PF_END_SYSCALL);
	CHECK_RATE(0, 1, 0.1);
	CHECK_RATE(2, 3, 0.1);
	CHECK_RATE(4, 5, 0.02);
}
END_TEST

START_TEST(paths_of_different_length)
{
	simulate(long_or_short, 4000, 1024, PF_END_SYSCALL);
	CHECK_RATE(0, 1, 0.1);
	CHECK_RATE(2, 3, 0.15);
	CHECK_RATE(4, 5, 0.1);
}
END_TEST

START_TEST(callers_are_told_apart)
{
	simulate(slow_and_fast, 4000, 1024, PF_END_SYSCALL);
	CHECK_RATE(0, 1, 0.1);
	CHECK_RATE(2, 3, 0.1);
}
END_TEST

/* Edges of one straight run count nearly the same, down to the call. */
START_TEST(neighbours_agree)
{
	simulate(sometimes, 4000, 1024, PF_END_SYSCALL);
	CHECK_RATE(0, 1, 0.05);
	CHECK_RATE(2, 3, 0.05);
	CHECK_RATE(10, 19, 0.15);
	for (uint32_t b = 10; b < 19; b++)
		ck_assert_double_eq_tol(weight_of(b) / weight_of(b + 1), 1, 0.05);
}
END_TEST

START_TEST(instructions_left_to_the_processor)
{
	call_time = 1;
	simulate(one_instruction, 4000, 1024, PF_END_UNHANDLED);
	CHECK_RATE(10, 19, 0.05);
	CHECK_RATE(20, 29, 0.05);
	CHECK_RATE(30, 39, 0.05);
}
END_TEST

/* As after a system call, the bursts that began behind a fault with a handler stand for time that is not the
 * stages'. */
START_TEST(handlers_take_time)
{
	static const uint32_t lengths[] = { 16, 64, 1024 };

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		simulate(four_stages, 4000, lengths[i], PF_END_UNHANDLED);
		for (uint32_t s = 0; s < 4; s++)
			CHECK_RATE(2 * s, 2 * s + 1, 0.1);
	}
}
END_TEST

/* Nobody saw what follows: bursts are shortened to what all of them show. */
START_TEST(cut_where_nobody_begins)
{
	call_time = 1;
	simulate(four_stages, 4000, 4096, PF_END_FAULT);
	for (uint32_t s = 0; s < 4; s++)
		CHECK_RATE(2 * s, 2 * s + 1, 0.15);
}
END_TEST

/* Each sighting counts one. */
START_TEST(whole_bursts_are_left_alone)
{
	uint64_t seen[BRANCHES] = { 0 };

	simulate(never, 2000, 256, PF_END_SYSCALL);
	for (size_t i = 0; i < pool_length; i++)
		seen[pool[i] % MIDDLE]++;
	for (uint32_t b = 0; b < 4; b++)
		ck_assert_double_eq(weight_of(b), (double)seen[b] * PF_WEIGHT_ONE);
}
END_TEST

/* What begins when a wait ends is no sample, though no burst was cut at one: only the others count, for all. */
START_TEST(waits_where_nobody_was_cut)
{
	uint64_t seen[BRANCHES] = { 0 }, all = 0;

	simulate(never, 2000, 256, PF_END_SYSCALL);
	for (size_t i = 0; i < burst_count; i++) {
		bursts[i].after_wait = bursts[i].edges[0] % MIDDLE < 2;
		for (uint32_t k = 0; k < bursts[i].edge_count && !bursts[i].after_wait; k++, all++)
			seen[bursts[i].edges[k] % MIDDLE]++;
	}
	count_all(256);
	ck_assert_uint_gt(seen[0], 0);
	for (uint32_t b = 0; b < 4; b++)
		ck_assert_double_eq_tol(weight_of(b) / PF_WEIGHT_ONE / (double)pool_length,
					(double)seen[b] / (double)all, 0.001);
}
END_TEST

/* Where next to nothing began at a moment of the program's own, nothing tells what the others stand for. */
START_TEST(waits_and_nothing_else)
{
	simulate(never, 2000, 256, PF_END_SYSCALL);
	for (size_t i = 0; i < burst_count; i++)
		bursts[i].after_wait = i >= 7;
	count_all(256);
	ck_assert_uint_eq(traffic.bursts_baseless, burst_count - 7);
	bursts[7].after_wait = false;
	count_all(256);
	ck_assert_uint_eq(traffic.bursts_baseless, 0);
}
END_TEST

/* All weights together are what was recorded, those of the sequences as well, and a burst that was
 * seen three times weighs three. */
START_TEST(sums_stay)
{
	double sum = 0, sequences = 0, once[BRANCHES];

	simulate(four_stages, 2000, 1024, PF_END_SYSCALL);
	for (size_t i = 0; i < traffic.edges.count; i++)
		sum += (double)traffic.edges.at[i].weight;
	ck_assert_double_eq_tol(sum / PF_WEIGHT_ONE / (double)pool_length, 1, 0.005);
	for (size_t i = 0; i < traffic.sequences.count; i++)
		sequences += (double)traffic.sequences.at[i].weight *
			     (traffic.sequences.at[i].count - traffic.sequences.at[i].past);
	ck_assert_double_eq_tol(sequences / sum, 1, 0.005);
	for (uint32_t b = 0; b < BRANCHES; b++)
		once[b] = weight_of(b);
	for (size_t i = 0; i < burst_count; i++)
		bursts[i].repeat = 3;
	count_all(1024);
	for (uint32_t b = 0; b < 8; b++)
		ck_assert_double_eq_tol(weight_of(b) / once[b], 3, 0.03);
}
END_TEST

/* What a file may hold that no recorder writes. */
START_TEST(nonsense_does_no_harm)
{
	simulate(four_stages, 1000, 1024, PF_END_SYSCALL);
	for (size_t i = 0; i < burst_count; i++) {
		bursts[i].end_reason = chance(3) ? chance(UINT32_MAX) : PF_END_LENGTH;
		bursts[i].edge_count = chance(4) ? bursts[i].edge_count : chance(3);
		bursts[i].time = chance(2) ? UINT64_MAX : 0;
		bursts[i].repeat = chance(9) ? 1 : UINT64_MAX;
		bursts[i].after_wait = chance(4) == 0;
	}
	for (size_t i = 0; i < pool_length; i += 100)
		pool[i] = UINT32_MAX - chance(2);
	for (uint32_t c = 0; c < CUTS; c++)
		edges[TAIL + c].to = UINT64_MAX;
	count_all(1024);
	count_all(0);
	count_all(UINT32_MAX);
	ck_assert_uint_gt(traffic.branches_used, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		stages_are_equal_at_every_length,
		stalls_behind_calls,
		stages_of_all_lengths,
		paths_of_different_length,
		callers_are_told_apart,
		neighbours_agree,
		instructions_left_to_the_processor,
		handlers_take_time,
		cut_where_nobody_begins,
		whole_bursts_are_left_alone,
		waits_where_nobody_was_cut,
		waits_and_nothing_else,
		sums_stay,
		nonsense_does_no_harm,
	};
	TCase *cases = tcase_create("converter-reach");

	tcase_add_checked_fixture(cases, setup, teardown);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("converter-reach", cases);
}
