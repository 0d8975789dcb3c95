/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nested loops of one source position, as a macro makes them: 0 entry, 2 the way in, 3 the outer test, 4 the inner
 * test, 5 the inner body, 6 the way round outside, 1 exit.  Both loops turn eight times; expectations by hand. */
#include "plugin/estimate.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 7
#define EDGES 8
#define NO_BRANCH 2

struct fixture {
	struct pf_estimate e;
	struct pf_estimate_block blocks[BLOCKS];
	struct pf_vote votes[BLOCKS];
	uint64_t outcomes[EDGES];
};

/* Edges: 0 entry-in, 1 in-outer, 2 outer-inner, 3 outer-exit, 4 inner-body, 5 inner-round, 6 body-inner, 7 round-outer.
 * Each block has a vote with record 0, of COUNT. */
static void prepare(struct fixture *f, uint64_t head, uint64_t count)
{
	static const uint32_t edges[EDGES][2] = { { 0, 2 }, { 2, 3 }, { 3, 4 }, { 3, 1 },
						  { 4, 5 }, { 4, 6 }, { 5, 4 }, { 6, 3 } };
	static const double guesses[EDGES] = { 1, 1, 8.0 / 9, 1.0 / 9, 8.0 / 9, 1.0 / 9, 1, 1 };

	memset(f, 0, sizeof *f);
	f->e.graph = pf_graph_alloc(BLOCKS, 0, 1);
	ck_assert_ptr_nonnull(f->e.graph);
	for (uint32_t i = 0; i < EDGES; i++) {
		ck_assert_uint_ne(pf_graph_add_edge(f->e.graph, edges[i][0], edges[i][1]), UINT32_MAX);
		f->e.graph->edges[i].guess = guesses[i];
	}
	ck_assert_int_eq(pf_graph_finish(f->e.graph), 0);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		f->votes[b] = (struct pf_vote) { count, 4, 0, false };
		f->blocks[b].leader = b;
		f->blocks[b].first_vote = b;
		f->blocks[b].vote_count = b >= 2;
		f->blocks[b].branch = NO_BRANCH;
	}
	f->e.blocks = f->blocks;
	f->e.votes = f->votes;
	f->e.record_count = 2;
	f->e.edge_outcomes = f->outcomes;
	f->e.head = head;
	f->e.head_known = true;
	f->e.scale = 1;
}

static uint64_t count_of(const struct fixture *f, uint32_t block)
{
	return f->e.graph->blocks[block].count;
}

static void check_turns(const struct fixture *f)
{
	ck_assert_uint_eq(count_of(f, 5), 6400);
	ck_assert_uint_eq(count_of(f, 4), 7200);
	ck_assert_uint_eq(count_of(f, 6), 800);
	ck_assert_uint_eq(count_of(f, 3), 900);
	ck_assert_uint_eq(count_of(f, 2), 100);
}

START_TEST(the_innermost_loop_has_the_count)
{
	struct fixture f;

	prepare(&f, 100, 6400);
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	check_turns(&f);
	pf_graph_free(f.e.graph);
}
END_TEST

/* Both tests have the outcomes of record 1, in which the inner one's drown the outer one's: 7/8 stay inside. */
START_TEST(a_branch_of_two_loops_says_nothing)
{
	struct fixture f;

	prepare(&f, 100, 6400);
	f.blocks[3].branch = f.blocks[4].branch = 1;
	f.blocks[3].outcomes = f.blocks[4].outcomes = 8000;
	f.outcomes[2] = f.outcomes[4] = 7000;
	f.outcomes[3] = f.outcomes[5] = 1000;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	check_turns(&f);
	pf_graph_free(f.e.graph);
}
END_TEST

/* What a position is alone with keeps its word: the way round counts 700 by a record of its own. */
START_TEST(own_positions_keep_their_votes)
{
	struct fixture f;

	prepare(&f, 100, 6400);
	f.votes[6] = (struct pf_vote) { 700, 4, 1, false };
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 6), 700);
	ck_assert_uint_eq(count_of(&f, 5), 6400);
	ck_assert_uint_eq(count_of(&f, 4), 7100);
	ck_assert_uint_eq(count_of(&f, 3), 800);
	pf_graph_free(f.e.graph);
}
END_TEST

