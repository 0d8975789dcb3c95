/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read again, field by field, and a file is whole or absent.  (That perf reads it too is
 * e2e/perfdata-perf.sh.) */
#include "testsuite/unit/perfdata-image.h"

#include <sys/stat.h>

static struct pf_error error;
static char path[] = "/tmp/perfdata-roundtrip.XXXXXX";

static void fresh_path(void)
{
	int fd;

	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	unlink(path);
}

static void ok(int status)
{
	ck_assert_msg(status >= 0, "%s", error.text);
}

static struct pf_perf_writer *start(uint64_t sample_type, uint64_t branch_type)
{
	static char *command[] = { "a", "command with blanks", NULL };
	struct pf_perf_writer_options options = { .event = "an-event",
						  .attr_type = PERF_TYPE_SOFTWARE,
						  .attr_config = PERF_COUNT_SW_DUMMY,
						  .sample_type = sample_type,
						  .branch_sample_type = branch_type,
						  .period = 1000,
						  .frequency = true,
						  .command = command };
	struct pf_perf_writer *writer;

	fresh_path();
	ok(pf_perf_create(path, &options, &writer, &error));
	return writer;
}

static struct pf_perf_file *finish(struct pf_perf_writer *writer)
{
	struct pf_perf_file *file;

	ok(pf_perf_commit(writer, &error));
	ok(pf_perf_open(path, &file, &error));
	unlink(path);
	return file;
}

static void compare(const struct pf_event *got, const struct pf_event *want)
{
	ck_assert_int_eq(got->kind, want->kind);
	ck_assert_uint_eq(got->pid, want->pid);
	ck_assert_uint_eq(got->tid, want->tid);
	ck_assert_uint_eq(got->ppid, want->ppid);
	ck_assert_uint_eq(got->cpu, want->cpu);
	ck_assert_uint_eq(got->time, want->time);
	ck_assert_uint_eq(got->ip, want->ip);
	ck_assert_uint_eq(got->period, want->period);
	ck_assert_uint_eq(got->address, want->address);
	ck_assert_uint_eq(got->length, want->length);
	ck_assert_uint_eq(got->page_offset, want->page_offset);
	ck_assert_uint_eq(got->protection, want->protection);
	ck_assert_uint_eq(got->lost, want->lost);
	ck_assert_uint_eq(got->is_exec, want->is_exec);
	ck_assert_uint_eq(got->build_id_size, want->build_id_size);
	ck_assert_mem_eq(got->build_id, want->build_id, 20);
	ck_assert_pstr_eq(got->filename, want->filename);
	ck_assert_uint_eq(got->branch_count, want->branch_count);
	if (want->branch_count)
		ck_assert_mem_eq(got->branches, want->branches, want->branch_count * sizeof *want->branches);
}

static void write_and_read(uint64_t sample_type, uint64_t branch_type)
{
	static struct pf_branch branches[2000];
	const struct pf_event events[] = {
		{ .kind = PF_EVENT_COMM, .pid = 1, .tid = 1, .time = 10, .cpu = 3, .filename = "c", .is_exec = true },
		{ .kind = PF_EVENT_COMM, .pid = 1, .tid = 2, .time = 11, .filename = "fifteen letters" },
		{ .kind = PF_EVENT_MMAP,
		  .pid = 1,
		  .tid = 1,
		  .time = 12,
		  .address = 1ull << 46,
		  .length = 0x1000,
		  .page_offset = 0x5000,
		  .protection = 5,
		  .filename = "/a/path with blanks",
		  .build_id = { 9, 8, 7 },
		  .build_id_size = 8 },
		{ .kind = PF_EVENT_MMAP,
		  .pid = 1,
		  .tid = 1,
		  .time = 13,
		  .address = 0x1000,
		  .length = 0x1000,
		  .protection = 4,
		  .filename = "//anon" },
		{ .kind = PF_EVENT_FORK, .pid = 2, .ppid = 1, .tid = 2, .time = 14 },
		{ .kind = PF_EVENT_SAMPLE,
		  .pid = 2,
		  .tid = 2,
		  .time = 15,
		  .cpu = 7,
		  .ip = 0xffffffffff600000,
		  .period = 99,
		  .branches = branches,
		  .branch_count = 2000 },
		{ .kind = PF_EVENT_SAMPLE, .pid = 2, .tid = 2, .time = 16, .ip = 1, .period = 1 },
		{ .kind = PF_EVENT_LOST, .pid = 2, .tid = 2, .time = 17, .lost = 12345 },
		{ .kind = PF_EVENT_EXIT, .pid = 2, .ppid = 1, .tid = 2, .time = 18 },
	};
	size_t count = sizeof events / sizeof *events;
	struct pf_perf_writer *writer = start(sample_type, branch_type);
	struct pf_perf_file *file;
	struct pf_event got;

	for (size_t i = 0; i < 2000; i++)
		branches[i] = (struct pf_branch) { .from = i * 3, .to = ~i, .flags = i };
	for (size_t i = 0; i < count; i++)
		ok(pf_perf_write(writer, &events[i], &error));
	file = finish(writer);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(pf_perf_next(file, &got, &error), 1);
		compare(&got, &events[i]);
	}
	ck_assert_int_eq(pf_perf_next(file, &got, &error), 0);
	pf_perf_close(file);
}

enum {
	ALL = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
	      PERF_SAMPLE_BRANCH_STACK
};

