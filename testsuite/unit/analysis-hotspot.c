/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot spot detector on streams whose counters were reckoned by hand, from the description in the paper.  The small
 * detector has counters of a few bits: candidates at 4 executions, 15 to count down by 1 for a candidate and up by 2
 * for another, and a Monitor Counter of 7. */
#include "analysis/hotspot-run.h"
#include "testsuite/unit/suite.h"

#define A 0x1000u
#define B 0x1011u
#define C 0x1022u

static const struct pf_hotspot_parameters small = {
	.entries = 64,
	.ways = 2,
	.counter_bits = 3,
	.threshold = 4,
	.refresh = 1000,
	.clear = 100000,
	.hdc_bits = 4,
	.hdc_up = 2,
	.hdc_down = 1,
	.monitor_bits = 3,
	.monitor_up = 1,
	.monitor_down = 1,
};

static struct pf_hotspots d;
static uint64_t stranger; /* an address that no other branch has */

static void start(const struct pf_hotspot_parameters *parameters)
{
	ck_assert_int_eq(pf_hotspots_init(&d, parameters, NULL), PF_OK);
	stranger = 0x100000;
}

static struct pf_hotspot_hit feed_of(uint32_t process, uint64_t address, bool taken)
{
	struct pf_hotspot_branch branch = {
		.address = address, .target = address + 64, .process = process, .kind = PF_EDGE_COND, .taken = taken
	};

	return pf_hotspots_feed(&d, &branch);
}

static void feed(uint64_t address, int times)
{
	while (times-- > 0)
		feed_of(0, address, true);
}

static void feed_strangers(int times)
{
	while (times-- > 0)
		feed(stranger++, 1);
}

static const struct pf_branch_entry *entry(uint64_t address)
{
	return pf_branch_buffer_find(&d.buffer, address, 0);
}

