/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block counts from votes, classes and outcomes, on a small function: 0 entry, 2 tests, 3 is the arm, 4 the join, 1
 * exit.  Expectations by hand. */
#include "plugin/estimate.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct pf_estimate e;
	struct pf_estimate_block blocks[5];
	struct pf_vote votes[3];
	uint64_t outcomes[6];
};

/* The graph of COUNT edges, the ways out of a block all as likely: the caller's. */
static struct pf_graph *graph_of(uint32_t blocks, const uint32_t (*edges)[2], uint32_t count)
{
	struct pf_graph *graph = pf_graph_alloc(blocks, 0, 1);
	uint32_t ways[8] = { 0 };

	ck_assert_ptr_nonnull(graph);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(pf_graph_add_edge(graph, edges[i][0], edges[i][1]), i);
		ways[edges[i][0]]++;
	}
	for (uint32_t i = 0; i < count; i++)
		graph->edges[i].guess = 1. / ways[edges[i][0]];
	ck_assert_int_eq(pf_graph_finish(graph), 0);
	return graph;
}

/* Edges: 0 entry-test, 1 test-arm, 2 test-join, 3 arm-join, 4 join-exit.  The votes of test, arm and join. */
static void prepare(struct fixture *f, uint64_t test, uint64_t arm, uint64_t join)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 4 }, { 3, 4 }, { 4, 1 } };
	const uint64_t counts[] = { test, arm, join };

	memset(f, 0, sizeof *f);
	f->e.graph = graph_of(5, edges, 5);
	for (uint32_t i = 0; i < 5; i++)
		f->blocks[i].leader = i;
	for (uint32_t i = 0; i < 3; i++) {
		f->votes[i] = (struct pf_vote) { counts[i], 4, 0, false };
		f->blocks[i + 2].first_vote = i;
		f->blocks[i + 2].vote_count = 1;
	}
	f->blocks[4].leader = 2;
	f->e.blocks = f->blocks;
	f->e.votes = f->votes;
	f->e.edge_outcomes = f->outcomes;
	f->e.scale = 1;
}

static uint64_t count_of(const struct fixture *f, uint32_t block)
{
	return f->e.graph->blocks[block].count;
}

START_TEST(plain_counts_stay)
{
	struct fixture f;

	prepare(&f, 1000, 300, 1000);
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 2), 1000);
	ck_assert_uint_eq(count_of(&f, 3), 300);
	ck_assert_uint_eq(count_of(&f, 0), 1000);
	ck_assert_uint_eq(f.e.graph->edges[2].count, 700);
	ck_assert_int_eq(f.blocks[3].source, PF_FROM_EXACT);
	ck_assert_int_eq(f.blocks[0].source, PF_FROM_INFERENCE);
	pf_graph_free(f.e.graph);
}
END_TEST

START_TEST(converted_arm_is_guessed)
{
	struct fixture f;

	prepare(&f, 1000, 1000, 1000);
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 2), 1000);
	ck_assert_uint_ge(count_of(&f, 3), 400);
	ck_assert_uint_le(count_of(&f, 3), 600);
	pf_graph_free(f.e.graph);
}
END_TEST

/* Nothing is known of the test itself, as of one whose operands are all in the arm's instructions: all that comes to it
 * is from the block in front, which had 1100 ways on, 100 of them elsewhere.  Edges: 0 entry-front, 1 front-test, 2
 * front-exit, 3 test-arm, 4 test-join, 5 arm-join, 6 join-exit. */
