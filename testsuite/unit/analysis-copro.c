/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiling co-processor on streams whose outcome was reckoned by hand, a mechanism each; the estimate of
 * invariance by its formula in the paper; and texts that are no programs, each with the place of its first error. */
#include "analysis/copro-stream.h"
#include "analysis/copro-truth.h"
#include "testsuite/unit/suite.h"

#include <math.h>

static struct pf_copro_program *program;
static struct pf_copro m;

static void start(const char *text)
{
	struct pf_error error = { 0 };

	ck_assert_msg(pf_copro_parse("test", text, strlen(text), &program, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_copro_init(&m, program), PF_OK);
}

static void stop(void)
{
	pf_copro_fini(&m);
	pf_copro_program_free(program);
}

static void load(uint64_t pc, uint64_t value)
{
	pf_copro_feed(&m, &(struct pf_copro_sample) { .class = PF_COPRO_LOAD, .pc = pc, .value = value });
}

/* Field FIELD of the only row whose first field is KEY; the sum of all if there are several. */
static uint64_t told(uint64_t key, uint8_t field)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m.profile.entries.count; i++) {
		const struct pf_copro_entry *entry = &m.profile.entries.at[i];

		if (entry->group != PF_NO_ENTRY && entry->values[0] == key)
			sum += entry->values[field];
	}
	return sum;
}

/* Slots that match count; an interrupt empties them, and rows of one key and label are added up. */
START_TEST(matching)
{
	start("array a 4 { pc 64 key  value 8 label  n 32 sum }\n"
	      "counter c 8\n"
	      "on load {\n"
	      "	find a pc\n"
	      "	if not found a { next a take a pc set a.value value }\n"
	      "	add a.n 1\n"
	      "	add c 1\n"
	      "	if c == 6 { set c 0 interrupt save }\n"
	      "}\n");
	for (int i = 0; i < 3; i++) { /* two interrupts: pc 1 has 0x234, cut to 8 bits, in the first and 7 later */
		load(1, i ? 7 : 0x234);
		load(2, 5);
		load(1, 9);
		load(3, 6);
	}
	ck_assert_uint_eq(m.counts.saves, 2);
	ck_assert_uint_eq(m.counts.saved, 6);
	ck_assert_uint_eq(told(1, 2), 6);
	ck_assert_uint_eq(told(2, 2), 3);
	ck_assert_uint_eq(told(3, 2), 3);
	for (size_t i = 0, rows = 0; i < m.profile.entries.count; i++) {
		const struct pf_copro_entry *entry = &m.profile.entries.at[i];

		if (entry->group == PF_NO_ENTRY || entry->values[0] != 1)
			continue;
		ck_assert_uint_le(++rows, 2);
		/* 1, 2, 1, 3, 1, 2 are the first six: its first value, with three of them. */
		ck_assert_uint_eq(entry->values[1], rows == 1 ? 0x34 : 9);
		ck_assert_uint_eq(entry->values[2], 3);
	}
	stop();
}
END_TEST

/* Counters and fields stop at their ends; keys are as wide as they are declared; operators bind as in the page. */
START_TEST(arithmetic)
{
	start("counter c 4\n"
	      "array a 1 { k 4 key  x 4 sum  y 64 sum  z 64 sum }\n"
	      "on load {\n"
	      "	take a pc\n"
	      "	set a.x 14 add a.x 3\n"
	      "	sub c 2 add c 5 sub c 1\n"
	      "	set a.y 1 + 2 * 3 << 1 | 1 == 15\n"
	      "	set a.z c + (full a.x) * 0x100 + (not not 5) + (1 << 64) + slots a * 1000\n"
	      "}\n");
	load(0x123, 0);
	ck_assert_int_eq(pf_copro_finish(&m), PF_OK);
	ck_assert_uint_eq(told(3, 1), 15);
	ck_assert_uint_eq(told(3, 2), 1); /* (((1 + (2 * 3)) << 1) | 1) == 15 */
	ck_assert_uint_eq(told(3, 3), 4 + 0x100 + 1 + 0 + 1000);
	stop();
}
END_TEST

