/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules for hardware branch stacks, one stack a rule, through a real perf.data file; the expected edges are written
 * down by hand. */
#include "converter/intake.h"
#include "perfdata/perfdata.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

#define BASE 0x400000u
#define WRONG_PATH (1ull << 24)

static struct pf_traffic traffic;
static struct pf_recording recording;

/* Writes one sample with the COUNT entries at BRANCHES (newest first) and takes it in. */
static void take(const struct pf_branch *branches, uint32_t count)
{
	static char *command[] = { "unit", NULL };
	char path[] = "/tmp/pathfdo-stacks.XXXXXX";
	struct pf_perf_writer_options options = {
		.event = "br_inst_retired:near_taken",
		.attr_type = PERF_TYPE_HARDWARE,
		.sample_type =
		    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
		.period = 1000,
		.command = command,
	};
	struct pf_event map = { .kind = PF_EVENT_MMAP,
				.pid = 7,
				.tid = 7,
				.time = 1,
				.address = BASE,
				.length = 0x400000,
				.page_offset = 0x1000,
				.protection = 5,
				.filename = "/bin/unit" };
	struct pf_event sample = { .kind = PF_EVENT_SAMPLE,
				   .pid = 7,
				   .tid = 7,
				   .time = 2,
				   .ip = BASE,
				   .period = 1000,
				   .branch_count = count,
				   .branches = branches };
	struct pf_intake_options intake = { 0 };
	struct pf_perf_writer *writer;
	struct pf_error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_msg(pf_perf_create(path, &options, &writer, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_perf_write(writer, &map, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_perf_write(writer, &sample, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_perf_commit(writer, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_intake_file(&traffic, path, &intake, &recording, &error) == PF_OK, "%s", error.text);
	unlink(path);
}

static void drop_all(void)
{
	pf_traffic_fini(&traffic);
	pf_recording_fini(&recording);
}

/* The edge number I is start to from, then to; offsets in the file. */
static void check_edge(size_t i, uint64_t start, uint64_t from, uint64_t to)
{
	ck_assert_uint_lt(i, traffic.edges.count);
	ck_assert_uint_eq(traffic.edges.at[i].start, start + 0x1000);
	ck_assert_uint_eq(traffic.edges.at[i].from, from + 0x1000);
	ck_assert_uint_eq(traffic.edges.at[i].to, to + 0x1000);
}

START_TEST(oldest_gives_only_a_start)
{
	const struct pf_branch stack[] = { { BASE + 0x30, BASE + 0x50, 0 },
					   { BASE + 0x20, BASE + 0x28, 0 },
					   { BASE + 0x10, BASE + 0x18, 0 } };

	take(stack, 3);
	ck_assert_uint_eq(traffic.edges.count, 2);
	check_edge(0, 0x18, 0x20, 0x28);
	check_edge(1, 0x28, 0x30, 0x50);
	ck_assert_uint_eq(traffic.edges.at[0].weight, PF_WEIGHT_ONE);
	ck_assert_uint_eq(traffic.drops[PF_DROP_OLDEST], 1);
	ck_assert_uint_eq(traffic.branches_read, 3);
	ck_assert_uint_eq(traffic.branches_used, 2);
	ck_assert_int_eq(recording.kind, PF_SOURCE_LBR);
	drop_all();
}
END_TEST

START_TEST(backwards_and_long_ranges)
{
	const struct pf_branch stack[] = { { BASE + 0x200010, BASE + 0x40, 0 }, /* from 0x28: 2 MiB further on */
					   { BASE + 0x20, BASE + 0x28, 0 },     /* from 0x38: backwards */
					   { BASE + 0x30, BASE + 0x38, 0 },
					   { BASE + 0x10, BASE + 0x28, 0 } };

	take(stack, 4);
	ck_assert_uint_eq(traffic.edges.count, 1);
	check_edge(0, 0x28, 0x30, 0x38);
	ck_assert_uint_eq(traffic.drops[PF_DROP_BACKWARDS], 1);
	ck_assert_uint_eq(traffic.drops[PF_DROP_LONG], 1);
	drop_all();
}
END_TEST

START_TEST(newest_stored_twice)
{
	const struct pf_branch stack[] = { { BASE + 0x30, BASE + 0x18, 0 },
					   { BASE + 0x30, BASE + 0x18, 0 },
					   { BASE + 0x20, BASE + 0x28, 0 },
					   { BASE + 0x10, BASE + 0x18, 0 } };
	const struct pf_branch loop[] = { { BASE + 0x30, BASE + 0x18, 0 },
					  { BASE + 0x30, BASE + 0x18, 0 },
					  { BASE + 0x30, BASE + 0x18, 0 } };

	take(stack, 4);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 1);
	ck_assert_uint_eq(traffic.branches_used, 2);
	drop_all();
	take(loop, 3);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 0);
	ck_assert_uint_eq(traffic.branches_used, 2);
	check_edge(0, 0x18, 0x30, 0x18);
	ck_assert_uint_eq(traffic.edges.at[0].weight, 2 * PF_WEIGHT_ONE);
	drop_all();
}
END_TEST

START_TEST(wrong_path_is_not_there)
{
	const struct pf_branch stack[] = { { BASE + 0x30, BASE + 0x50, 0 },
					   { BASE + 0x90, BASE + 0x98, WRONG_PATH },
					   { BASE + 0x10, BASE + 0x18, 0 } };

	take(stack, 3);
	ck_assert_uint_eq(traffic.edges.count, 1);
	check_edge(0, 0x18, 0x30, 0x50); /* as if the wrong path were not there */
	ck_assert_uint_eq(traffic.drops[PF_DROP_WRONG_PATH], 1);
	drop_all();
}
END_TEST

START_TEST(kernel_and_unmapped)
{
	const struct pf_branch stack[] = { { BASE + 0x40, BASE + 0x50, 0 },
					   { 0xffffffff81000010u, BASE + 0x38, 0 }, /* back from the kernel */
					   { 0x10, 0xffffffff81000000u, 0 },        /* at no mapping */
					   { BASE + 0x10, BASE + 0x18, 0 } };

	take(stack, 4);
	ck_assert_uint_eq(traffic.drops[PF_DROP_KERNEL], 1);
	ck_assert_uint_eq(traffic.drops[PF_DROP_UNMAPPED], 1);
	ck_assert_uint_eq(traffic.edges.count, 1);
	check_edge(0, 0x38, 0x40, 0x50);
	drop_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("converter-stacks");
	TCase *tests = tcase_create("rules");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tests, oldest_gives_only_a_start);
	tcase_add_test(tests, backwards_and_long_ranges);
	tcase_add_test(tests, newest_stored_twice);
	tcase_add_test(tests, wrong_path_is_not_there);
	tcase_add_test(tests, kernel_and_unmapped);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
