/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop whose profile has the test at its end alone, or that turns a constant number of times: 0 entry, 2 before the
 * loop, 3 tests, 4 the body, 5 behind the loop, 1 exit.  Expectations by hand. */
#include "plugin/estimate.h"
#include "testsuite/unit/suite.h"

#include <string.h>

struct fixture {
	struct pf_estimate e;
	struct pf_estimate_block blocks[6];
	struct pf_vote votes[4];
	uint64_t outcomes[7];
};

enum { INTO = 2, BACK = 3, OUT = 4 };

/* Blocks 2 to 5 say how often they ran (0: nothing), the test's jump where it went; TESTS: it runs so often each time
 * that the loop is entered, 0: that is not known. */
static void prepare_constant(struct fixture *f, const uint64_t *ran, uint64_t into, uint64_t out, uint32_t tests)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 3, 4 }, { 4, 3 }, { 3, 5 }, { 5, 1 } };

	memset(f, 0, sizeof *f);
	f->e.graph = pf_graph_alloc(6, 0, 1);
	ck_assert_ptr_nonnull(f->e.graph);
	for (int i = 0; i < 6; i++) {
		ck_assert_uint_ne(pf_graph_add_edge(f->e.graph, edges[i][0], edges[i][1]), UINT32_MAX);
		f->e.graph->edges[i].guess = i == INTO || i == OUT ? 0.5 : 1;
		f->blocks[i].leader = i;
		f->blocks[i].branch = i == 3 ? 1 : 4;
	}
	ck_assert_int_eq(pf_graph_finish(f->e.graph), 0);
	for (uint32_t i = 0; i < 4; i++) {
		f->votes[i] = (struct pf_vote) { ran[i], 4, i, false };
		f->blocks[i + 2].first_vote = i;
		f->blocks[i + 2].vote_count = ran[i] > 0;
	}
	f->blocks[3].branch_seen = into + out > 0;
	f->blocks[3].test_turns = tests;
	f->blocks[3].outcomes = into + out;
	f->outcomes[INTO] = into;
	f->outcomes[OUT] = out;
	f->e.blocks = f->blocks;
	f->e.votes = f->votes;
	f->e.edge_outcomes = f->outcomes;
	f->e.record_count = 4;
	f->e.scale = 1;
	ck_assert_int_eq(pf_estimate_run(&f->e), 0);
}

static void prepare(struct fixture *f, const uint64_t *ran, uint64_t into, uint64_t out)
{
	prepare_constant(f, ran, into, out, 0);
}

static uint64_t count_of(const struct fixture *f, uint32_t block)
{
	return f->e.graph->blocks[block].count;
}

