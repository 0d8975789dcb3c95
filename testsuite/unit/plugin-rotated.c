/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop whose profile has the test at its end alone: 0 entry, 2 before the loop, 3 tests, 4 the body, 5 behind the
 * loop, 1 exit.  Expectations by hand. */
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

/* Blocks 2 to 5 say how often they ran (0: nothing), the test's jump where it went. */
static void prepare(struct fixture *f, const uint64_t *ran, uint64_t into, uint64_t out)
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
	f->blocks[3].branch_seen = true;
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

int main(void)
{
	return RUN_SUITE("plugin-rotated", first_turns_are_added, entries_are_those_that_left, whole_outcomes_stay,
			 merged_bodies_are_not_believed, turns_of_a_loop_that_is_gone_go_on_as_they_began,
			 a_loop_that_is_gone_and_always_began_is_guessed,
			 a_loop_that_only_a_test_leaves_is_left_as_often_as_entered);
}