START_TEST(arm_of_a_silent_test_is_guessed)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 1 }, { 3, 4 }, { 3, 5 }, { 4, 5 }, { 5, 1 } };
	static const struct {
		uint64_t arm, least, most;
		bool heard; /* there is a record of its jump */
	} cases[] = { { 1000, 400, 600, false },
		      { 990, 400, 600, false },
		      { 300, 300, 300, false },
		      { 1000, 1000, 1000, true } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pf_vote votes[] = { { 1100, 4, 0, false }, { cases[i].arm, 4, 1, false } };
		struct pf_estimate_block blocks[6] = { { .leader = 0 } };
		uint64_t outcomes[7] = { 0, 0, 100 };
		struct pf_estimate e = {
			.graph = graph_of(6, edges, 7),
			.blocks = blocks,
			.votes = votes,
			.edge_outcomes = outcomes,
			.record_count = 3,
			.scale = 1,
		};

		for (uint32_t b = 0; b < 6; b++)
			blocks[b] = (struct pf_estimate_block) { .leader = b, .branch = 3 };
		blocks[5].leader = 3;
		blocks[2].vote_count = blocks[4].vote_count = 1;
		blocks[4].first_vote = 1;
		blocks[2].outcomes = 100;
		blocks[2].partial = true;
		blocks[3].branch = cases[i].heard ? 2 : 3;
		ck_assert_int_eq(pf_estimate_run(&e), 0);
		ck_assert_uint_ge(e.graph->blocks[3].count, cases[i].arm);
		ck_assert_uint_ge(e.graph->blocks[4].count, cases[i].least);
		ck_assert_uint_le(e.graph->blocks[4].count, cases[i].most);
		pf_graph_free(e.graph);
	}
}
END_TEST

/* What calls, or stores more than once, is not done without its branch. */
START_TEST(arm_with_stores_is_real)
{
	struct fixture f;

	prepare(&f, 1000, 1000, 1000);
	f.blocks[3].stores = 2;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 1000);
	pf_graph_free(f.e.graph);
	prepare(&f, 1000, 1000, 1000);
	f.blocks[3].stores = 1;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_le(count_of(&f, 3), 600);
	pf_graph_free(f.e.graph);
}
END_TEST

/* 0 entry, 2 tests, 3 the arm, which leads into the loop of 4, 5 the join, 1 exit. */
START_TEST(arm_with_a_loop_is_real)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 5 }, { 3, 4 }, { 4, 4 }, { 4, 5 }, { 5, 1 } };
	struct pf_vote votes[] = { { 1000, 4, 0, false }, { 1000, 4, 0, false } };
	struct pf_estimate_block blocks[6] = { { .leader = 0 } };
	uint64_t outcomes[8] = { 0 };
	struct pf_estimate e = {
		.graph = graph_of(6, edges, 7),
		.blocks = blocks,
		.votes = votes,
		.edge_outcomes = outcomes,
		.scale = 1,
	};

	for (uint32_t b = 0; b < 6; b++)
		blocks[b].leader = b;
	blocks[5].leader = 2;
	blocks[2].vote_count = blocks[3].vote_count = 1;
	blocks[3].first_vote = 1;
	ck_assert_int_eq(pf_estimate_run(&e), 0);
	ck_assert_uint_eq(e.graph->blocks[3].count, 1000);
	pf_graph_free(e.graph);
}
END_TEST

/* Its statements were moved in front of a loop; the jump at its end was seen 800 times. */
START_TEST(what_may_be_moved_gives_way_to_a_jump)
{
	struct fixture f;

	prepare(&f, 1000, 30, 1000);
	f.votes[1].movable = true;
	f.blocks[3].outcomes = 800;
	f.outcomes[3] = 800;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 800);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The join is a class of its own here and takes the rest: a loop's body beside its exit. */
START_TEST(arm_with_room_is_real)
{
	struct fixture f;

	prepare(&f, 1000, 990, 10);
	f.blocks[4].leader = 4;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_int_eq(f.blocks[3].source, PF_FROM_EXACT);
	ck_assert_uint_ge(count_of(&f, 3), 980);
	pf_graph_free(f.e.graph);
}
END_TEST

START_TEST(seen_jump_makes_the_arm_real)
{
	struct fixture f;

	prepare(&f, 1000, 1000, 1000);
	f.blocks[2].branch_seen = true;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 1000);
	pf_graph_free(f.e.graph);
}
END_TEST

