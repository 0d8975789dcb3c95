/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A branch that some ways pass by: 0 entry, 2 before the test, 3 the test, 4 its arm, 5 behind both, 1 exit.  The
 * blocks 2, 3 and 5 run equally often, 1,000 times; of the test's jump 50 runs were seen.  Expectations by hand. */
#include "plugin/estimate.h"
#include "testsuite/unit/suite.h"

#include <string.h>

enum { TO_ARM = 2, AROUND = 3 };

/* Both ways meet in block 5; the way around has that to itself; or they meet, and it is block 5 alone that says 1,000,
 * as others end like it, while block 2 ran as often as the jump. */
enum ways { MEET, APART, MERGED };

struct fixture {
	struct pf_estimate e;
	struct pf_estimate_block blocks[6];
	struct pf_vote votes[3];
	uint64_t outcomes[6];
};

/* The arm says that it ran ARM times (0: nothing), of the jump's 50 runs TAKEN led to it. */
static void prepare(struct fixture *f, uint64_t arm, uint64_t taken, enum ways ways)
{
	bool meet = ways != APART;
	const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 3, 4 }, { 3, 5 }, { 4, meet ? 5 : 1 }, { 5, 1 } };

	memset(f, 0, sizeof *f);
	f->e.graph = pf_graph_alloc(6, 0, 1);
	ck_assert_ptr_nonnull(f->e.graph);
	for (int i = 0; i < 6; i++) {
		ck_assert_uint_ne(pf_graph_add_edge(f->e.graph, edges[i][0], edges[i][1]), UINT32_MAX);
		f->e.graph->edges[i].guess = i == TO_ARM || i == AROUND ? 0.5 : 1;
		f->blocks[i].leader = i == 3 || (i == 5 && meet) ? 2 : i;
		f->blocks[i].branch = 2;
	}
	ck_assert_int_eq(pf_graph_finish(f->e.graph), 0);
	f->votes[0] = (struct pf_vote) { ways == MERGED ? 50 : 1000, 4, 0, false };
	f->votes[1] = (struct pf_vote) { arm, 4, 1, false };
	f->votes[2] = (struct pf_vote) { 1000, 8, 3, false };
	f->blocks[2].vote_count = 1;
	f->blocks[4].first_vote = 1;
	f->blocks[4].vote_count = arm > 0;
	f->blocks[5].first_vote = 2;
	f->blocks[5].vote_count = ways == MERGED;
	f->blocks[3].branch_seen = true;
	f->blocks[3].outcomes = 50;
	f->outcomes[TO_ARM] = taken;
	f->outcomes[AROUND] = 50 - taken;
	f->e.blocks = f->blocks;
	f->e.votes = f->votes;
	f->e.edge_outcomes = f->outcomes;
	f->e.record_count = 4;
	f->e.scale = 1;
	ck_assert_int_eq(pf_estimate_run(&f->e), 0);
}

static void check_ways(uint64_t arm, uint64_t taken, enum ways ways, uint64_t expected)
{
	struct fixture f;

	prepare(&f, arm, taken, ways);
	ck_assert_uint_eq(f.e.graph->blocks[3].count, 1000);
	ck_assert_uint_eq(f.e.graph->edges[TO_ARM].count, expected);
	ck_assert_uint_eq(f.e.graph->edges[AROUND].count, 1000 - expected);
	pf_graph_free(f.e.graph);
}

static void check_arm(uint64_t arm, uint64_t taken, uint64_t expected)
{
	check_ways(arm, taken, MEET, expected);
}

/* All that the jump lacks is in the arm: the ways there passed the test by. */
START_TEST(an_arm_that_has_what_the_jump_lacks_is_believed)
{
	check_arm(950, 0, 950);
	check_arm(970, 20, 970);
}
END_TEST

/* Nothing tells where the others went: as those that were seen. */
START_TEST(the_shares_hold_where_no_arm_has_the_rest)
{
	check_arm(0, 0, 0);
	check_arm(0, 10, 200);
}
END_TEST

/* By the jump's shares the arm would have run 500 times. */
START_TEST(the_rest_goes_around_an_arm_that_has_hardly_more_than_was_seen)
{
	check_arm(30, 25, 30);
	check_arm(50, 50, 50);
}
END_TEST

START_TEST(the_shares_hold_where_the_arm_has_about_that)
{
	check_arm(480, 25, 500);
}
END_TEST

/* The way around would say so, had the rest gone there. */
START_TEST(the_shares_hold_where_no_way_is_open)
{
	check_ways(30, 25, APART, 500);
}
END_TEST

START_TEST(the_shares_hold_where_what_comes_before_ran_as_often_as_the_jump)
{
	check_ways(30, 25, MERGED, 500);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("plugin-threaded");

	tcase_add_test(cases, an_arm_that_has_what_the_jump_lacks_is_believed);
	tcase_add_test(cases, the_shares_hold_where_no_arm_has_the_rest);
	tcase_add_test(cases, the_rest_goes_around_an_arm_that_has_hardly_more_than_was_seen);
	tcase_add_test(cases, the_shares_hold_where_the_arm_has_about_that);
	tcase_add_test(cases, the_shares_hold_where_no_way_is_open);
	tcase_add_test(cases, the_shares_hold_where_what_comes_before_ran_as_often_as_the_jump);
	return run_case("plugin-threaded", cases);
}
