/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives the perf.data reader and writer from shell tests, so that perf itself can be the witness:
 *   count FILE      records by type ("9 3740"), as perf report -D names them
 *   samples FILE    as perf report -D prints their first line: pid/tid, address, period
 *   brstack FILE    what perf script -F ip,brstack prints, in file order
 *   events FILE     names of the events, one a line
 *   buildids FILE   what perf buildid-list prints
 *   mapids FILE     the same of the mappings that carry their build-id
 *   make FILE       a small recording with fixed content, vectors included
 *   copy IN OUT     reads all events of IN and writes those that the writer can write to OUT */
#include "perfdata/perfdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pf_error error;

static void check(int status)
{
	if (status < 0) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
}

static struct pf_perf_file *open_file(const char *path)
{
	struct pf_perf_file *file;

	check(pf_perf_open(path, &file, &error));
	return file;
}

static bool next(struct pf_perf_file *file, struct pf_event *event)
{
	int status = pf_perf_next(file, event, &error);

	check(status);
	return status == 1;
}

static void count(const char *path)
{
	static unsigned long types[256];
	struct pf_perf_file *file = open_file(path);
	struct pf_event event;

	while (next(file, &event))
		types[event.type & 255]++;
	for (int i = 0; i < 256; i++)
		if (types[i])
			printf("%d %lu\n", i, types[i]);
	pf_perf_close(file);
}

static void print_branch(const struct pf_branch *b)
{
	static const char *const types[16] = { "",    "COND",    "UNCOND", "IND",       "CALL",    "IND_CALL",
					       "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET" };
	char outcome = b->flags & 3 ? (b->flags & 1 ? 'M' : 'P') : '-';

	printf(" 0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%d/%s ", b->from, b->to, outcome, b->flags & 4 ? 'X' : '-',
	       b->flags & 8 ? 'A' : '-', (int)(b->flags >> 4 & 0xffff), types[b->flags >> 20 & 15]);
}

static void brstack(const char *path)
{
	struct pf_perf_file *file = open_file(path);
	struct pf_event event;

	while (next(file, &event)) {
		if (event.kind != PF_EVENT_SAMPLE)
			continue;
		printf("%16" PRIx64, event.ip);
		for (uint32_t i = 0; i < event.branch_count; i++)
			print_branch(&event.branches[i]);
		putchar('\n');
	}
	pf_perf_close(file);
}

static void samples(const char *path)
{
	struct pf_perf_file *file = open_file(path);
	struct pf_event event;

	while (next(file, &event))
		if (event.kind == PF_EVENT_SAMPLE) /* of a thread that is about to be no more there is -1 */
			printf("%" PRId32 "/%" PRId32 ": 0x%" PRIx64 " period: %" PRIu64 "\n", (int32_t)event.pid,
			       (int32_t)event.tid, event.ip, event.period);
	pf_perf_close(file);
}

static void events(const char *path)
{
	struct pf_perf_file *file = open_file(path);

	for (uint32_t i = 0; i < pf_perf_attr_count(file); i++)
		puts(pf_perf_event_name(file, i));
	pf_perf_close(file);
}

static void print_id(const uint8_t *id, size_t size, const char *path)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", id[i]);
	printf(" %s\n", path);
}

static void mapids(const char *path)
{
	struct pf_perf_file *file = open_file(path);
	struct pf_event event;

	while (next(file, &event))
		if (event.kind == PF_EVENT_MMAP && event.build_id_size)
			print_id(event.build_id, event.build_id_size, event.filename);
	pf_perf_close(file);
}

static void buildids(const char *path)
{
	struct pf_perf_file *file = open_file(path);
	size_t size;
	const struct pf_build_id *ids = pf_perf_build_ids(file, &size);

	for (size_t i = 0; i < size; i++)
		print_id(ids[i].id, ids[i].size, ids[i].path);
	pf_perf_close(file);
}

