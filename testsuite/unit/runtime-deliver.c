/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bursts cut into branch stacks: nothing lost, nothing twice but the shared entry, newest first. */
#include "runtime/deliver.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <unistd.h>

#define MOST 2000u

static struct pf_vec_edge edges[MOST];
static uint32_t ids[MOST];
static struct pf_vectors vectors = { .edges = edges, .edge_count = MOST };
static struct pf_vec_burst burst = { .edges = ids };

/* A burst of COUNT edges: edge i goes from 100 * i + 8 to 100 * (i + 1); every FALLth is no branch (0: none is). */
static void make_burst(uint32_t count, uint32_t fall)
{
	for (uint32_t i = 0; i < count; i++) {
		edges[i] = (struct pf_vec_edge) { .start = 100 * i,
						  .from = 100 * i + 8,
						  .to = 100 * (i + 1),
						  .kind = fall && i % fall == fall - 1 ? PF_EDGE_FALL : PF_EDGE_COND };
		ids[i] = i;
	}
	burst.edge_count = count;
}

/* Cuts the burst and checks that, oldest to newest, the stacks give its branches once each, the shared ones apart. */
static uint32_t cut_and_check(void)
{
	uint32_t at = 0, stacks = 0, next = 0;
	struct pf_deliver_stack stack;

	while (pf_deliver_next_stack(&vectors, &burst, &at, &stack)) {
		ck_assert_uint_ge(stack.count, 1);
		ck_assert_uint_le(stack.count, PF_DELIVER_STACK_MAX);
		for (uint32_t i = stack.count; i-- > 0;) {
			/* The oldest entry of a later stack is the newest of the one before. */
			if (stacks > 0 && i == stack.count - 1)
				continue;
			while (edges[next].kind == PF_EDGE_FALL)
				next++;
			ck_assert_uint_eq(stack.entries[i].from, 100ull * next + 8);
			ck_assert_uint_eq(stack.entries[i].to, 100ull * (next + 1));
			next++;
		}
		ck_assert_uint_lt(stacks++, MOST);
	}
	while (next < burst.edge_count && edges[next].kind == PF_EDGE_FALL)
		next++;
	ck_assert_uint_eq(next, burst.edge_count);
	ck_assert(!pf_deliver_next_stack(&vectors, &burst, &at, &stack));
	return stacks;
}

/* The first stack takes 127, each later one 126 new entries: 1 + ceil((n - 127) / 126). */
START_TEST(the_number_of_stacks_is_the_smallest_possible)
{
	static const uint32_t sizes[][2] = { { 1, 1 },   { 126, 1 }, { 127, 1 }, { 128, 2 },
					     { 253, 2 }, { 254, 3 }, { 1024, 9 } };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		make_burst(sizes[i][0], 0);
		ck_assert_uint_eq(cut_and_check(), sizes[i][1]);
	}
}
END_TEST

START_TEST(the_shared_entry_is_the_same)
{
	struct pf_deliver_stack first, second;
	uint32_t at = 0;

	make_burst(200, 0);
	ck_assert(pf_deliver_next_stack(&vectors, &burst, &at, &first));
	ck_assert(pf_deliver_next_stack(&vectors, &burst, &at, &second));
	ck_assert_uint_eq(first.count, 127);
	ck_assert_uint_eq(first.entries[0].from, 12608);
	ck_assert_uint_eq(first.entries[126].from, 8);
	ck_assert_uint_eq(second.count, 74);
	ck_assert_uint_eq(second.entries[73].from, 12608);
	ck_assert_uint_eq(second.entries[0].to, 20000);
}
END_TEST

START_TEST(edges_that_are_no_branches_are_left_out)
{
	for (uint32_t fall = 2; fall < 9; fall++) {
		for (uint32_t count = 1; count < 600; count += 7) {
			make_burst(count, fall);
			cut_and_check();
		}
	}
}
END_TEST

START_TEST(a_burst_without_branches_gives_no_stack)
{
	make_burst(300, 1);
	ck_assert_uint_eq(cut_and_check(), 0);
}
END_TEST