START_TEST(promoted_at_the_threshold)
{
	start(&small);
	feed(A, 3);
	ck_assert(!entry(A)->candidate);
	ck_assert_uint_eq(entry(A)->executed, 3);
	feed(A, 1);
	ck_assert(entry(A)->candidate);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(detection_counter)
{
	start(&small);
	/* At its most it stays there; the fourth makes the candidate and is none yet. */
	feed(A, 4);
	ck_assert_uint_eq(d.hdc, 15);
	for (uint32_t k = 1; k <= 14; k++) {
		feed(A, 1);
		ck_assert_uint_eq(d.hdc, 15 - k);
	}
	ck_assert_uint_eq(d.spots.count, 0);
	feed(A, 1);
	ck_assert_uint_eq(d.spots.count, 1);
	ck_assert_uint_eq(d.spots.at[0].found, 19);
	ck_assert_uint_eq(d.spots.at[0].entry_count, 1);
	ck_assert_uint_eq(d.spots.at[0].entries[0].key, A);
	ck_assert_uint_eq(d.spots.at[0].entries[0].executed, 7);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(three_quarters)
{
	/* Of four branches three are the candidate: 12, 14, 11, 13, ... : down by 1 in four, and 0 in the 13th, at the
	 * third branch of it: 4 + 12 x 4 + 3. */
	start(&small);
	feed(A, 4);
	for (int group = 0; group < 12; group++) {
		feed(A, 3);
		feed_strangers(1);
		ck_assert_uint_eq(d.hdc, 14u - (uint32_t)group);
	}
	feed(A, 2);
	ck_assert_uint_eq(d.spots.count, 0);
	feed(A, 1);
	ck_assert_uint_eq(d.spots.at[0].found, 55);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(two_thirds_are_not_enough)
{
	start(&small);
	feed(A, 4);
	for (int i = 0; i < 1000; i++) {
		feed(A, 2);
		feed_strangers(1);
	}
	ck_assert_uint_eq(d.hdc, 15);
	ck_assert_uint_eq(d.spots.count, 0);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(saturation_keeps_the_ratio)
{
	struct pf_hotspot_parameters p = small;

	p.hdc_bits = 10;
	start(&p);
	for (int i = 0; i < 7; i++)
		feed_of(0, A, i % 2 == 0);
	feed(A, 20);
	ck_assert_uint_eq(entry(A)->executed, 7);
	ck_assert_uint_eq(entry(A)->taken, 4);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(refresh_timer)
{
	struct pf_hotspot_parameters p = small;

	p.refresh = 8;
	start(&p);
	feed(A, 4);
	feed(B, 3);
	ck_assert_ptr_nonnull(entry(B));
	feed_strangers(1);
	ck_assert_uint_eq(d.refreshes, 1);
	ck_assert_ptr_null(entry(B));
	ck_assert_uint_eq(entry(A)->executed, 4);
	feed(B, 1);
	ck_assert_uint_eq(entry(B)->executed, 1);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(clear_timer)
{
	struct pf_hotspot_parameters p = small;

	p.clear = 16;
	start(&p);
	feed(A, 15);
	ck_assert_uint_eq(d.hdc, 4);
	feed(A, 1);
	ck_assert_uint_eq(d.clears, 1);
	ck_assert_uint_eq(d.hdc, 15);
	ck_assert_ptr_null(entry(A));
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(nothing_is_replaced)
{
	struct pf_hotspot_parameters p = small;

	p.entries = 2;
	p.refresh = 104;
	start(&p);
	feed(A, 1);
	feed(B, 1);
	feed(C, 100);
	ck_assert_ptr_null(entry(C));
	ck_assert_uint_eq(d.left_out, 100);
	ck_assert_ptr_nonnull(entry(A));
	feed(B, 2);
	/* 104 branches: neither is a candidate. */
	feed(C, 1);
	ck_assert_uint_eq(entry(C)->executed, 1);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(monitor_mode_and_back)
{
	start(&small);
	feed(A, 19);
	ck_assert_int_eq(d.processes.at[0].mode, PF_HOTSPOT_MONITOR);
	ck_assert_uint_eq(d.processes.at[0].counter, 0);
	ck_assert_uint_eq(feed_of(0, A, true).hotspot, 0);
	feed_strangers(6);
	ck_assert_int_eq(d.processes.at[0].mode, PF_HOTSPOT_MONITOR);
	feed(A, 1);
	ck_assert_uint_eq(d.processes.at[0].counter, 5);
	feed_strangers(2);
	ck_assert_int_eq(d.processes.at[0].mode, PF_HOTSPOT_PROFILING);
	ck_assert_uint_eq(d.owner, 0);
	/* Back in what is known: 7 down to 0, and the detector rests. */
	feed(A, 6);
	ck_assert_uint_eq(d.owner, 0);
	feed(A, 1);
	ck_assert_uint_eq(d.owner, PF_NO_PROCESS);
	ck_assert_uint_eq(d.spots.count, 1);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(a_second_hot_spot)
{
	start(&small);
	feed(A, 19);
	/* The 7th of another has the detector armed again, and is the first that it counts. */
	feed(B, 6 + 18);
	ck_assert_uint_eq(d.spots.count, 1);
	feed(B, 1);
	ck_assert_uint_eq(d.spots.count, 2);
	ck_assert_uint_eq(d.spots.at[1].found, 19 + 25);
	ck_assert_uint_eq(feed_of(0, B, true).hotspot, 1);
	ck_assert_uint_eq(feed_of(0, A, true).hotspot, 0);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(one_detector_for_all_processes)
{
	start(&small);
	feed_of(0, A, true);
	for (int i = 0; i < 10; i++)
		feed_of(1, B, true);
	ck_assert_uint_eq(d.owner, 0);
	ck_assert_int_eq(d.processes.at[1].mode, PF_HOTSPOT_WAITING);
	ck_assert_ptr_null(entry(B));
	feed(A, 18);
	/* The hot spot is process 0's alone, and process 1 has its turn. */
	ck_assert_uint_eq(d.spots.count, 1);
	ck_assert_uint_eq(d.owner, 1);
	ck_assert_uint_eq(feed_of(1, A, true).hotspot, PF_NO_HOTSPOT);
	ck_assert_uint_eq(feed_of(0, A, true).hotspot, 0);
	pf_hotspots_end_process(&d, 1);
	ck_assert_uint_eq(d.owner, PF_NO_PROCESS);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(the_clear_timer_passes_the_detector_on)
{
	struct pf_hotspot_parameters p = small;

	p.clear = 8;
	start(&p);
	feed(A, 1);
	feed_of(1, B, true);
	feed(A, 6);
	ck_assert_uint_eq(d.owner, 0);
	feed(A, 1);
	ck_assert_uint_eq(d.owner, 1);
	ck_assert_int_eq(d.processes.at[0].mode, PF_HOTSPOT_WAITING);
	for (int i = 0; i < 8; i++)
		feed_of(1, B, true);
	ck_assert_uint_eq(d.owner, 0);
	pf_hotspots_fini(&d);
}
END_TEST

/* Process 0 waits for process 2, and process 1 for both: whoever runs has the detector, and finds its hot spot. */
START_TEST(who_does_not_run_loses_the_detector)
{
	struct pf_hotspot_parameters p = small;

	p.clear = 64;
	start(&p);
	feed(A, 1);
	feed_of(1, B, true);
	for (int i = 0; i < 62; i++)
		feed_of(2, A, true);
	ck_assert_uint_eq(d.owner, 0);
	feed_of(2, A, true);
	ck_assert_uint_eq(d.owner, 2);
	ck_assert_int_eq(d.processes.at[0].mode, PF_HOTSPOT_WAITING);
	for (int i = 0; i < 18; i++)
		feed_of(2, A, true);
	ck_assert_uint_eq(d.spots.count, 1);
	ck_assert_uint_eq(d.spots.at[0].process, 2);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(directions_apart)
{
	struct pf_hotspot_parameters p = small;

	p.direction = true;
	start(&p);
	feed(A, 19);
	ck_assert_uint_eq(d.spots.count, 1);
	ck_assert_uint_eq(d.spots.at[0].entries[0].key, A);
	ck_assert_uint_eq(d.spots.at[0].entries[0].taken, 7);
	ck_assert_uint_eq(feed_of(0, A, true).hotspot, 0);
	ck_assert_uint_eq(feed_of(0, A, false).hotspot, PF_NO_HOTSPOT);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(conditional_and_indirect_only)
{
	struct pf_hotspot_parameters p = small;
	struct pf_hotspot_branch branch = { .address = B, .kind = PF_EDGE_CALL, .taken = true };

	p.conditional = true;
	start(&p);
	ck_assert(pf_hotspots_feed(&d, &branch).ignored);
	branch.kind = PF_EDGE_JUMP;
	ck_assert(pf_hotspots_feed(&d, &branch).ignored);
	ck_assert_uint_eq(d.branches, 0);
	branch.kind = PF_EDGE_RETURN;
	ck_assert(!pf_hotspots_feed(&d, &branch).ignored);
	ck_assert_uint_eq(d.branches, 1);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(arcs_of_indirect_branches)
{
	struct pf_hotspot_parameters p = small;
	struct pf_hotspot_branch branch = { .address = A, .kind = PF_EDGE_INDIRECT, .taken = true };

	p.arcs = 64;
	p.counter_bits = 8;
	start(&p);
	for (int i = 0; i < 19; i++) {
		branch.target = i % 4 == 3 ? 0x5001 : 0x5002;
		pf_hotspots_feed(&d, &branch);
	}
	ck_assert_uint_eq(d.spots.count, 1);
	ck_assert_uint_eq(d.spots.at[0].arc_count, 2);
	ck_assert_uint_eq(d.spots.at[0].arcs[0].target, 0x5001);
	ck_assert_uint_eq(d.spots.at[0].arcs[0].executed, 4);
	ck_assert_uint_eq(d.spots.at[0].arcs[1].executed, 15);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(ranges)
{
	struct pf_hotspot_parameters p = small;

	p.range_gap = 32;
	start(&p);
	/* Both become candidates in 8 executions, which count as others, and 15 more do. */
	for (int i = 0; i < 23; i++)
		feed(i % 2 ? B : A, 1);
	ck_assert_uint_eq(d.spots.count, 1);
	ck_assert_uint_eq(feed_of(0, A + 5, true).hotspot, 0);
	ck_assert_uint_eq(feed_of(0, A + 5, true).member, PF_NO_MEMBER);
	ck_assert_uint_eq(feed_of(0, A - 1, true).hotspot, PF_NO_HOTSPOT);
	ck_assert_uint_eq(feed_of(0, B + 1, true).hotspot, PF_NO_HOTSPOT);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(a_full_monitor_table)
{
	struct pf_hotspot_parameters p = small;

	p.monitor_entries = 1;
	start(&p);
	feed(A, 19);
	feed(B, 25);
	ck_assert(d.spots.at[0].evicted);
	ck_assert_uint_eq(feed_of(0, A, true).hotspot, PF_NO_HOTSPOT);
	/* It is found again as a new one: one of the 25 was fed already. */
	feed(A, 24);
	ck_assert_uint_eq(d.spots.count, 3);
	pf_hotspots_fini(&d);
}
END_TEST

START_TEST(what_cannot_be)
{
	struct pf_hotspot_parameters p = small;
	struct pf_error error;

	p.entries = 48;
	ck_assert_int_eq(pf_hotspots_init(&d, &p, &error), PF_EINVAL);
	pf_hotspots_fini(&d);
	p.entries = 64;
	p.threshold = 8;
	ck_assert_int_eq(pf_hotspots_init(&d, &p, &error), PF_EINVAL);
	pf_hotspots_fini(&d);
}
END_TEST

/* Two loops of one branch each, 20,000 and 30,000 times, with the paper's parameters.  The first is found after 16
 * executions that make the candidate and 8,191 that count down; the second once 4,095 of it have filled the Monitor
 * Counter, of which the last is the first that is profiled. */
START_TEST(table_of_two_loops)
{
	struct pf_vec_edge edges[2] = {
		{ .from_map = UINT32_MAX, .kind = PF_EDGE_COND, .start = A, .from = A, .to = A },
		{ .from_map = UINT32_MAX, .kind = PF_EDGE_COND, .start = B, .from = B, .to = B }
	};
	static uint32_t ids[2][1000];
	struct pf_vec_burst bursts[50] = { 0 };
	struct pf_vectors v = { .edge_count = 2, .edges = edges, .burst_count = 50, .bursts = bursts };
	struct pf_hotspot_run run;
	struct pf_branch_sink sink;
	struct pf_hotspot_table table;

	for (int i = 0; i < 1000; i++)
		ids[1][i] = 1;
	for (uint64_t i = 0; i < 50; i++) /* the last in time stands first */
		bursts[i] = (struct pf_vec_burst) { .time = 50 - i, .edge_count = 1000, .edges = ids[i < 30] };
	ck_assert_int_eq(pf_hotspot_run_init(&run, &pf_hotspot_defaults, NULL), PF_OK);
	sink = pf_hotspot_run_sink(&run);
	ck_assert_int_eq(pf_branch_feed_vectors(&sink, &v, NULL), PF_OK);
	ck_assert_int_eq(pf_hotspot_run_table(&run, &table), PF_OK);
	ck_assert_uint_eq(table.hotspots, 2);
	ck_assert_uint_eq(run.detector.spots.at[0].found, 8207);
	ck_assert_uint_eq(run.detector.spots.at[1].found, 20000 + 4094 + 8207);
	ck_assert_uint_eq(run.accounts.at[0].executed, 20000 - 8207);
	ck_assert_uint_eq(run.accounts.at[1].executed, 30000 - 4094 - 8207);
	ck_assert_uint_eq(table.executed, 50000);
	ck_assert_uint_eq(table.in_hotspots, 50000);
	ck_assert_uint_eq(table.after, 50000 - 8207 - 4094 - 8207);
	ck_assert_uint_eq(table.seen, 2);
	ck_assert_uint_eq(table.distinct, 2);
	ck_assert_uint_eq(table.delivered, 2);
	/* Five columns of 10,000, each with the one dot that ran so often in all of it. */
	ck_assert_uint_eq(run.column, 4);
	for (int i = 0; i < 5; i++) {
		ck_assert_uint_eq(run.columns[i].dots.count, 1);
		ck_assert_uint_eq(run.columns[i].dots.at[0].count, 10000);
	}
	ck_assert_uint_eq(run.columns[0].active.at[0], 10000 - 8207);
	pf_hotspot_run_fini(&run);
}
END_TEST

/* 8,000,000 branches are 800 columns of 10,000: as many as there are twice over, so two became one. */
START_TEST(columns_widen)
{
	struct pf_vec_edge edge = { .from_map = UINT32_MAX, .kind = PF_EDGE_COND, .start = A, .from = A, .to = A };
	struct pf_hotspot_run run;
	struct pf_hotspot_table table;
	bool fed = true;

	ck_assert_int_eq(pf_hotspot_run_init(&run, &pf_hotspot_defaults, NULL), PF_OK);
	ck_assert_int_eq(pf_branch_steps_add(&run.steps, &edge, NULL), PF_OK);
	for (int i = 0; i < 8000000; i++)
		fed &= pf_hotspot_run_edge(&run, 0);
	ck_assert(fed);
	ck_assert_int_eq(pf_hotspot_run_table(&run, &table), PF_OK);
	ck_assert_uint_eq(run.width, 20000);
	ck_assert_uint_eq(run.column, 399);
	for (int i = 0; i < 400; i++) {
		ck_assert_uint_eq(run.columns[i].branches, 20000);
		ck_assert_uint_eq(run.columns[i].dots.at[0].count, 10000);
	}
	ck_assert_uint_eq(run.columns[0].active.at[0], 20000 - 8207);
	pf_hotspot_run_fini(&run);
}
END_TEST

/* How many members of the branch A a look-up passes. */
static unsigned length_of_list(const struct pf_monitor_table *t)
{
	unsigned length = 0;

	for (uint32_t i = pf_monitor_table_find(t, 0, A); i != PF_NO_MEMBER; i = t->members.at[i].next)
		length++;
	return length;
}

/* Each hot spot has A and a branch of its own; 100 come and go, and no look-up passes those that have gone. */
START_TEST(evicted_members_cost_nothing)
{
	struct pf_monitor_table t = { 0 };
	uint32_t left;

	for (uint32_t h = 0; h < 100; h++) {
		ck_assert(pf_monitor_table_add(&t, 0, A, h, 0) && pf_monitor_table_add(&t, 0, B + h, h, 0));
		ck_assert_uint_eq(pf_monitor_table_first(&t, h), 2 * h);
		if (h >= 3)
			pf_monitor_table_remove(&t, h - 3);
		ck_assert_uint_eq(length_of_list(&t), h < 3 ? h + 1 : 3);
	}
	pf_monitor_table_remove(&t, 98); /* from the middle, then the first, then all */
	ck_assert_uint_eq(length_of_list(&t), 2);
	pf_monitor_table_remove(&t, 99);
	left = pf_monitor_table_find(&t, 0, A);
	ck_assert(t.members.at[left].hotspot == 97 && length_of_list(&t) == 1);
	ck_assert_uint_eq(pf_monitor_table_find(&t, 0, B + 98), PF_NO_MEMBER);
	pf_monitor_table_remove(&t, 97);
	ck_assert_uint_eq(length_of_list(&t), 0);
	ck_assert(pf_monitor_table_add(&t, 0, A, 100, 0));
	ck_assert_uint_eq(length_of_list(&t), 1);
	pf_monitor_table_fini(&t);
}
END_TEST

/* What was found of a branch is found as long as the ranges are as they are. */
START_TEST(ranges_come_and_go)
{
	struct pf_monitor_table t = { 0 };

	ck_assert_ptr_null(pf_monitor_table_range(&t, 0, A));
	ck_assert(pf_monitor_table_add_range(&t, 0, A, A + 8, 5));
	for (int i = 0; i < 2; i++) {
		ck_assert_ptr_nonnull(pf_monitor_table_range(&t, 0, A + 7));
		ck_assert_ptr_null(pf_monitor_table_range(&t, 0, A + 8));
		ck_assert_ptr_null(pf_monitor_table_range(&t, 1, A + 7));
	}
	ck_assert(pf_monitor_table_add_range(&t, 0, A + 8, A + 9, 6));
	ck_assert_uint_eq(pf_monitor_table_range(&t, 0, A + 8)->hotspot, 6);
	pf_monitor_table_remove(&t, 5);
	ck_assert_ptr_null(pf_monitor_table_range(&t, 0, A + 7));
	ck_assert_uint_eq(pf_monitor_table_range(&t, 0, A + 8)->hotspot, 6);
	pf_monitor_table_fini(&t);
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-hotspot", promoted_at_the_threshold, detection_counter, three_quarters,
			 two_thirds_are_not_enough, saturation_keeps_the_ratio, refresh_timer, clear_timer,
			 nothing_is_replaced, monitor_mode_and_back, a_second_hot_spot, one_detector_for_all_processes,
			 the_clear_timer_passes_the_detector_on, who_does_not_run_loses_the_detector, directions_apart,
			 conditional_and_indirect_only, arcs_of_indirect_branches, ranges, a_full_monitor_table,
			 what_cannot_be, table_of_two_loops, columns_widen, evicted_members_cost_nothing,
			 ranges_come_and_go);
}
