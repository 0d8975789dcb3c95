/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's file: a good one gives exactly its vectors, a living one what is complete, and what is damaged costs
 * itself only and is named. */
#include "runtime/harvest.h"
#include "testsuite/unit/suite.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTION 8192u
#define STRINGS 4608u
#define CHUNK 128u
#define CHUNKS 3u

/* A section small enough to be written out in a test. */
struct section {
	struct pf_wire_header header;
	char strings[STRINGS];
	struct pf_wire_map maps[2];
	struct pf_wire_edge edges[3];
	struct pf_wire_site sites[2];
	struct pf_wire_chunk tables[2][CHUNKS];
	uint8_t chunks[CHUNKS][CHUNK];
};

struct file {
	union {
		struct pf_control control;
		uint8_t page[PF_WIRE_PAGE];
	};
	union {
		struct section section;
		uint8_t bytes[SECTION];
	} sections[3];
};

/* What a file system that knows of no holes answers who looks for data; 0: this one does know. */
static int no_holes;

off_t lseek(int fd, off_t offset, int whence)
{
	if (no_holes && whence == SEEK_DATA) {
		errno = no_holes;
		return -1;
	}
	return syscall(SYS_lseek, fd, offset, whence);
}

/* Appends a burst of COUNT edges, IDS, to chunk CHUNK of the table that holds good. */
static void put_burst(struct section *s, uint32_t chunk, struct pf_wire_burst burst, const uint32_t *ids)
{
	struct pf_wire_chunk *entry = &s->tables[s->header.epoch % 2][chunk];

	memcpy(s->chunks[chunk] + entry->used, &burst, sizeof burst);
	memcpy(s->chunks[chunk] + entry->used + sizeof burst, ids, burst.edge_count * sizeof *ids);
	entry->used += (uint32_t)(sizeof burst + (burst.edge_count + 1) / 2 * 8);
}

static void fill_section(struct section *s, uint32_t pid, uint64_t start_ns)
{
	static const uint32_t first[] = { 0, 1, 2 }, second[] = { 1, 2 };

	*s = (struct section) {
		.header = { .magic = PF_WIRE_MAGIC,
			    .pid = pid,
			    .ppid = 11,
			    .start_ns = start_ns,
			    .comm = "prog",
			    .strings_used = 25,
			    .maps_used = 2,
			    .edges_used = 3,
			    .epoch = 5,
			    .bursts = 6,
			    .branches_recorded = 14,
			    .cpu_ns = 1000000,
			    .cost_ns = 3000,
			    .refusals = { [PF_REFUSE_GS_USED] = 2 },
			    .weight = 1 },
		.maps = { { .start = 0x1000, .end = 0x2000, .time_ns = 1000, .path = 0 },
			  { .start = 0x3000,
			    .end = 0x4000,
			    .pgoff = 0x500,
			    .time_ns = 1500,
			    .path = 12,
			    .build_id_size = 20 } },
		.edges = { { 0x1010, 0x1100, 0x10, 0, 0, PF_EDGE_COND },
			   { 0x1110, 0x3000, 0x10, 0, 1, PF_EDGE_CALL },
			   { 0x3000, 0x9000, 0, 1, UINT32_MAX, PF_EDGE_RETURN } },
		/* What the other table says does not hold. */
		.tables = { { { 77, 7, 7 }, { 77, 7, 7 }, { 77, 7, 7 } }, { { 0, 2, 1 }, { 0, 0, 2 } } },
	};
	strcpy(s->strings, "/bin/prog");
	strcpy(s->strings + 12, "/lib/libx.so");
	memset(s->maps[1].build_id, 0xab, 20);
	/* The later burst is in the earlier chunk, of generation 2. */
	put_burst(s, 0, (struct pf_wire_burst) { 12, 3, start_ns + 2000, 500, 0, 0, 0, 0 }, first);
	put_burst(s, 1, (struct pf_wire_burst) { 13, 2, start_ns + 1000, 600, 0, PF_END_SYSCALL, 1, 0 }, second);
}