/* 1,000 entries, two turns each, the first of which no test was asked for: 3,000 runs of the test. */
START_TEST(first_turns_are_added)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 1000, 2000, 2000, 1000 }, 1000, 1000);
	ck_assert_uint_eq(count_of(&f, 4), 2000);
	ck_assert_uint_eq(count_of(&f, 3), 3000);
	ck_assert_uint_eq(f.e.graph->edges[OUT].count, 1000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* Nothing is known of what is before the loop: it was entered as often as it was left. */
START_TEST(entries_are_those_that_left)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 0, 2000, 2000, 1000 }, 1000, 1000);
	ck_assert_uint_eq(count_of(&f, 4), 2000);
	ck_assert_uint_eq(count_of(&f, 3), 3000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* Both copies are in the outcomes. */
START_TEST(whole_outcomes_stay)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 1000, 3000, 2000, 1000 }, 2000, 1000);
	ck_assert_uint_eq(count_of(&f, 4), 2000);
	ck_assert_uint_eq(count_of(&f, 3), 3000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The body's statements ran for others, too: 10,000 turns are not what 1,000 entries lack. */
START_TEST(merged_bodies_are_not_believed)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 1000, 5000, 10000, 1000 }, 4000, 1000);
	ck_assert_uint_eq(count_of(&f, 4), 4000);
	ck_assert_uint_eq(count_of(&f, 3), 5000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The loop's result was computed at once: of its tests there is the one in front alone, which led in one time of four.
 * So is each turn followed by another: 1,000 / (1 - 1/4) tests. */
START_TEST(turns_of_a_loop_that_is_gone_go_on_as_they_began)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 1000, 1000, 250, 1000 }, 250, 750);
	ck_assert_uint_eq(count_of(&f, 3), 1333);
	ck_assert_uint_eq(count_of(&f, 4), 333);
	ck_assert_uint_eq(f.e.graph->edges[OUT].count, 1000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* It always led in, which says nothing of when the loop ends: the compiler's guess is one half. */
START_TEST(a_loop_that_is_gone_and_always_began_is_guessed)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 1000, 1000, 1000, 1000 }, 1000, 0);
	ck_assert_uint_eq(count_of(&f, 2), 1000);
	ck_assert_uint_eq(count_of(&f, 3), 2000);
	ck_assert_uint_eq(count_of(&f, 4), 1000);
	ck_assert_uint_eq(count_of(&f, 5), 1000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The body ran far oftener than the test in front led into it: the test at its end has lost its place. */
START_TEST(a_loop_that_only_a_test_leaves_is_left_as_often_as_entered)
{
	struct fixture f;

	prepare(&f, (const uint64_t[]) { 1000, 1000, 5000, 1000 }, 600, 400);
	ck_assert_uint_eq(count_of(&f, 4), 5000);
	ck_assert_uint_eq(count_of(&f, 3), 6000);
	ck_assert_uint_eq(f.e.graph->edges[OUT].count, 1000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* Four turns, which the profiled binary had one behind the other, or at once in vectors: their code ran once for each
 * entry, and of a test there is nothing, or one that was taken for another's. */
START_TEST(constant_turns_follow_from_entries)
{
	static const uint64_t tests[] = { 0, 1000, 2000 };
	struct fixture f;

	prepare_constant(&f, (const uint64_t[]) { 1000, tests[_i], 1000, 1000 }, 0, tests[_i], 5);
	ck_assert_uint_eq(count_of(&f, 3), 5000);
	ck_assert_uint_eq(count_of(&f, 4), 4000);
	ck_assert_uint_eq(f.e.graph->edges[OUT].count, 1000);
	ck_assert_uint_eq(count_of(&f, 2), 1000);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The loop was one, and has more samples than what leads to it: a fifth of its tests left it. */
START_TEST(constant_turns_that_were_seen_tell_of_entries)
{
	struct fixture f;

	prepare_constant(&f, (const uint64_t[]) { 1000, 4500, 3700, 1000 }, 3700, 800, 5);
	ck_assert_uint_eq(count_of(&f, 3), 4500);
	ck_assert_uint_eq(count_of(&f, 4), 3600);
	ck_assert_uint_eq(count_of(&f, 2), 900);
	pf_graph_free(f.e.graph);
}
END_TEST

/* A hundred turns have a hundred times the samples that the entries have. */
START_TEST(many_turns_know_better)
{
	struct fixture f;

	prepare_constant(&f, (const uint64_t[]) { 1000, 30300, 30000, 1000 }, 30000, 300, 101);
	ck_assert_uint_eq(count_of(&f, 3), 30300);
	ck_assert_uint_eq(count_of(&f, 4), 30000);
	ck_assert_uint_eq(count_of(&f, 2), 300);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The test's statement ran less often than the loop was entered: one of the two is another's code. */
START_TEST(contradictions_are_left_alone)
{
	struct fixture f, plain;

	prepare_constant(&f, (const uint64_t[]) { 1000, 300, 200, 100 }, 200, 100, 5);
	prepare(&plain, (const uint64_t[]) { 1000, 300, 200, 100 }, 200, 100);
	for (uint32_t b = 0; b < 6; b++)
		ck_assert_uint_eq(count_of(&f, b), count_of(&plain, b));
	pf_graph_free(f.e.graph);
	pf_graph_free(plain.e.graph);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("plugin-rotated");

	tcase_add_test(cases, first_turns_are_added);
	tcase_add_test(cases, entries_are_those_that_left);
	tcase_add_test(cases, whole_outcomes_stay);
	tcase_add_test(cases, merged_bodies_are_not_believed);
	tcase_add_test(cases, turns_of_a_loop_that_is_gone_go_on_as_they_began);
	tcase_add_test(cases, a_loop_that_is_gone_and_always_began_is_guessed);
	tcase_add_test(cases, a_loop_that_only_a_test_leaves_is_left_as_often_as_entered);
	tcase_add_loop_test(cases, constant_turns_follow_from_entries, 0, 3);
	tcase_add_test(cases, constant_turns_that_were_seen_tell_of_entries);
	tcase_add_test(cases, many_turns_know_better);
	tcase_add_test(cases, contradictions_are_left_alone);
	return run_case("plugin-rotated", cases);
}