/* A macro of one position with two tests: 2 asks, 3 is the arm and asks in turn, 4 is the arm of that, 5 the join.  The
 * record has 1600, that of 2 and 5, which run equally often.  What the arms have is not known but for record 1, which
 * only block 4 has and which says 30. */
START_TEST(an_arm_has_no_right_to_the_record_of_its_test)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 2, 5 }, { 3, 4 }, { 3, 5 }, { 4, 5 }, { 5, 1 } };
	struct fixture f;

	prepare(&f, 1600, 1600);
	pf_graph_free(f.e.graph);
	f.e.graph = pf_graph_alloc(6, 0, 1);
	ck_assert_ptr_nonnull(f.e.graph);
	for (uint32_t i = 0; i < 7; i++) {
		ck_assert_uint_ne(pf_graph_add_edge(f.e.graph, edges[i][0], edges[i][1]), UINT32_MAX);
		f.e.graph->edges[i].guess = i == 1 || i == 3 ? 0.25 : i == 2 || i == 4 ? 0.75 : 1;
	}
	ck_assert_int_eq(pf_graph_finish(f.e.graph), 0);
	f.blocks[5].leader = 2;
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 2), 1600);
	ck_assert_uint_eq(count_of(&f, 5), 1600);
	ck_assert_uint_eq(count_of(&f, 3), 400);
	ck_assert_uint_eq(count_of(&f, 4), 100);
	for (uint32_t b = 2; b < 6; b++)
		f.blocks[b].vote_count = 1;
	f.votes[4] = (struct pf_vote) { 30, 4, 1, false };
	ck_assert_int_eq(pf_estimate_run(&f.e), 0);
	ck_assert_uint_eq(count_of(&f, 4), 30);
	ck_assert_uint_eq(count_of(&f, 2), 1600);
	pf_graph_free(f.e.graph);
}
END_TEST

/* A macro of one position with two loops of its own, 3 and 5, between 2, 4 and 6, which run each time: one of the loops
 * may have the 6400 that the record has, and so nobody is said to.  By guess each of them turns twice.  Where only the
 * loops have the record, and nothing around them, both keep it. */
START_TEST(loops_beside_each_other_leave_what_is_around_them_open)
{
	static const uint32_t edges[][2] = { { 0, 2 }, { 2, 3 }, { 3, 3 }, { 3, 4 },
					     { 4, 5 }, { 5, 5 }, { 5, 6 }, { 6, 1 } };
	struct fixture f;

	for (int around = 0; around < 2; around++) {
		prepare(&f, 100, 6400);
		pf_graph_free(f.e.graph);
		f.e.graph = pf_graph_alloc(BLOCKS, 0, 1);
		ck_assert_ptr_nonnull(f.e.graph);
		for (uint32_t i = 0; i < EDGES; i++) {
			ck_assert_uint_ne(pf_graph_add_edge(f.e.graph, edges[i][0], edges[i][1]), UINT32_MAX);
			f.e.graph->edges[i].guess = i == 2 || i == 3 || i == 5 || i == 6 ? 0.5 : 1;
		}
		ck_assert_int_eq(pf_graph_finish(f.e.graph), 0);
		f.blocks[4].leader = f.blocks[6].leader = 2;
		f.blocks[2].vote_count = f.blocks[4].vote_count = f.blocks[6].vote_count = around;
		ck_assert_int_eq(pf_estimate_run(&f.e), 0);
		ck_assert_uint_eq(count_of(&f, 2), 100);
		ck_assert_uint_eq(count_of(&f, 3), around ? 200 : 6400);
		ck_assert_uint_eq(count_of(&f, 5), around ? 200 : 6400);
		pf_graph_free(f.e.graph);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-shared", the_innermost_loop_has_the_count, a_branch_of_two_loops_says_nothing,
			 own_positions_keep_their_votes, an_arm_has_no_right_to_the_record_of_its_test,
			 loops_beside_each_other_leave_what_is_around_them_open);
}
