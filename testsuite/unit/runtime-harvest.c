/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of the agent: a good one gives exactly its vectors, a living one what is complete, and every damaged field
 * is an error that names the file. */
#include "runtime/harvest.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A whole file, small enough to be written out in a test. */
struct file {
	struct pf_wire_header header;
	char strings[64];
	struct pf_wire_map maps[2];
	struct pf_wire_edge edges[3];
	uint64_t counts[3];
	struct pf_wire_burst first;
	uint32_t first_ids[4]; /* three, and padding */
	struct pf_wire_burst second;
	uint32_t second_ids[2];
};

#define NAME "12.0.pfwire"

static struct file good(void)
{
	struct file f = {
		.header = { .magic = PF_WIRE_MAGIC,
			    .version = PF_WIRE_VERSION,
			    .header_size = sizeof(struct pf_wire_header),
			    .pid = 12,
			    .ppid = 11,
			    .sequence = 0,
			    .frequency = 100,
			    .branches = 3,
			    .start_ns = 1000,
			    .file_size = sizeof f,
			    .comm = "prog",
			    .exe = 1,
			    .strings = { offsetof(struct file, strings), 64, 25 },
			    .maps = { offsetof(struct file, maps), 2, 2 },
			    .edges = { offsetof(struct file, edges), 3, 3 },
			    .counts = { offsetof(struct file, counts), 3, 0 },
			    .vectors = { offsetof(struct file, first), sizeof f - offsetof(struct file, first),
					 sizeof f - offsetof(struct file, first) },
			    .cpu_ns = 1000000,
			    .cost_ns = 3000,
			    .refusals = { [PF_REFUSE_GS_USED] = 2 } },
		.maps = { { .start = 0x1000, .end = 0x2000, .time_ns = 1000, .path = 1 },
			  { .start = 0x3000,
			    .end = 0x4000,
			    .pgoff = 0x500,
			    .time_ns = 1500,
			    .path = 12,
			    .build_id_size = 20 } },
		.edges = { { 0x1000, 0x1010, 0x1100, 0, 0, PF_EDGE_COND, 0 },
			   { 0x1100, 0x1110, 0x3000, 0, 1, PF_EDGE_CALL, 0 },
			   { 0x3000, 0x3000, 0x9000, 1, UINT32_MAX, PF_EDGE_RETURN, 0 } },
		.counts = { 5, 0, 7 },
		.first = { .tid = 12, .edge_count = 3, .time_ns = 2000, .period_ns = 500, .elapsed_ns = 50 },
		.first_ids = { 0, 1, 2, 0 },
		.second = { .tid = 13,
			    .edge_count = 2,
			    .time_ns = 3000,
			    .period_ns = 600,
			    .end_reason = PF_END_SYSCALL },
		.second_ids = { 1, 2 },
	};

	strcpy(f.strings + 1, "/bin/prog");
	strcpy(f.strings + 12, "/lib/libx.so");
	memset(f.maps[1].build_id, 0xab, 20);
	return f;
}

/* Adds SIZE bytes of F to H. */
static int add(struct pf_harvest *h, const struct file *f, size_t size, struct pf_error *error)
{
	int fd = memfd_create("wire", MFD_CLOEXEC), status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, f, size), (ssize_t)size);
	status = pf_harvest_add(h, fd, NAME, error);
	close(fd);
	return status;
}

START_TEST(a_good_file_gives_its_vectors)
{
	struct file f = good();
	struct pf_harvest h = { 0 };
	const struct pf_vectors *v = &h.vectors;

	ck_assert_int_eq(add(&h, &f, sizeof f, NULL), PF_OK);
	ck_assert_uint_eq(v->process_count, 1);
	ck_assert_uint_eq(v->processes[0].pid, 12);
	ck_assert_uint_eq(v->processes[0].ppid, 11);
	ck_assert_str_eq(v->processes[0].comm, "prog");
	ck_assert_str_eq(v->processes[0].exe, "/bin/prog");
	ck_assert_uint_eq(v->map_count, 2);
	ck_assert_str_eq(v->maps[1].path, "/lib/libx.so");
	ck_assert_uint_eq(v->maps[1].offset, 0x500);
	ck_assert_uint_eq(v->maps[1].build_id_size, 20);
	ck_assert_uint_eq(v->maps[1].build_id[19], 0xab);
	ck_assert_uint_eq(v->edge_count, 3);
	ck_assert_uint_eq(v->edges[1].to_map, 1);
	ck_assert_uint_eq(v->edges[2].to_map, UINT32_MAX);
	ck_assert_uint_eq(v->burst_count, 2);
	ck_assert_uint_eq(v->bursts[0].edge_count, 3);
	ck_assert_uint_eq(v->bursts[0].repeat, 1);
	ck_assert_uint_eq(v->bursts[0].edges[2], 2);
	ck_assert_uint_eq(v->bursts[1].tid, 13);
	ck_assert_uint_eq(v->bursts[1].edges[0], 1);
	ck_assert_uint_eq(v->bursts[1].end_reason, PF_END_SYSCALL);
	ck_assert_uint_eq(v->count_count, 0);
	ck_assert_uint_eq(v->cpu_ns, 1000000);
	ck_assert_uint_eq(h.branches, 5);
	ck_assert_uint_eq(h.refusals[PF_REFUSE_GS_USED], 2);
	ck_assert_uint_eq(h.images[0].end_ns, 3000);
	pf_harvest_fini(&h);
}
END_TEST