static struct file *good(void)
{
	static struct file f;

	memset(&f, 0, sizeof f);
	f.control = (struct pf_control) {
		.magic = PF_WIRE_CONTROL_MAGIC,
		.version = PF_WIRE_VERSION,
		.size = sizeof f.control,
		.frequency = 100,
		.branches = 3,
		.next_section = 3,
		.starts = 2,
		.refusals = { [PF_REFUSE_FULL] = 5 },
		.layout = { .first = PF_WIRE_PAGE,
			    .section_size = SECTION,
			    .sections = 3,
			    .chunk_size = CHUNK,
			    .strings = { offsetof(struct section, strings), STRINGS },
			    .maps = { offsetof(struct section, maps), 2 },
			    .edges = { offsetof(struct section, edges), 3 },
			    .sites = { offsetof(struct section, sites), 2 },
			    .tables = { offsetof(struct section, tables), CHUNKS },
			    .chunks = { offsetof(struct section, chunks), CHUNKS } },
	};
	fill_section(&f.sections[0].section, 12, 9000);
	fill_section(&f.sections[1].section, 14, 1000);
	fill_section(&f.sections[2].section, 12, 5000);
	return &f;
}

static int read_file(struct pf_harvest *h, const void *bytes, size_t size, struct pf_error *error)
{
	int fd = memfd_create("wire", MFD_CLOEXEC), status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	status = pf_harvest_file(h, fd, "NAME", NULL, NULL, error);
	close(fd);
	return status;
}

START_TEST(a_good_file_gives_its_vectors)
{
	struct pf_harvest h = { 0 };
	const struct pf_vectors *v = &h.vectors;

	ck_assert_int_eq(read_file(&h, good(), sizeof(struct file), NULL), PF_OK);
	ck_assert_uint_eq(h.damaged, 0);
	/* By process id, then by start. */
	ck_assert_uint_eq(v->process_count, 3);
	ck_assert_uint_eq(v->processes[0].pid, 12);
	ck_assert_uint_eq(h.images[0].start_ns, 5000);
	ck_assert_uint_eq(h.images[0].end_ns, 7000);
	ck_assert_uint_eq(v->processes[1].pid, 12);
	ck_assert_uint_eq(h.images[1].start_ns, 9000);
	ck_assert_uint_eq(v->processes[2].pid, 14);
	ck_assert_uint_eq(v->processes[0].ppid, 11);
	ck_assert_str_eq(v->processes[0].comm, "prog");
	ck_assert_str_eq(v->processes[0].exe, "/bin/prog");
	ck_assert_uint_eq(v->map_count, 6);
	ck_assert_str_eq(v->maps[3].path, "/lib/libx.so");
	ck_assert_uint_eq(v->maps[3].offset, 0x500);
	ck_assert_uint_eq(v->maps[3].build_id_size, 20);
	ck_assert_uint_eq(v->maps[3].build_id[19], 0xab);
	ck_assert_uint_eq(v->maps[3].process, 1);
	ck_assert_uint_eq(v->edge_count, 9);
	ck_assert_uint_eq(v->edges[4].start, 0x1100);
	ck_assert_uint_eq(v->edges[4].to_map, 3);
	ck_assert_uint_eq(v->edges[5].to_map, UINT32_MAX);
	/* By time, with the weight of their generations. */
	ck_assert_uint_eq(v->burst_count, 6);
	ck_assert_uint_eq(v->bursts[2].tid, 13);
	ck_assert_uint_eq(v->bursts[2].repeat, 1);
	ck_assert_uint_eq(v->bursts[2].edges[0], 4);
	ck_assert_uint_eq(v->bursts[2].end_reason, PF_END_SYSCALL);
	ck_assert(v->bursts[2].after_wait);
	ck_assert_uint_eq(v->bursts[3].tid, 12);
	ck_assert(!v->bursts[3].after_wait);
	ck_assert_uint_eq(v->bursts[3].repeat, 4);
	ck_assert_uint_eq(v->bursts[3].edge_count, 3);
	ck_assert_uint_eq(v->bursts[3].edges[2], 5);
	ck_assert_uint_eq(v->nominal_length, 3);
	ck_assert_uint_eq(v->frequency, 100);
	ck_assert_uint_eq(v->cpu_ns, 3000000);
	ck_assert_uint_eq(h.vector_cpu_ns, 3000000);
	ck_assert_uint_eq(h.bursts, 18);
	ck_assert_uint_eq(h.branches, 42);
	ck_assert_uint_eq(h.refusals[PF_REFUSE_GS_USED], 6);
	ck_assert_uint_eq(h.refusals[PF_REFUSE_FULL], 0);
	ck_assert_uint_eq(h.control.refusals[PF_REFUSE_FULL], 5);
	pf_harvest_fini(&h);
}
END_TEST