START_TEST(all_events)
{
	write_and_read(ALL, PERF_SAMPLE_BRANCH_ANY);
	write_and_read(ALL, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
	write_and_read(ALL | PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_BRANCH_ANY);
	write_and_read(ALL | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_BRANCH_ANY);
}
END_TEST

START_TEST(tables)
{
	struct pf_build_id ids[] = { { .path = "/bin/one", .id = { 1, 2, 3 }, .size = 20 },
				     { .path = "/bin/two", .id = { 4, 5, 6, 7, 8 }, .size = 8, .pid = 77 } };
	struct pf_perf_writer *writer = start(ALL, PERF_SAMPLE_BRANCH_ANY);
	const struct pf_vectors *vectors;
	const struct pf_build_id *got;
	struct pf_perf_file *file;
	struct pf_event event;
	size_t count;

	for (size_t i = 0; i < 2; i++)
		ok(pf_perf_add_build_id(writer, &ids[i], &error));
	file = finish(writer);
	got = pf_perf_build_ids(file, &count);
	ck_assert_uint_eq(count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_str_eq(got[i].path, ids[i].path);
		ck_assert_uint_eq(got[i].size, ids[i].size);
		ck_assert_mem_eq(got[i].id, ids[i].id, 20);
	}
	ck_assert_uint_eq(got[1].pid, 77);
	ck_assert_str_eq(pf_perf_event_name(file, 0), "an-event");
	ck_assert_str_eq(pf_perf_event_name(file, 1), "");
	ck_assert_uint_eq(pf_perf_attr_count(file), 1);
	ck_assert_uint_eq(pf_perf_attr(file, 0)->sample_freq, 1000);
	ck_assert_uint_eq(pf_perf_attr(file, 0)->freq, 1);
	ck_assert_ptr_null(pf_perf_attr(file, 1));
	ok(pf_perf_vectors(file, &vectors, &error));
	ck_assert_ptr_null(vectors);
	ck_assert_int_eq(pf_perf_next(file, &event, &error), 1); /* the record that stands for none */
	ck_assert_int_eq(event.kind, PF_EVENT_OTHER);
	ck_assert_int_eq(pf_perf_next(file, &event, &error), 0);
	pf_perf_close(file);
}
END_TEST

START_TEST(raw_records)
{
	struct pf_perf_writer *writer = start(PERF_SAMPLE_IP, 0);
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;
	size_t at;

	for (uint64_t i = 0; i < 3; i++) {
		at = image_begin(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		pf_buffer_u64(&image.records, 0x100 + i);
		image_end(&image, at);
	}
	ok(pf_perf_write_raw(writer, image.records.data, image.records.size, &error));
	ck_assert_int_eq(pf_perf_write_raw(writer, image.records.data, image.records.size - 1, &error), PF_EINVAL);
	ck_assert_int_eq(pf_perf_write_raw(writer, "\11\0\0\0\0\0\0\0", 8, &error), PF_EINVAL);
	file = finish(writer);
	for (uint64_t i = 0; i < 3; i++) {
		ck_assert_int_eq(pf_perf_next(file, &event, &error), 1);
		ck_assert_uint_eq(event.ip, 0x100 + i);
	}
	ck_assert_int_eq(pf_perf_next(file, &event, &error), 0);
	pf_perf_close(file);
	pf_buffer_fini(&image.records);
}
END_TEST

START_TEST(what_cannot_be_written)
{
	static struct pf_branch branches[3000];
	struct pf_perf_writer_options options = { .event = "e", .sample_type = PERF_SAMPLE_CALLCHAIN };
	struct pf_event long_one = { .kind = PF_EVENT_SAMPLE, .branches = branches, .branch_count = 3000 };
	struct pf_event other = { .kind = PF_EVENT_OTHER };
	struct pf_perf_writer *writer;

	ck_assert_int_eq(pf_perf_create("/nonexistent/x", &options, &writer, &error), PF_EINVAL);
	options.sample_type = PERF_SAMPLE_IP;
	ck_assert_int_eq(pf_perf_create("/nonexistent/x", &options, &writer, &error), PF_EIO);
	ck_assert(strstr(error.text, "/nonexistent/x") != NULL);
	ck_assert_ptr_null(writer);
	writer = start(ALL, 0);
	ck_assert_int_eq(pf_perf_write(writer, &long_one, &error), PF_EINVAL);
	ck_assert_int_eq(pf_perf_write(writer, &other, &error), PF_EINVAL);
	pf_perf_abandon(writer);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(full_disk)
{
	struct pf_perf_writer_options options = { .event = "e", .sample_type = PERF_SAMPLE_IP };
	struct pf_event event = { .kind = PF_EVENT_SAMPLE };
	struct pf_perf_writer *writer;
	int status = PF_OK;

	ok(pf_perf_create("/dev/full", &options, &writer, &error));
	for (int i = 0; status == PF_OK && i < 10000; i++)
		status = pf_perf_write(writer, &event, &error);
	ck_assert_int_eq(status, PF_EIO);
	ck_assert_int_eq(pf_perf_commit(writer, &error), PF_EIO);
	ck_assert(strstr(error.text, "/dev/full") != NULL);
}
END_TEST

int main(void)
{
	return RUN_SUITE("perfdata-roundtrip", all_events, tables, raw_records, what_cannot_be_written, full_disk);
}
