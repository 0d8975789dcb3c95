/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-maps N FILE PROGRAM: a recording of N libraries that are not there, each mapped ten times, at addresses of
 * their own and all at one, below a mapping that covers everything; with N build-ids, a sample in each library, and one
 * at offset 0x1000 of PROGRAM. */
#include "perfdata/perfdata.h"

#include <stdio.h>
#include <stdlib.h>

#define PLACE 0x100000000u

static struct pf_error error;
static struct pf_perf_writer *writer;

static void must(int status)
{
	if (status < 0) {
		fprintf(stderr, "convert-maps: %s\n", error.text);
		exit(1);
	}
}

static void map(uint64_t address, uint64_t length, uint64_t time, const char *name)
{
	struct pf_event e = { .kind = PF_EVENT_MMAP,
			      .pid = 7,
			      .tid = 7,
			      .time = time,
			      .address = address,
			      .length = length,
			      .protection = 5,
			      .filename = name };

	must(pf_perf_write(writer, &e, &error));
}

static void sample(uint64_t address, uint64_t time)
{
	struct pf_event e = { .kind = PF_EVENT_SAMPLE, .pid = 7, .tid = 7, .time = time, .ip = address };

	must(pf_perf_write(writer, &e, &error));
}

int main(int argc, char **argv)
{
	static char *command[] = { "maps", NULL };
	struct pf_perf_writer_options options = { .event = "cpu-clock",
						  .attr_type = PERF_TYPE_SOFTWARE,
						  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
						  .period = 1,
						  .command = command };
	unsigned long count = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	char name[64];

	must(count ? pf_perf_create(argv[2], &options, &writer, &error) : -1);
	map(0, 1ull << 40, 1, "/absent/all");
	map(1ull << 40, 1ull << 30, 1, argv[3]);
	for (unsigned long i = 0; i < 10 * count; i++) {
		snprintf(name, sizeof name, "/absent/library%lu.so", i % count);
		map(i % 2 ? PLACE : 2 * PLACE + i * 4096, 4096, i + 2, name);
		if (i < count)
			sample(i % 2 ? PLACE : 2 * PLACE + i * 4096, i + 2);
	}
	for (unsigned long i = 0; i < count; i++) {
		struct pf_build_id id = { .path = name, .size = 20, .id = { (uint8_t)i, (uint8_t)(i >> 8), 1 } };

		snprintf(name, sizeof name, "/absent/library%lu.so", i);
		must(pf_perf_add_build_id(writer, &id, &error));
	}
	sample((1ull << 40) + 0x1000, 10 * count + 3);
	must(pf_perf_commit(writer, &error));
	return 0;
}