/* What was only timed follows a burst and is none: its edges are the process's, each with its number. */
START_TEST(timings_are_no_bursts)
{
	static const uint32_t ids[] = { 1, 0, 1, 1, 0 };
	struct pf_harvest h = { 0 };
	struct file *f = good();
	const struct pf_vec_timing *t;

	put_burst(&f->sections[1].section, 1, (struct pf_wire_burst) { 13, 5, 7, 0, 60, 0, 0, 0 }, ids);
	ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
	ck_assert_uint_eq(h.damaged, 0);
	ck_assert_uint_eq(h.vectors.burst_count, 6);
	ck_assert_uint_eq(h.vectors.timing_count, 1);
	t = &h.vectors.timings[0];
	ck_assert_uint_eq(t->elapsed, 60);
	ck_assert_uint_eq(t->share_count, 2);
	/* Of three processes with three edges each this is the last. */
	ck_assert_uint_eq(t->shares[0].edge, 6);
	ck_assert_uint_eq(t->shares[1].edge, 7);
	ck_assert_uint_eq(t->shares[0].count, 2);
	ck_assert_uint_eq(t->shares[1].count, 3);
	pf_harvest_fini(&h);
}
END_TEST

/* One of five that were not recorded: each of its bursts, and the time that they represent, counts for all five. */
START_TEST(a_process_stands_for_others)
{
	struct pf_harvest h = { 0 };
	struct file *f = good();
	uint64_t sum = 0;

	f->sections[1].section.header.weight = 5;
	ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
	ck_assert_uint_eq(h.damaged, 0);
	for (uint64_t i = 0; i < h.vectors.burst_count; i++)
		sum += h.vectors.bursts[i].repeat;
	ck_assert_uint_eq(sum, 5 + 25 + 5);
	ck_assert_uint_eq(h.vector_cpu_ns, 7000000);
	ck_assert_uint_eq(h.vectors.cpu_ns, 3000000);
	pf_harvest_fini(&h);
}
END_TEST