static void write_events(struct pf_perf_writer *writer)
{
	static const struct pf_branch branches[] = {
		{ .from = 0x401020, .to = 0x401000, .flags = 2 },
		{ .from = 0x401010, .to = 0x401018, .flags = 1 | 7 << 4 },
		{ .from = 0x7f0000000123, .to = 0x401008, .flags = 0 },
	};
	static const struct pf_event list[] = {
		{ .kind = PF_EVENT_COMM,
		  .pid = 100,
		  .tid = 100,
		  .time = 1000000000,
		  .filename = "demo",
		  .is_exec = true },
		{ .kind = PF_EVENT_MMAP,
		  .pid = 100,
		  .tid = 100,
		  .time = 1000000100,
		  .address = 0x401000,
		  .length = 0x2000,
		  .page_offset = 0x1000,
		  .protection = 5,
		  .filename = "/opt/demo/bin/demo",
		  .build_id = { 0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
		  .build_id_size = 20 },
		{ .kind = PF_EVENT_MMAP,
		  .pid = 100,
		  .tid = 100,
		  .time = 1000000200,
		  .address = 0x7f0000000000,
		  .length = 0x1000,
		  .page_offset = 0,
		  .protection = 5,
		  .filename = "/opt/demo/lib/libdemo.so" },
		{ .kind = PF_EVENT_FORK, .pid = 101, .ppid = 100, .tid = 101, .time = 1000000300 },
		{ .kind = PF_EVENT_SAMPLE,
		  .pid = 100,
		  .tid = 100,
		  .time = 1000000400,
		  .ip = 0x401004,
		  .period = 12345,
		  .cpu = 1,
		  .branches = branches,
		  .branch_count = 3 },
		{ .kind = PF_EVENT_LOST, .pid = 100, .tid = 100, .time = 1000000450, .lost = 42 },
		{ .kind = PF_EVENT_SAMPLE,
		  .pid = 101,
		  .tid = 101,
		  .time = 1000000500,
		  .ip = 0x401008,
		  .period = 1,
		  .cpu = 0,
		  .branches = branches + 1,
		  .branch_count = 1 },
		{ .kind = PF_EVENT_SAMPLE, .pid = 100, .tid = 100, .time = 1000000600, .ip = 0x40100c, .period = 2 },
		{ .kind = PF_EVENT_EXIT, .pid = 101, .ppid = 100, .tid = 101, .time = 1000000700 },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		check(pf_perf_write(writer, &list[i], &error));
}

static void set_vectors(struct pf_perf_writer *writer)
{
	uint32_t ids[] = { 0, 1, 0, 1, 0 };
	struct pf_vec_process process = { .pid = 100, .comm = "demo", .exe = "/opt/demo/bin/demo" };
	struct pf_vec_map map = { .start = 0x401000, .end = 0x403000, .offset = 0x1000, .path = "/opt/demo/bin/demo" };
	struct pf_vec_edge edges[] = {
		{ .kind = PF_EDGE_COND, .start = 0x401000, .from = 0x401020, .to = 0x401008 },
		{ .kind = PF_EDGE_JUMP, .start = 0x401008, .from = 0x401010, .to = 0x401000 },
	};
	struct pf_vec_burst burst = {
		.tid = 100, .time = 1, .period = 2, .elapsed = 3, .repeat = 1, .edge_count = 5, .edges = ids
	};
	struct pf_vectors vectors = { .process_count = 1,
				      .map_count = 1,
				      .edge_count = 2,
				      .burst_count = 1,
				      .nominal_length = 5,
				      .frequency = 100,
				      .processes = &process,
				      .maps = &map,
				      .edges = edges,
				      .bursts = &burst };

	check(pf_perf_set_vectors(writer, &vectors, &error));
}

static void make(const char *path)
{
	char *command[] = { "pathfdo", "record", "--", "/opt/demo/bin/demo", NULL };
	struct pf_perf_writer_options options = {
		.event = "pathfdo-soft",
		.attr_type = PERF_TYPE_SOFTWARE,
		.attr_config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
		.period = 1,
		.command = command,
	};
	struct pf_build_id id = { .path = "/opt/demo/bin/demo", .id = { 0xde, 0xad, 0xbe, 0xef }, .size = 20 };
	struct pf_perf_writer *writer;

	check(pf_perf_create(path, &options, &writer, &error));
	write_events(writer);
	check(pf_perf_add_build_id(writer, &id, &error));
	set_vectors(writer);
	check(pf_perf_commit(writer, &error));
}

static void copy(const char *from, const char *to)
{
	struct pf_perf_file *file = open_file(from);
	const struct perf_event_attr *attr = pf_perf_attr(file, 0);
	struct pf_perf_writer_options options = {
		.event = pf_perf_event_name(file, 0),
		.attr_type = attr->type,
		.attr_config = attr->config,
		.sample_type = attr->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK),
		.branch_sample_type = attr->branch_sample_type,
		.period = attr->sample_period,
		.frequency = attr->freq,
	};
	struct pf_perf_writer *writer;
	struct pf_event event;

	check(pf_perf_create(to, &options, &writer, &error));
	while (next(file, &event))
		if (event.kind != PF_EVENT_OTHER && event.kind != PF_EVENT_THROTTLE)
			check(pf_perf_write(writer, &event, &error));
	check(pf_perf_commit(writer, &error));
	pf_perf_close(file);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const char *);
	} commands[] = { { "count", count },       { "samples", samples }, { "brstack", brstack }, { "events", events },
			 { "buildids", buildids }, { "mapids", mapids },   { "make", make } };

	if (argc == 4 && strcmp(argv[1], "copy") == 0) {
		copy(argv[2], argv[3]);
		return 0;
	}
	for (size_t i = 0; argc == 3 && i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(argv[1], commands[i].name) == 0) {
			commands[i].run(argv[2]);
			return 0;
		}
	}
	fprintf(stderr, "usage: perfdata-tool count|samples|brstack|events|buildids|mapids|make FILE | copy IN OUT\n");
	return 2;
}