START_TEST(outcomes_decide)
{
	struct fixture f;

	prepare(&f, 1000, 0, 1000);
	f.blocks[3].vote_count = 0;
	f.blocks[2].branch_seen = true;
	f.blocks[2].outcomes = 50;
	f.outcomes[1] = 10;
	f.outcomes[2] = 40;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 200);
	pf_graph_free(f.e.graph);
}
END_TEST

/* 20 of the 50 outcomes were recognised, all as edge 1, on the way to block 3: what is more is free to go either way,
 * and the statements of block 3 say 300. */
START_TEST(partial_outcomes_are_the_least)
{
	struct fixture f;

	prepare(&f, 1000, 300, 1000);
	f.blocks[2].branch_seen = f.blocks[2].partial = true;
	f.blocks[2].outcomes = f.outcomes[1] = 20;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 300);
	f.blocks[2].outcomes = f.outcomes[1] = 400;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 400);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The entry's class: its blocks say 300 and 5000, and nobody but the calls tells which of them is the stray. */
START_TEST(calls_vote_for_the_entry)
{
	struct fixture f;

	prepare(&f, 300, 200, 5000);
	f.blocks[2].leader = f.blocks[4].leader = 0;
	f.e.head = 1000;
	f.e.head_known = true;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 0), 1000);
	ck_assert_uint_eq(count_of(&f, 2), 1000);
	ck_assert_uint_eq(count_of(&f, 3), 200);
	pf_graph_free(f.e.graph);
}
END_TEST

/* The arm says 1000 and its own continuation 5, a class of its own between it and the join, was there and did not run:
 * lowering the arm by 1000 costs 20 a unit, raising the zero 40. */
START_TEST(a_zero_outweighs_a_count)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 4 }, { 3, 5 }, { 5, 4 }, { 4, 1 } };
	struct pf_estimate_block blocks[6] = { 0 };
	struct fixture f;

	prepare(&f, 1500, 1000, 1500);
	pf_graph_free(f.e.graph);
	f.e.graph = graph_of(6, edges, 6);
	memcpy(blocks, f.blocks, sizeof f.blocks);
	blocks[5].leader = 5;
	blocks[5].idle = true;
	f.e.blocks = blocks;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 0);
	ck_assert_uint_eq(count_of(&f, 2), 1500);
	pf_graph_free(f.e.graph);
}
END_TEST

START_TEST(class_outvotes_its_stray)
{
	struct fixture f;

	prepare(&f, 1000, 300, 1000);
	f.blocks[4].vote_count = 0;
	f.e.scale = 3;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 4), 3000);
	ck_assert_int_eq(f.blocks[4].source, PF_FROM_CLASS);
	pf_graph_free(f.e.graph);
}
END_TEST

START_TEST(a_body_that_ran_more_often_keeps_its_count)
{
	struct fixture f;

	prepare(&f, 100, 900, 0); /* the test's record is that of one copy of it; the arm's is its own */
	f.blocks[4].leader = 4;
	f.blocks[4].vote_count = 0;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 3), 900);
	pf_graph_free(f.e.graph);
}
END_TEST

/* An interpreter: 2 jumps to the operations 3 and 5, 3 may look aside in 6 and ends in 4.  The ends of all operations
 * were merged into that of 3, with its test, in the profiled binary: by its statements and by its branch it ran 14,000
 * times.  It is 5 that ran, says the jump, and its own end left no code. */