/* What has been seen 16 times is never replaced; what was seen once soon is. */
START_TEST(informational_replacement)
{
	start("counter refused 32\n"
	      "array a 1 { pc 64 key  total 16 sum }\n"
	      "on load {\n"
	      "	find a pc\n"
	      "	if found a { add a.total 1 done }\n"
	      "	next a\n"
	      "	if random 16 <= a.total { add refused 1 done }\n"
	      "	take a pc\n"
	      "	set a.total 1\n"
	      "}\n");
	for (int i = 0; i < 20; i++) /* an empty slot refuses 1 in 16 */
		load(1, 0);
	load(2, 0);
	for (uint64_t refused = m.counters[0]; refused < 100; refused++) {
		load(2, 0);
		ck_assert_uint_eq(m.counters[0], refused + 1);
	}
	ck_assert_uint_eq(m.arrays[0].values[0], 1);
	ck_assert_uint_ge(m.arrays[0].values[1], 16);
	stop();

	start("array a 1 { pc 64 key  total 16 sum }\n"
	      "on load { if random 16 > a.total { take a pc set a.total 1 } }\n");
	load(1, 0);
	load(1, 0);
	for (int i = 0; i < 4; i++) /* all four refused: 1 in 65,536, and the numbers are the same in each run */
		load(2, 0);
	ck_assert_uint_eq(m.arrays[0].values[0], 2);
	stop();
}
END_TEST

/* A masked address is looked at no more, others are. */
START_TEST(masking)
{
	start("filter 4096\n"
	      "array a 4 { pc 64 key  n 8 sum }\n"
	      "on load {\n"
	      "	find a pc\n"
	      "	if not found a { next a take a pc }\n"
	      "	add a.n 1\n"
	      "	if a.n == 10 { interrupt save }\n"
	      "}\n"
	      "on save a { if a.n >= 10 or times >= 2 { mask a.pc } }\n");
	for (int i = 0; i < 10; i++)
		load(1, 0);
	load(2, 0);
	for (int i = 0; i < 10; i++)
		load(3, 0);
	for (int i = 0; i < 5; i++) {
		load(1, 0);
		load(2, 0);
		load(3, 0);
	}
	ck_assert_uint_eq(m.counts.masks, 2);
	ck_assert_uint_eq(m.counts.masked, 10);
	ck_assert_uint_eq(m.counts.handled, 26);
	ck_assert_int_eq(pf_copro_finish(&m), PF_OK);
	ck_assert_uint_eq(m.counts.masks, 3); /* 2, for the second time */
	ck_assert_uint_eq(told(1, 1), 10);
	ck_assert_uint_eq(told(2, 1), 6);
	stop();
}
END_TEST

#define PLACES 64

/* More places than slots, each as common as the others, are found to thrash once there were 4 replacements a slot, and
 * the program is divided; then each place is in one of the four parts; joined, the parts are fewer, and all places are
 * in one of them still. */
START_TEST(thrash_and_parts)
{
	unsigned int handled[PLACES] = { 0 };

	start("counter replaced 16\n"
	      "counter rounds 16\n"
	      "counter divided 1\n"
	      "array a 4 { pc 64 key  n 8 sum }\n"
	      "on load {\n"
	      "	find a pc\n"
	      "	if not found a { next a take a pc add replaced 1 }\n"
	      "	add a.n 1\n"
	      "	if replaced > 4 * slots a and not divided { set divided 1 divide 4 interrupt drop }\n"
	      "}\n"
	      "every 64 {\n"
	      "	add rounds 1\n"
	      "	if rounds > 5 { join }\n"
	      "	rotate\n"
	      "	interrupt save\n"
	      "}\n");
	for (uint64_t i = 0; i < 17; i++)
		load(i, 0);
	ck_assert_uint_eq(m.counts.drops, 1);
	ck_assert_uint_eq(m.part_count, 4);
	ck_assert_uint_eq(m.profile.entries.count, 0);
	for (uint64_t i = 0; i < 4 * PLACES; i++) {
		uint64_t before = m.counts.handled;

		load(i % PLACES, 0);
		handled[i % PLACES] += m.counts.handled != before;
	}
	for (unsigned int i = 0; i < PLACES; i++)
		ck_assert_uint_eq(handled[i], 1);
	for (uint64_t i = 0; i < 20 * PLACES; i++)
		load(i % PLACES, 0);
	ck_assert_uint_eq(m.part_count, 1);
	stop();
}
END_TEST