/* A change of 1, 4 or 8 bytes in section 1, and how many of its two bursts are left; -1: not even its process. */
static const struct damage {
	size_t offset, size;
	uint64_t value;
	int left;
	const char *says;
} damages[] = {
#define AT(member) offsetof(struct section, member), sizeof(((struct section *)0)->member)
	{ AT(header.magic), 4711, -1, "first 8 bytes" },
	{ AT(header.edges_used), 4, 2, "edges" },
	{ AT(header.edges_used), UINT64_MAX, 2, "edges" },
	{ AT(header.maps_used), 1000, 2, "mappings" },
	{ AT(header.strings_used), STRINGS + 1, 2, "names" },
	{ AT(header.strings_used), UINT64_MAX, 2, "names" },
	{ AT(header.weight), 0, 2, "stand for 0" },
	{ AT(header.weight), PF_WIRE_MOST_WEIGHT + 1, 2, "stand for 9" },
	{ AT(tables[1][0].used), CHUNK + 8, 1, "chunk 0" },
	{ AT(tables[1][0].generation), PF_WIRE_MAX_GENERATION + 1, 1, "chunk 0" },
	{ AT(tables[1][0].used), 48, 1, "burst is damaged" },
	{ AT(tables[1][2].used), 48, 2, "burst is damaged" },
	{ AT(chunks[1][4]), 200, 1, "burst is damaged" },
	{ AT(chunks[0][32]), PF_END_COUNT, 1, "burst is damaged" },
	{ AT(chunks[0][40]), 3, 1, "edge that is not there" },
	{ AT(chunks[0][43]), 0xff, 1, "edge that is not there" },
	{ AT(edges[2].kind), 0, 0, "edge 0x3000" },
	{ AT(edges[0].kind), 99, 1, "edge 0x1010" },
	{ AT(edges[0].from_map), 2, 1, "edge 0x1010" },
	{ AT(edges[0].length), 0x2000, 1, "edge 0x1010" },
	{ AT(maps[0].end), 0x1000, 0, "mapping 0x1000" },
	{ AT(maps[1].path), STRINGS, 0, "mapping 0x3000" },
	{ AT(maps[1].build_id_size), 21, 0, "mapping 0x3000" },
#undef AT
};

START_TEST(a_damage_costs_itself_only)
{
	const struct damage *d = &damages[_i];
	struct pf_harvest h = { 0 };
	struct file *f = good();
	int left = 0;

	memcpy(f->sections[1].bytes + d->offset, &d->value, d->size);
	ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
	ck_assert_uint_eq(h.damaged, 1);
	ck_assert_msg(strstr(h.damages[0], "section 1 (process 14)") && strstr(h.damages[0], d->says), "%s",
		      h.damages[0]);
	ck_assert_uint_eq(h.vectors.process_count, d->left < 0 ? 2 : 3);
	for (uint64_t i = 0; i < h.vectors.burst_count; i++)
		left += h.vectors.processes[h.vectors.bursts[i].process].pid == 14;
	ck_assert_int_eq(left, d->left < 0 ? 0 : d->left);
	ck_assert_uint_eq(h.vectors.burst_count - (uint64_t)left, 4);
	pf_harvest_fini(&h);
}
END_TEST

/* No file of perf's has room for any name, and a name that has none would cost all processes. */
START_TEST(a_name_longer_than_a_path_costs_its_mapping)
{
	for (uint32_t longer = 0; longer < 2; longer++) {
		struct pf_harvest h = { 0 };
		struct file *f = good();
		struct section *s = &f->sections[1].section;

		memset(s->strings + 12, 'x', PATH_MAX - 1 + longer);
		s->header.strings_used = STRINGS;
		ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
		ck_assert_uint_eq(h.damaged, longer);
		ck_assert(!longer || strstr(h.damages[0], "mapping 0x3000"));
		ck_assert_uint_eq(h.vectors.map_count, 6 - longer);
		ck_assert_uint_eq(h.vectors.burst_count, 6 - 2 * longer);
		pf_harvest_fini(&h);
	}
}
END_TEST

START_TEST(many_damages_are_counted)
{
	struct pf_harvest h = { 0 };
	struct file *f = good();

	for (int i = 0; i < 3; i++)
		f->sections[i].section.header.magic = (uint64_t)i + 1;
	ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
	ck_assert_uint_eq(h.damaged, 3);
	ck_assert_uint_eq(h.vectors.process_count, 0);
	pf_harvest_fini(&h);
}
END_TEST

/* However short the file is cut, what lies before the cut is there. */
START_TEST(a_short_file_gives_what_it_has)
{
	for (size_t size = PF_WIRE_PAGE; size < sizeof(struct file); size += 40) {
		struct pf_harvest h = { 0 };
		size_t whole = (size - PF_WIRE_PAGE + SECTION - sizeof(struct section)) / SECTION;

		ck_assert_int_eq(read_file(&h, good(), size, NULL), PF_OK);
		ck_assert_uint_ge(h.vectors.burst_count, 2 * whole);
		ck_assert_uint_le(h.vectors.burst_count, 2 * whole + 2);
		pf_harvest_fini(&h);
	}
}
END_TEST