/* The last stack would only repeat the shared entry. */
START_TEST(a_tail_without_branches_gives_no_stack)
{
	make_burst(130, 0);
	for (uint32_t i = 127; i < 130; i++)
		edges[i].kind = PF_EDGE_FALL;
	ck_assert_uint_eq(cut_and_check(), 1);
}
END_TEST

/* The samples and their period of bursts that stand for FIRST and SECOND others, of 100 ns and one branch each. */
static void deliver(uint64_t first, uint64_t second, uint64_t samples[2], uint64_t *period)
{
	static char *command[] = { "unit", NULL };
	struct pf_perf_writer_options options = { .event = "pathfdo-soft",
						  .attr_type = PERF_TYPE_SOFTWARE,
						  .sample_type = PF_DELIVER_SAMPLE_TYPE,
						  .branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
						  .command = command };
	struct pf_vec_process process = { .pid = 7, .comm = "unit", .exe = "/unit" };
	struct pf_vec_burst bursts[2] = {
		{ .tid = 7, .time = 1000, .period = 100, .repeat = first, .edge_count = 1 },
		{ .tid = 7, .time = 9000, .period = 100, .repeat = second, .edge_count = 1 }
	};
	struct pf_harvest_image image = { .start_ns = 1, .end_ns = 20000 };
	struct pf_harvest harvest = { .images = &image };
	char path[] = "/tmp/pathfdo-unit.XXXXXX";
	struct pf_perf_writer *writer;
	struct pf_perf_file *file;
	struct pf_event event;
	struct pf_error error;

	make_burst(2, 0);
	bursts[0].edges = &ids[0];
	bursts[1].edges = &ids[1];
	harvest.vectors = (struct pf_vectors) { .process_count = 1,
						.processes = &process,
						.edge_count = 2,
						.edges = edges,
						.burst_count = 2,
						.bursts = bursts };
	close(mkstemp(path));
	unlink(path); /* what is there is kept, under another name */
	ck_assert_int_eq(pf_perf_create(path, &options, &writer, &error), PF_OK);
	ck_assert_int_eq(pf_deliver_harvest(writer, &harvest, true, &error), PF_OK);
	ck_assert_int_eq(pf_perf_commit(writer, &error), PF_OK);
	ck_assert_int_eq(pf_perf_open(path, &file, &error), PF_OK);
	samples[0] = samples[1] = *period = 0;
	while (pf_perf_next(file, &event, &error) > 0) {
		if (event.kind != PF_EVENT_SAMPLE)
			continue;
		ck_assert_uint_eq(event.branch_count, 1);
		samples[event.branches[0].from == edges[1].from]++;
		*period += event.period;
	}
	pf_perf_close(file);
	unlink(path);
}

START_TEST(a_burst_that_stands_for_many_is_written_as_often)
{
	uint64_t samples[2], period;

	deliver(1, 4, samples, &period);
	ck_assert_uint_eq(samples[0], 1);
	ck_assert_uint_eq(samples[1], 4);
	ck_assert_uint_eq(period, 500);
	deliver(64, 3, samples, &period);
	ck_assert_uint_eq(samples[0], 64);
	ck_assert_uint_eq(samples[1], 3);
}
END_TEST

/* 4096 to 512 are 64 to 8, and each copy has the period of 64; of 33 and 31, which are a copy together, one has it. */
START_TEST(the_most_copies_are_shared_out_in_proportion)
{
	uint64_t samples[2], period;

	deliver(4096, 512, samples, &period);
	ck_assert_uint_eq(samples[0], 64);
	ck_assert_uint_eq(samples[1], 8);
	ck_assert_uint_eq(period, 100 * (4096 + 512));
	deliver(4096 + 33 - 64, 31, samples, &period);
	ck_assert_uint_eq(samples[0], 63);
	ck_assert_uint_eq(samples[1], 1);
	ck_assert_uint_eq(period, 100 * 4096);
}
END_TEST

int main(void)
{
	return RUN_SUITE("runtime-deliver", the_number_of_stacks_is_the_smallest_possible, the_shared_entry_is_the_same,
			 edges_that_are_no_branches_are_left_out, a_burst_without_branches_gives_no_stack,
			 a_tail_without_branches_gives_no_stack, a_burst_that_stands_for_many_is_written_as_often,
			 the_most_copies_are_shared_out_in_proportion);
}