static void add_row(uint64_t pc, uint64_t value, uint64_t hit, uint64_t miss, uint64_t total)
{
	const uint64_t values[PF_COPRO_FIELDS] = { pc, value, hit, miss, total };
	uint32_t group;

	ck_assert(pf_copro_profile_group(&m.profile, 0, values, &group));
	ck_assert(pf_copro_profile_add(&m.profile, group, values));
}

static double invariance(uint64_t pc, uint64_t value)
{
	ck_assert(pf_copro_profile_weigh(&m.profile));
	for (uint32_t i = 0; i < m.profile.entries.count; i++) {
		const struct pf_copro_entry *entry = &m.profile.entries.at[i];

		if (entry->group != PF_NO_ENTRY && entry->values[0] == pc && entry->values[1] == value)
			return entry->invariance;
	}
	return -1;
}

/* A.6: own hits; others' misses by the share of their hits; an equal part, at most a fifth, of what no value held. */
START_TEST(invariance_after_activation)
{
	start("array a 4 { pc 64 key  v 64 label  hit 32 sum  miss 32 sum  total 32 sum }\n"
	      "estimate a v hit miss total\n"
	      "on load { take a pc set a.v value set a.hit 1 set a.total 1 interrupt save }\n");
	add_row(1, 10, 60, 20, 80);
	add_row(1, 11, 10, 10, 40);
	ck_assert_double_eq_tol(invariance(1, 10), (60 + 10 + 20 * 0.2) / 120, 1e-12);
	ck_assert_double_eq_tol(invariance(1, 11), (10 + 20 + 20 * 0.2) / 120, 1e-12);
	add_row(2, 10, 60, 20, 80);
	add_row(2, 11, 10, 10, 20);
	add_row(2, 12, 30, 0, 30);
	ck_assert_double_eq_tol(invariance(2, 10), (60 + 10 * 60. / 90) / 130, 1e-12);
	ck_assert_double_eq_tol(invariance(2, 11), (10 + 20 * 10. / 40) / 130, 1e-12);
	ck_assert_double_eq_tol(invariance(2, 12), (30 + 20 * 30. / 40 + 10 * 30. / 90) / 130, 1e-12);
	/* A value with 3 of 10 among many rare ones, by their slots, too. */
	add_row(5, 10, 30, 70, 100);
	for (uint64_t i = 0; i < 7; i++)
		add_row(5, 20 + i, 1, 9, 10);
	ck_assert_double_eq_tol(invariance(5, 10), 0.3, 1e-12);
	add_row(3, 10, 50, 50, 100); /* misses that nobody else claims */
	ck_assert_double_eq_tol(invariance(3, 10), 0.5, 1e-12);
	for (uint64_t i = 0; i < 3; i++) /* the same as samples: two of three */
		load(4, i == 0);
	ck_assert_double_eq_tol(invariance(4, 0), 2. / 3, 1e-12);
	stop();
}
END_TEST

#define VALUES 200u

/* The same, each row against each other one, as A.6 and the header have it. */
static double by_pairs(uint64_t values[][3], unsigned int row)
{
	double hits = 0, misses = 0, total = 0, with_hits = 0, own = (double)values[row][0], count = own;

	for (unsigned int i = 0; i < VALUES; i++) {
		hits += (double)values[i][0];
		misses += (double)values[i][1];
		total += (double)values[i][2];
		with_hits += values[i][0] > 0;
	}
	for (unsigned int i = 0; i < VALUES; i++) {
		double hit = (double)values[i][0], miss = (double)values[i][1];
		double by_hits = own / (hits - hit),
		       by_rate = own / (own + (double)values[row][1]) / (miss / (hit + miss));

		if (i != row && miss > 0)
			count += miss * (by_hits < by_rate ? by_hits : by_rate);
	}
	count += (total - hits - misses) * (1 / with_hits < 0.2 ? 1 / with_hits : 0.2);
	return own > 0 ? (count < total ? count / total : 1) : 0;
}