START_TEST(processes_that_did_not_begin_are_counted)
{
	struct pf_harvest h = { 0 };
	struct file *f = good();

	memset(&f->sections[0], 0, SECTION);
	ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
	ck_assert_uint_eq(h.unborn, 1);
	ck_assert_uint_eq(h.damaged, 0);
	ck_assert_uint_eq(h.vectors.burst_count, 4);
	pf_harvest_fini(&h);
}
END_TEST

/* The number of sections is anybody's to write. */
START_TEST(the_number_of_sections_is_not_trusted)
{
	static const uint64_t numbers[] = { 0, 1, 1000, UINT64_MAX };

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		struct pf_harvest h = { 0 };
		struct file *f = good();

		f->control.next_section = numbers[i];
		ck_assert_int_eq(read_file(&h, f, sizeof *f, NULL), PF_OK);
		ck_assert_uint_eq(h.vectors.burst_count, 6);
		ck_assert_uint_eq(h.damaged, 0);
		pf_harvest_fini(&h);
	}
}
END_TEST

START_TEST(what_is_no_recording_is_an_error)
{
	struct pf_harvest h = { 0 };
	struct file *f = good();
	struct pf_error error;

	ck_assert_int_eq(read_file(&h, f, 13, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "NAME"));
	ck_assert_int_eq(read_file(&h, "", 0, &error), PF_EFORMAT);
	f->control.version++;
	ck_assert_int_eq(read_file(&h, f, sizeof *f, &error), PF_EVERSION);
	f = good();
	f->control.layout.edges.capacity = UINT64_MAX / 8;
	ck_assert_int_eq(read_file(&h, f, sizeof *f, &error), PF_EFORMAT);
	f = good();
	f->control.magic++;
	ck_assert_int_eq(read_file(&h, f, sizeof *f, &error), PF_EFORMAT);
	pf_harvest_fini(&h);
}
END_TEST

/* A sparse file with sections that claim a gigabyte each: the holes are read, and not kept. */
START_TEST(holes_cost_no_memory)
{
	static struct pf_wire_chunk table[4096];
	struct pf_harvest h = { 0 };
	struct pf_wire_header header = { .magic = PF_WIRE_MAGIC, .pid = 1, .edges_used = 1 << 20 };
	struct pf_control control = {
		.magic = PF_WIRE_CONTROL_MAGIC,
		.version = PF_WIRE_VERSION,
		.size = sizeof control,
		.next_section = UINT64_MAX,
		.layout = { .first = PF_WIRE_PAGE,
			    .section_size = 2ull << 30,
			    .sections = 2,
			    .chunk_size = 256 << 10,
			    .strings = { 4096, 64 },
			    .maps = { 8192, 2 },
			    .edges = { 1 << 20, 1 << 20 },
			    .sites = { 1 << 20, 1 << 10 },
			    .tables = { 512 << 10, 4096 },
			    .chunks = { 128 << 20, 4096 } },
	};
	int fd = memfd_create("wire", MFD_CLOEXEC);
	struct rusage before, after;

	for (int i = 0; i < 4096; i++)
		table[i].used = 256 << 10;
	ck_assert_int_eq(ftruncate(fd, 5ll << 30), 0);
	ck_assert_int_eq(pwrite(fd, &control, sizeof control, 0), sizeof control);
	for (off_t at = PF_WIRE_PAGE; at < 4ll << 30; at += 2ll << 30) {
		ck_assert_int_eq(pwrite(fd, &header, sizeof header, at), sizeof header);
		ck_assert_int_eq(pwrite(fd, table, sizeof table, at + (512 << 10)), sizeof table);
	}
	getrusage(RUSAGE_SELF, &before);
	ck_assert_int_eq(pf_harvest_file(&h, fd, "NAME", NULL, NULL, NULL), PF_OK);
	getrusage(RUSAGE_SELF, &after);
	ck_assert_uint_eq(h.damaged, 2);
	ck_assert_uint_eq(h.vectors.burst_count, 0);
	/* The claimed edges, 32 MB of holes, are read once for each; the 2 GB of bursts are not. */
	ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 600 << 10);
	pf_harvest_fini(&h);
	close(fd);
}
END_TEST

