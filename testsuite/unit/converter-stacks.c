/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules for hardware branch stacks, one stack a rule, through a real perf.data file; the expected edges are written
 * down by hand. */
#include "converter/intake.h"
#include "perfdata/perfdata.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <unistd.h>

#define BASE 0x400000u
#define WRONG_PATH (1ull << 24)

static struct pf_traffic traffic;
static struct pf_recording recording;
static uint16_t mode;                 /* of the processor, of all samples */
static const struct pf_build_id *ids; /* the file's table */
static size_t id_count;

/* Writes samples of EVENT, with COUNT entries each (newest first) one after the other at BRANCHES, and takes them in.
 */
static void take_many(const char *event, uint32_t samples, const struct pf_branch *branches, uint32_t count)
{
	static char *command[] = { "unit", NULL };
	char path[] = "/tmp/pathfdo-stacks.XXXXXX";
	struct pf_perf_writer_options options = {
		.event = event,
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
				   .misc = mode,
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
	unlink(path); /* what is there is kept, under another name */
	ck_assert_msg(pf_perf_create(path, &options, &writer, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_perf_write(writer, &map, &error) == PF_OK, "%s", error.text);
	for (size_t i = 0; i < id_count; i++)
		ck_assert_int_eq(pf_perf_add_build_id(writer, &ids[i], &error), PF_OK);
	for (uint32_t i = 0; i < samples; i++) {
		sample.branches = &branches[i * count];
		ck_assert_msg(pf_perf_write(writer, &sample, &error) == PF_OK, "%s", error.text);
	}
	ck_assert_msg(pf_perf_commit(writer, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_intake_file(&traffic, path, &intake, &recording, &error) == PF_OK, "%s", error.text);
	unlink(path);
}

static void take(const struct pf_branch *branches, uint32_t count)
{
	take_many("br_inst_retired:near_taken", 1, branches, count);
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

#define SAMPLES 100
#define ENTRIES 10

/* Stacks of ten different branches, of which each third has its newest twice; with DEEP the same holds at each place
 * further down. */
static const struct pf_branch *repeating(bool deep)
{
	static struct pf_branch stacks[SAMPLES][ENTRIES];

	for (uint32_t i = 0; i < SAMPLES; i++) {
		for (uint32_t k = 0; k < ENTRIES; k++) {
			uint64_t place = BASE + 16 * (ENTRIES - k);

			stacks[i][k] = (struct pf_branch) { place, place + 8, 0 };
		}
		for (uint32_t k = 0; k + 1 < (deep ? ENTRIES : 2); k++) {
			if ((i + k) % 3 == 0)
				stacks[i][k + 1] = stacks[i][k];
		}
	}
	return stacks[0];
}

START_TEST(newest_stored_twice_by_hardware)
{
	take_many("br_inst_retired:near_taken", SAMPLES, repeating(false), ENTRIES);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 34);
	drop_all();
}
END_TEST

START_TEST(newest_twice_by_the_program)
{
	take_many("br_inst_retired:near_taken", SAMPLES, repeating(true), ENTRIES);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 0);
	drop_all();
}
END_TEST

START_TEST(newest_twice_by_the_software_recorder)
{
	take_many("pathfdo-soft", SAMPLES, repeating(false), ENTRIES);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 0);
	drop_all();
}
END_TEST

/* The first stack alone proves nothing. */
START_TEST(newest_twice_once)
{
	take_many("br_inst_retired:near_taken", 1, repeating(false), ENTRIES);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 0);
	drop_all();
}
END_TEST

START_TEST(loop_of_one_block)
{
	static struct pf_branch loops[SAMPLES][3];

	for (uint32_t i = 0; i < SAMPLES * 3; i++)
		loops[i / 3][i % 3] = (struct pf_branch) { BASE + 0x30, BASE + 0x18, 0 };
	take_many("br_inst_retired:near_taken", SAMPLES, loops[0], 3);
	ck_assert_uint_eq(traffic.drops[PF_DROP_DUPLICATE], 0);
	ck_assert_uint_eq(traffic.branches_used, 2 * SAMPLES);
	check_edge(0, 0x18, 0x30, 0x18);
	ck_assert_uint_eq(traffic.edges.at[0].weight, 2 * SAMPLES * PF_WEIGHT_ONE);
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

/* The host's process is the emulator: what it has at an address is not what ran in the machine. */
START_TEST(guests_addresses_are_others)
{
	const struct pf_branch stack[] = { { BASE + 0x30, BASE + 0x50, 0 },
					   { BASE + 0x20, BASE + 0x28, 0 },
					   { BASE + 0x10, BASE + 0x18, 0 } };
	const uint16_t modes[] = { PERF_RECORD_MISC_GUEST_USER, PERF_RECORD_MISC_GUEST_KERNEL };

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		mode = modes[i];
		take(stack, 3);
		ck_assert_uint_eq(traffic.edges.count, 0);
		ck_assert_uint_eq(traffic.branches_read, 3);
		ck_assert_uint_eq(traffic.branches_used, 0);
		ck_assert_uint_eq(traffic.drops[PF_DROP_GUEST], 3);
		drop_all();
	}
	mode = 0;
}
END_TEST

/* The build-id that the program's module has with the table AT; 0 none. */
static unsigned first_of_id(const struct pf_build_id *at, size_t count, bool *several)
{
	const struct pf_branch stack[] = { { BASE + 0x30, BASE + 0x50, 0 }, { BASE + 0x10, BASE + 0x18, 0 } };
	const struct pf_traffic_module *module;
	unsigned id;

	ids = at;
	id_count = count;
	take(stack, 2);
	id_count = 0;
	ck_assert_uint_eq(traffic.modules.count, 1);
	module = &traffic.modules.at[0];
	id = module->build_id_size ? module->build_id[0] : 0;
	*several = module->several;
	drop_all();
	return id;
}

/* The table is by path, and each container can have a file of its own there, as a guest has. */
START_TEST(build_ids_of_one_path)
{
	const struct pf_build_id table[] = {
		{ .path = "/bin/another", .id = { 9 }, .size = 20 },
		{ .path = "/bin/unit", .misc = PERF_RECORD_MISC_GUEST_USER, .id = { 3 }, .size = 20 },
		{ .path = "/bin/unit", .id = { 1 }, .size = 20 },
		{ .path = "/bin/unit", .id = { 1 }, .size = 20 },
		{ .path = "/bin/unit", .id = { 2 }, .size = 20 },
		{ .path = "/bin/unit", .id = { 1 }, .size = 20 },
	};
	bool several;

	ck_assert_uint_eq(first_of_id(table, 1, &several), 0);
	ck_assert(!several);
	ck_assert_uint_eq(first_of_id(table, 3, &several), 1);
	ck_assert(!several);
	ck_assert_uint_eq(first_of_id(table, 4, &several), 1);
	ck_assert(!several);
	for (size_t count = 5; count <= 6; count++) {
		ck_assert_uint_eq(first_of_id(table, count, &several), 0);
		ck_assert(several);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE(
	    "converter-stacks", oldest_gives_only_a_start, backwards_and_long_ranges, newest_stored_twice_by_hardware,
	    newest_twice_by_the_program, newest_twice_by_the_software_recorder, newest_twice_once, loop_of_one_block,
	    wrong_path_is_not_there, kernel_and_unmapped, guests_addresses_are_others, build_ids_of_one_path);
}