START_TEST(invariance_of_many)
{
	static uint64_t values[VALUES][3];
	uint32_t random = 1;

	start("array a 4 { pc 64 key  v 64 label  hit 32 sum  miss 32 sum  total 32 sum }\n"
	      "estimate a v hit miss total\n"
	      "on load { done }\n");
	for (unsigned int i = 0; i < VALUES; i++) {
		for (unsigned int k = 0; k < 2; k++) {
			random = random * 1664525 + 1013904223;
			values[i][k] = random >> 28 < 4 ? 0 : random >> (8 + random % 20);
		}
		values[i][2] = values[i][0] + values[i][1] + i % 3;
		add_row(1, i, values[i][0], values[i][1], values[i][2]);
	}
	for (unsigned int i = 0; i < VALUES; i++)
		ck_assert_double_eq_tol(invariance(1, i), by_pairs(values, i), 1e-9);
	/* So many that pairs would not be done within the test's time. */
	for (unsigned int i = 0; i < 500 * VALUES; i++)
		add_row(2, i, 1 + i % 2, i % 3, 3);
	ck_assert_double_eq_tol(invariance(2, 0), invariance(2, 6), 1e-12);
	stop();
}
END_TEST

/* Two common values and two that are not: of the one the estimate is 60 / 110 - 1 / 2 off, the other has none.  A load
 * of ever new values keeps its common one. */
START_TEST(error_of_estimates)
{
	struct pf_copro_truth truth = { 0 };
	struct pf_truth_points points = { 0 };
	struct pf_truth_course course = { 0 };
	struct pf_copro_score score;
	double want;

	start("array a 4 { pc 64 key  v 64 label  hit 32 sum  miss 32 sum  total 32 sum }\n"
	      "estimate a v hit miss total\n"
	      "on load { }\n");
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert(pf_copro_truth_add(&truth, 1, i % 2 ? 7 : i)); /* 500 of 7 */
	for (uint64_t i = 0; i < 300; i++)
		ck_assert(pf_copro_truth_add(&truth, 2, 5));
	for (uint64_t i = 0; i < 199; i++)
		ck_assert(pf_copro_truth_add(&truth, 3, 5)); /* too few */
	add_row(1, 7, 60, 40, 100);
	add_row(1, 2, 10, 0, 10); /* not common: of no account but in the total */
	add_row(3, 5, 1, 99, 100);
	ck_assert(pf_copro_profile_weigh(&m.profile));
	ck_assert_int_eq(pf_copro_truth_score(&truth, &m, &score), PF_OK);
	ck_assert_uint_eq(score.loads, 3);
	ck_assert_uint_eq(score.values, 2);
	ck_assert_uint_eq(score.seen, 1);
	want = 60. / 110 - 0.5;
	ck_assert_double_eq_tol(score.rms, sqrt((500 * want * want + 300) / 800), 1e-12);
	ck_assert_int_eq(pf_copro_truth_points(&truth, &m, &points), PF_OK);
	ck_assert_uint_eq(points.count, 2);
	ck_assert_uint_eq(points.at[0].value, 7);
	ck_assert_uint_eq(points.at[0].count, 500);
	ck_assert_double_eq_tol(points.at[0].share, 0.5, 1e-12);
	ck_assert_double_eq_tol(points.at[0].estimate, 60. / 110, 1e-12);
	ck_assert(points.at[0].seen && !points.at[1].seen);
	ck_assert_double_eq_tol(points.at[1].share, 1, 1e-12);
	pf_array_fini(&points);
	ck_assert_int_eq(pf_copro_truth_step(&truth, &m, 1499, &course), PF_OK);
	ck_assert_uint_eq(course.count, 1);
	ck_assert_uint_eq(course.at[0].loads, 1499);
	ck_assert_double_eq_tol(course.at[0].rms, score.rms, 1e-12);
	pf_array_fini(&course);
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert(pf_copro_truth_add(&truth, 4, i % 2 ? 7 : i << 20));
	ck_assert_int_eq(pf_copro_truth_score(&truth, &m, &score), PF_OK);
	ck_assert_uint_eq(score.values, 3);
	pf_copro_truth_fini(&truth);
	stop();
}
END_TEST