static char folder[64];

static void put_file(const char *inner)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s%s", folder, inner);
	mkdir(path, 0700);
	strcat(path, "/" PF_WIRE_FILE);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(good(), 1, sizeof(struct file), file), sizeof(struct file));
	ck_assert_int_eq(fclose(file), 0);
}

static uint64_t bursts_in(const char *path, int *status)
{
	struct pf_harvest h = { 0 };
	struct pf_error error;
	uint64_t count;

	*status = pf_harvest_folder(&h, path, NULL, NULL, &error);
	count = h.vectors.burst_count;
	pf_harvest_fini(&h);
	return count;
}

START_TEST(a_file_system_may_know_of_no_holes)
{
	static const int answers[] = { EINVAL, EOPNOTSUPP, ENOSYS };
	struct pf_harvest h = { 0 };

	no_holes = answers[_i];
	ck_assert_int_eq(read_file(&h, good(), sizeof(struct file), NULL), PF_OK);
	ck_assert_uint_eq(h.vectors.process_count, 3);
	ck_assert_uint_eq(h.vectors.burst_count, 6);
	pf_harvest_fini(&h);
	no_holes = 0;
}
END_TEST

START_TEST(a_folder_is_read_as_recorders_leave_it)
{
	char command[160], path[96];
	int status;

	strcpy(folder, "/tmp/runtime-harvest.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	bursts_in(folder, &status);
	ck_assert_int_eq(status, PF_ENOTFOUND);
	put_file("/0123456789abcdef");
	ck_assert_uint_eq(bursts_in(folder, &status), 6);
	snprintf(path, sizeof path, "%s/0123456789abcdef", folder);
	ck_assert_uint_eq(bursts_in(path, &status), 6);
	/* Nothing but a plain file is opened. */
	snprintf(command, sizeof command, "cd %s && mv recording x && ln -s x recording", path);
	ck_assert_int_eq(system(command), 0);
	bursts_in(path, &status);
	ck_assert_int_eq(status, PF_EIO);
	snprintf(command, sizeof command, "cd %s && rm recording && mkdir recording", path);
	ck_assert_int_eq(system(command), 0);
	bursts_in(path, &status);
	ck_assert_int_eq(status, PF_EIO);
	snprintf(command, sizeof command, "cd %s && rmdir recording && mkfifo recording", path);
	ck_assert_int_eq(system(command), 0);
	bursts_in(path, &status);
	ck_assert_int_eq(status, PF_EIO);
	snprintf(command, sizeof command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("harvest");

	tcase_add_test(tests, a_good_file_gives_its_vectors);
	tcase_add_test(tests, timings_are_no_bursts);
	tcase_add_test(tests, a_process_stands_for_others);
	tcase_add_loop_test(tests, a_damage_costs_itself_only, 0, sizeof damages / sizeof damages[0]);
	tcase_add_test(tests, a_name_longer_than_a_path_costs_its_mapping);
	tcase_add_test(tests, many_damages_are_counted);
	tcase_add_test(tests, a_short_file_gives_what_it_has);
	tcase_add_test(tests, processes_that_did_not_begin_are_counted);
	tcase_add_test(tests, the_number_of_sections_is_not_trusted);
	tcase_add_test(tests, what_is_no_recording_is_an_error);
	tcase_add_test(tests, holes_cost_no_memory);
	tcase_add_loop_test(tests, a_file_system_may_know_of_no_holes, 0, 3);
	tcase_add_test(tests, a_folder_is_read_as_recorders_leave_it);
	return run_case("runtime-harvest", tests);
}