START_TEST(a_second_file_gets_indices_of_its_own)
{
	struct file f = good(), g = good();
	struct pf_harvest h = { 0 };
	const struct pf_vectors *v = &h.vectors;

	g.header.pid = 14;
	g.header.aggregated_bursts = 1;
	ck_assert_int_eq(add(&h, &f, sizeof f, NULL), PF_OK);
	ck_assert_int_eq(add(&h, &g, sizeof g, NULL), PF_OK);
	ck_assert_uint_eq(v->process_count, 2);
	ck_assert_uint_eq(v->maps[3].process, 1);
	ck_assert_uint_eq(v->edges[4].from_map, 2);
	ck_assert_uint_eq(v->edges[4].to_map, 3);
	ck_assert_uint_eq(v->bursts[2].process, 1);
	ck_assert_uint_eq(v->bursts[2].edges[0], 3);
	ck_assert_uint_eq(v->bursts[3].edges[1], 5);
	/* Counts of zero are left out. */
	ck_assert_uint_eq(v->count_count, 2);
	ck_assert_uint_eq(v->counts[1].edge, 5);
	ck_assert_uint_eq(v->counts[1].count, 7);
	ck_assert_uint_eq(v->cpu_ns, 2000000);
	pf_harvest_fini(&h);
}
END_TEST

START_TEST(a_process_that_had_not_begun_is_no_error)
{
	struct file f = good();
	struct pf_harvest h = { 0 };

	ck_assert_int_eq(add(&h, &f, 0, NULL), PF_OK);
	f.header.magic = 0;
	ck_assert_int_eq(add(&h, &f, sizeof f, NULL), PF_OK);
	ck_assert_uint_eq(h.unborn, 2);
	ck_assert_uint_eq(h.vectors.process_count, 0);
	pf_harvest_fini(&h);
}
END_TEST

/* The file of a killed process may hold a burst that was being written: it is not counted as used yet. */
START_TEST(what_is_not_counted_is_not_read)
{
	struct file f = good();
	struct pf_harvest h = { 0 };

	f.header.vectors.used = offsetof(struct file, second) - offsetof(struct file, first);
	f.second.edge_count = UINT32_MAX;
	ck_assert_int_eq(add(&h, &f, sizeof f, NULL), PF_OK);
	ck_assert_uint_eq(h.vectors.burst_count, 1);
	pf_harvest_fini(&h);
}
END_TEST

/* Where the strings region was full, the agent names its unused end. */
START_TEST(a_name_without_room_is_empty)
{
	struct file f = good();
	struct pf_harvest h = { 0 };

	f.maps[1].path = 63;
	ck_assert_int_eq(add(&h, &f, sizeof f, NULL), PF_OK);
	ck_assert_str_eq(h.vectors.maps[1].path, "");
	pf_harvest_fini(&h);
}
END_TEST

START_TEST(every_truncation_is_an_error)
{
	struct file f = good();

	for (size_t size = 1; size < sizeof f; size++) {
		struct pf_harvest h = { 0 };
		struct pf_error error = { 0 };

		ck_assert_int_eq(add(&h, &f, size, &error), PF_ETRUNCATED);
		ck_assert_ptr_nonnull(strstr(error.text, NAME));
		pf_harvest_fini(&h);
	}
}
END_TEST

/* One wrong 64-bit or 32-bit field each, and the error that it must give. */
static const struct {
	size_t at, size;
	uint64_t value;
	int status;
} wrongs[] = {
#define WRONG(field, value, status)                                                                                    \
	{                                                                                                              \
		offsetof(struct file, field), sizeof(((struct file *)0)->field), value, status                         \
	}
	WRONG(header.magic, 77, PF_EFORMAT),
	WRONG(header.version, 2, PF_EVERSION),
	WRONG(header.header_size, 8, PF_EVERSION),
	WRONG(header.exe, 64, PF_EFORMAT),
	WRONG(header.strings.used, 65, PF_EFORMAT),
	WRONG(header.strings.offset, UINT64_MAX, PF_ETRUNCATED),
	WRONG(header.strings.offset, 0, PF_ETRUNCATED),
	WRONG(header.maps.used, 3, PF_EFORMAT),
	WRONG(header.maps.capacity, UINT64_MAX / 8, PF_ETRUNCATED),
	WRONG(header.edges.used, UINT64_MAX, PF_EFORMAT),
	WRONG(header.edges.offset, sizeof(struct file), PF_ETRUNCATED),
	WRONG(header.counts.capacity, UINT64_MAX, PF_ETRUNCATED),
	WRONG(header.vectors.capacity, UINT64_MAX, PF_ETRUNCATED),
	WRONG(header.vectors.used, 44, PF_EFORMAT),
	WRONG(maps[0].path, 64, PF_EFORMAT),
	WRONG(maps[1].end, 0x3000, PF_EFORMAT),
	WRONG(maps[1].build_id_size, 21, PF_EFORMAT),
	WRONG(edges[0].kind, 0, PF_EFORMAT),
	WRONG(edges[1].kind, PF_EDGE_FALL + 1, PF_EFORMAT),
	WRONG(edges[1].start, 0x1111, PF_EFORMAT),
	WRONG(edges[2].from_map, 2, PF_EFORMAT),
	WRONG(edges[2].to_map, UINT32_MAX - 1, PF_EFORMAT),
	WRONG(first.edge_count, UINT32_MAX, PF_EFORMAT),
	WRONG(first.edge_count, 1, PF_EFORMAT),
	WRONG(first.end_reason, PF_END_COUNT, PF_EFORMAT),
	WRONG(first_ids[1], 3, PF_EFORMAT),
	WRONG(second.edge_count, 3, PF_EFORMAT),
};