static void take_sample(void *context, const struct pf_copro_sample *sample)
{
	(void)context;
	pf_copro_feed(&m, sample);
}

static void take_cut(void *context)
{
	(void)context;
	pf_copro_cut(&m);
}

static const struct pf_copro_sink machine = { NULL, take_sample, take_cut };

/* Each kind of line of a trace, with what it says. */
START_TEST(trace)
{
	static const char text[] = "==1== lackey's own words\n"
				   "I  400,3\n L 1000,8,2a\n S 2000,4\nI  403,1\n M 3000,2\n B cond,500,1\n"
				   "cut\n B return,600,1\n";

	start("array a 16 { class 8 key  pc 64 key  at 64 key  n 8 sum  v 64 sum  cuts 8 sum }\n"
	      "counter cuts 8\n"
	      "on load { take a 0, pc, address set a.n size set a.v value interrupt save }\n"
	      "on store { take a 1, pc, address set a.n size interrupt save }\n"
	      "on cond { take a 2, pc, target set a.n taken interrupt save }\n"
	      "on return { take a 3, pc, target set a.n taken set a.cuts cuts interrupt save }\n"
	      "on cut { add cuts 1 }\n");
	ck_assert_int_eq(pf_copro_trace_parse("t", text, sizeof text - 1, &machine, NULL), PF_OK);
	ck_assert_uint_eq(m.counts.offered, 6);
	ck_assert_uint_eq(told(0, 1), 0x400 + 0x403);
	ck_assert_uint_eq(told(0, 2), 0x1000 + 0x3000);
	ck_assert_uint_eq(told(0, 3), 8 + 2);
	ck_assert_uint_eq(told(0, 4), 0x2a);
	ck_assert_uint_eq(told(1, 2), 0x2000 + 0x3000);
	ck_assert_uint_eq(told(1, 3), 4 + 2);
	ck_assert_uint_eq(told(2, 2), 0x500);
	ck_assert_uint_eq(told(3, 2), 0x600);
	ck_assert_uint_eq(told(3, 5), 1);
	stop();
}
END_TEST

struct bad {
	const char *text, *error;
};

#define A "array a 4 { k 64 key  v 8 label  s 8 sum }\n"
static const struct bad bad_programs[] = {
	{ "", "test:1:1: the program has no handler" },
	{ "\n  array", "test:2:8: a name is wanted" },
	{ "array pc 4 { s 8 sum }", "test:1:7: 'pc' has a meaning" },
	{ "array a 0 { s 8 sum }", "test:1:9: slots: a number from 1 to 65536" },
	{ "array a 4 { s 65 sum }", "test:1:15: its bits: a number from 1 to 64" },
	{ "array a 4 { s 8 sum  k 8 key }", "test:1:26: keys are the first" },
	{ "array a 4 { s 8 sum  s 8 }", "test:1:22: field 's' is there" },
	{ "array a 4 { }", "test:1:13: array a has no fields" },
	{ "array a 4 { s 8 sum", "test:1:20: a field's name or '}'" },
	{ "array a 4 { s 8 }\non load { }", "test:2:12: no array has a sum" },
	{ A "on load { set a.k 1 }", "test:2:19: a key is written by 'take'" },
	{ A "on load { set a.x 1 }", "test:2:17: array a has no such field" },
	{ A "on load { set b 1 }", "test:2:15: the name of an array" },
	{ A "on load { find a }", "test:2:18: the name of an array" },
	{ A "on load { take a pc, 1 }", "test:2:20: a statement or '}'" },
	{ A "on load { mask pc }", "test:2:16: there is nothing to mask in" },
	{ A "filter 100", "test:2:11: the filter has a power of two" },
	{ A "on load { } on store load { }", "test:2:22: there is a handler" },
	{ A "on cut { set a.s pc }", "test:2:18: there is no sample" },
	{ A "on cut { interrupt save }", "test:2:10: 'interrupt' has no place" },
	{ A "on load { set a.s times }", "test:2:19: 'times' is known in 'on save'" },
	{ A "on load { divide 3 }", "test:2:20: parts are divided by 2" },
	{ A "on load { if 1 { }", "test:2:19: a statement or '}'" },
	{ A "on load { set a.s 1 $ 2 }", "test:2:21: byte 0x24 has no meaning" },
	{ A "on load { set a.s 18446744073709551616 }", "test:2:19: a number of more than 64 bits" },
	{ A "on load { set a.s 0x }", "test:2:19: this is no number" },
	{ A "estimate a s s s s", "test:2:12: a label of array a" },
	{ A "on load { set a.s (1 }", "test:2:22: ')' is wanted" },
	{ A "counter ccccccccccccccccccccccccccccccccc 3", "test:2:9: names have at most 31" },
};