START_TEST(a_label_runs_as_its_jump_says)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 5 }, { 3, 4 }, { 3, 6 },
					     { 6, 4 }, { 4, 2 }, { 5, 2 }, { 5, 1 } };
	struct pf_vote votes[] = { { 14000, 4, 0, false }, { 14000, 4, 1, false } };
	struct pf_estimate_block blocks[7] = { 0 };
	uint64_t outcomes[9] = { 0, 10, 9990, 8000 };
	struct pf_estimate e = {
		.graph = graph_of(7, edges, 9),
		.blocks = blocks,
		.edge_outcomes = outcomes,
		.votes = votes,
		.scale = 1,
	};

	for (uint32_t b = 0; b < 7; b++)
		blocks[b].leader = b;
	blocks[4].leader = 3;
	blocks[3].vote_count = blocks[4].vote_count = 1;
	blocks[4].first_vote = 1;
	blocks[3].branch_seen = blocks[6].idle = true;
	blocks[3].outcomes = 8000;
	blocks[2].many_ways = blocks[2].copied = true;
	blocks[2].outcomes = 10000;
	ck_assert_int_eq(pf_estimate_run(&e), 0);
	ck_assert_uint_eq(e.graph->blocks[2].count, 10000);
	ck_assert_uint_eq(e.graph->blocks[3].count, 10);
	ck_assert_uint_eq(e.graph->blocks[4].count, 10);
	ck_assert_uint_eq(e.graph->blocks[5].count, 9990);
	pf_graph_free(e.graph);
}
END_TEST

START_TEST(a_switch_runs_as_often_as_its_outcomes)
{
	struct fixture f;

	prepare(&f, 300, 250, 1000);
	f.blocks[4].leader = 4;
	f.blocks[2].branch_seen = f.blocks[2].many_ways = f.blocks[2].copied = true;
	f.blocks[2].outcomes = 1000;
	f.outcomes[1] = 250;
	f.outcomes[2] = 750;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 2), 1000);
	ck_assert_uint_eq(count_of(&f, 3), 250);
	ck_assert_int_eq(f.blocks[2].source, PF_FROM_BRANCH);
	pf_graph_free(f.e.graph);
}
END_TEST

/* Of 1,000 outcomes 960 were recognised as the way to block 3; block 4 says how often it ran, block 5 never did. */
static void run_missed(uint64_t said, uint64_t runs, uint64_t expected)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 4 }, { 2, 5 }, { 3, 1 }, { 4, 1 }, { 5, 1 } };
	struct pf_vote votes[] = { { said, 4, 0, false }, { 0, 4, 1, false } };
	struct pf_estimate_block blocks[6] = { 0 };
	uint64_t outcomes[7] = { 0, 960 };
	struct pf_estimate e = {
		.graph = graph_of(6, edges, 7),
		.blocks = blocks,
		.edge_outcomes = outcomes,
		.votes = votes,
		.record_count = 2,
		.scale = 1,
	};

	for (uint32_t b = 0; b < 6; b++) {
		blocks[b].leader = b;
		blocks[b].branch = 2;
	}
	blocks[4].vote_count = blocks[5].vote_count = 1;
	blocks[5].first_vote = 1;
	blocks[2].branch_seen = blocks[2].many_ways = blocks[2].copied = true;
	blocks[2].outcomes = 960;
	blocks[2].missed = 40;
	ck_assert_int_eq(pf_estimate_run(&e), 0);
	ck_assert_uint_eq(e.graph->blocks[2].count, runs);
	ck_assert_uint_eq(e.graph->blocks[3].count, 960);
	ck_assert_uint_eq(e.graph->blocks[4].count, expected);
	ck_assert_uint_eq(e.graph->blocks[5].count, 0);
	pf_graph_free(e.graph);
}

START_TEST(what_no_label_is_known_for_went_to_one_that_ran)
{
	run_missed(40, 1000, 40);
	run_missed(500, 960, 0);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-estimate", plain_counts_stay, converted_arm_is_guessed,
			 arm_of_a_silent_test_is_guessed, arm_with_stores_is_real, arm_with_a_loop_is_real,
			 what_may_be_moved_gives_way_to_a_jump, arm_with_room_is_real, seen_jump_makes_the_arm_real,
			 outcomes_decide, partial_outcomes_are_the_least, calls_vote_for_the_entry,
			 a_zero_outweighs_a_count, class_outvotes_its_stray, a_body_that_ran_more_often_keeps_its_count,
			 a_label_runs_as_its_jump_says, a_switch_runs_as_often_as_its_outcomes,
			 what_no_label_is_known_for_went_to_one_that_ran);
}