START_TEST(every_wrong_field_is_an_error)
{
	struct file f = good();
	struct pf_harvest h = { 0 };
	struct pf_error error = { 0 };

	memcpy((char *)&f + wrongs[_i].at, &wrongs[_i].value, wrongs[_i].size);
	ck_assert_int_eq(add(&h, &f, sizeof f, &error), wrongs[_i].status);
	ck_assert_int_eq(error.code, wrongs[_i].status);
	ck_assert_ptr_nonnull(strstr(error.text, NAME));
	pf_harvest_fini(&h);
}
END_TEST

START_TEST(a_string_without_its_end_is_an_error)
{
	struct file f = good();
	struct pf_harvest h = { 0 };

	f.header.strings.used = 15;
	ck_assert_int_eq(add(&h, &f, sizeof f, NULL), PF_EFORMAT);
	pf_harvest_fini(&h);
}
END_TEST

/* A sparse file can announce any size; it must cost neither the memory nor the time. */
START_TEST(a_huge_sparse_region_is_refused)
{
	struct file f = good();
	struct pf_harvest h = { 0 };
	int fd = memfd_create("wire", MFD_CLOEXEC);

	f.header.vectors.capacity = f.header.vectors.used = 1ull << 40;
	ck_assert_int_eq(write(fd, &f, sizeof f), sizeof f);
	ck_assert_int_eq(ftruncate(fd, (1ll << 40) + (1 << 20)), 0);
	ck_assert_int_eq(pf_harvest_add(&h, fd, NAME, NULL), PF_ELIMIT);
	close(fd);
	pf_harvest_fini(&h);
}
END_TEST

static void put_file(const char *folder, const char *name, const struct file *f)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(f, sizeof *f, 1, out), 1);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(a_folder_is_read_in_order_and_foreign_names_are_left_alone)
{
	char folder[] = "/tmp/pathfdo-unit.XXXXXX", command[64];
	struct pf_harvest h = { 0 };
	struct file f = good();
	struct pf_error error;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	f.header.pid = 100;
	put_file(folder, "100.0.pfwire", &f);
	f.header.pid = 9;
	f.header.sequence = 1;
	put_file(folder, "9.1.pfwire", &f);
	f.header.sequence = 0;
	put_file(folder, "9.0.pfwire", &f);
	f.header.magic = 1;
	put_file(folder, "notes.txt", &f);
	ck_assert_int_eq(pf_harvest_folder(&h, folder, NULL, NULL, &error), PF_OK);
	ck_assert_uint_eq(h.vectors.process_count, 3);
	ck_assert_uint_eq(h.vectors.processes[0].pid, 9);
	ck_assert_uint_eq(h.images[1].sequence, 1);
	ck_assert_uint_eq(h.vectors.processes[2].pid, 100);
	pf_harvest_fini(&h);

	put_file(folder, "9.2.pfwire", &f);
	ck_assert_int_eq(pf_harvest_folder(&h, folder, NULL, NULL, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "9.2.pfwire"));
	pf_harvest_fini(&h);
	snprintf(command, sizeof command, "/bin/rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("harvest");

	tcase_add_test(tests, a_good_file_gives_its_vectors);
	tcase_add_test(tests, a_second_file_gets_indices_of_its_own);
	tcase_add_test(tests, a_process_that_had_not_begun_is_no_error);
	tcase_add_test(tests, what_is_not_counted_is_not_read);
	tcase_add_test(tests, a_name_without_room_is_empty);
	tcase_add_test(tests, every_truncation_is_an_error);
	tcase_add_loop_test(tests, every_wrong_field_is_an_error, 0, sizeof wrongs / sizeof wrongs[0]);
	tcase_add_test(tests, a_string_without_its_end_is_an_error);
	tcase_add_test(tests, a_huge_sparse_region_is_refused);
	tcase_add_test(tests, a_folder_is_read_in_order_and_foreign_names_are_left_alone);
	return run_case("runtime-harvest", tests);
}