START_TEST(errors_have_places)
{
	const struct bad *bad = &bad_programs[_i];
	struct pf_error error = { 0 };

	ck_assert_int_lt(pf_copro_parse("test", bad->text, strlen(bad->text), &program, &error), 0);
	ck_assert_ptr_null(program);
	ck_assert_msg(strncmp(error.text, bad->error, strlen(bad->error)) == 0, "'%s', not '%s'", error.text,
		      bad->error);
}
END_TEST

/* What would run without bound, or in more memory than there is, is refused: each text is REPEATED often between two
 * others. */
START_TEST(bounds)
{
	static const struct {
		const char *before, *repeated, *behind, *error;
	} texts[] = {
		{ A "on load { set a.s ", "(", "", "blocks or parentheses are open" },
		{ A "on load { ", "if 1 { ", "", "blocks or parentheses are open" },
		{ A "on load { ", "if 1 { } else ", "", "blocks or parentheses are open" },
		{ A "on load { set a.s ", "1 << (1 + ", "", "values are under way" },
		{ A "on load { ", "set a.s 1 ", "}", "more than 4096 operations" },
		{ A "on load { set a.s ", "not ", "1 }", "more than 4096 operations" },
		{ "", "counter c 1 ", "", "has a meaning already" },
	};
	char text[80000];
	struct pf_error error = { 0 };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		strcpy(text, texts[i].before);
		for (int k = 0; k < 5000; k++)
			strcat(text + strlen(text), texts[i].repeated);
		strcat(text, texts[i].behind);
		ck_assert_int_lt(pf_copro_parse("test", text, strlen(text), &program, &error), 0);
		ck_assert_msg(strstr(error.text, texts[i].error) != NULL, "%s", error.text);
	}
}
END_TEST

static const struct bad bad_traces[] = {
	{ "I  400", "t:1: this is no instruction" },
	{ "I  400,3\n L 10", "t:2: this is no access" },
	{ " L 10,8,zz", "t:1: this is no access" },
	{ " L 10,300", "t:1: this is no access" },
	{ " L 11112222333344445,8", "t:1: this is no access" },
	{ " B cond,5", "t:1: this is no branch" },
	{ " B fall,5,1", "t:1: this is no branch" },
	{ " B cond,5,2", "t:1: this is no branch" },
	{ "Q 5", "t:1: this is no line" },
};

START_TEST(bad_trace)
{
	struct pf_error error = { 0 };
	const char *text = bad_traces[_i].text;

	start(A "on load { }");
	ck_assert_int_eq(pf_copro_trace_parse("t", text, strlen(text), &machine, &error), PF_EFORMAT);
	ck_assert_msg(strncmp(error.text, bad_traces[_i].error, strlen(bad_traces[_i].error)) == 0, "%s", error.text);
	stop();
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("analysis-copro");

	tcase_add_test(cases, matching);
	tcase_add_test(cases, arithmetic);
	tcase_add_test(cases, informational_replacement);
	tcase_add_test(cases, masking);
	tcase_add_test(cases, thrash_and_parts);
	tcase_add_test(cases, invariance_after_activation);
	tcase_add_test(cases, invariance_of_many);
	tcase_add_test(cases, error_of_estimates);
	tcase_add_test(cases, trace);
	tcase_add_loop_test(cases, errors_have_places, 0, sizeof bad_programs / sizeof *bad_programs);
	tcase_add_test(cases, bounds);
	tcase_add_loop_test(cases, bad_trace, 0, sizeof bad_traces / sizeof *bad_traces);
	return run_case("analysis-copro", cases);
}
