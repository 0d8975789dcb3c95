/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for the recorder library: a preloaded library that leaves the file of runtime/agent/wire.h which a run of
 * the real one could have left, with vectors that are known beforehand, and does nothing to the program.
 *
 * Every burst is the same walk of PATHFDO_BRANCHES edges, round and round over three: a conditional jump, a call and a
 * return, at offsets 0x10, 0x20 and 0x30 of the program's own text.  FAKE_AGENT says what else: "bursts=N" (3 is the
 * default), "counts" (all were aggregated), "refuse=R" (a thread was refused, enum pf_refusal), "truncate" (the file is
 * cut), "foreign" (it is something else), "unborn" (it is empty). */
#include "perfdata/vectors.h"
#include "runtime/agent/wire.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FILE_SIZE (4u << 20)
#define STRINGS_AT 4096u
#define MAPS_AT 8192u
#define EDGES_AT 12288u
#define COUNTS_AT 16384u
#define VECTORS_AT 20480u

static char *base;
static struct pf_wire_header *header;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t add_string(const char *text)
{
	uint64_t at = header->strings.used;

	strcpy(base + STRINGS_AT + at, text);
	header->strings.used += strlen(text) + 1;
	return at;
}

static const char *setting(const char *name)
{
	const char *all = getenv("FAKE_AGENT");

	all = all ? strstr(all, name) : NULL;
	return all ? all + strlen(name) : NULL;
}

static uint64_t number(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

/* The first executable mapping of the program itself. */
static void add_text(void)
{
	struct pf_wire_map *map = (struct pf_wire_map *)(base + MAPS_AT);
	char line[4400], exe[4096], path[4096] = "";
	ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
	FILE *file = fopen("/proc/self/maps", "re");

	exe[length > 0 ? length : 0] = 0;
	while (file && fgets(line, sizeof line, file)) {
		char mode[8];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095s", &map->start, &map->end, mode,
			   &map->pgoff, path) == 5 &&
		    mode[2] == 'x' && strcmp(path, exe) == 0)
			break;
	}
	if (file)
		fclose(file);
	map->time_ns = header->start_ns;
	map->path = header->exe = add_string(exe);
	header->maps.used = 1;
}

static void add_edges(void)
{
	static const uint32_t kinds[] = { PF_EDGE_COND, PF_EDGE_CALL, PF_EDGE_RETURN };
	struct pf_wire_edge *edge = (struct pf_wire_edge *)(base + EDGES_AT);
	uint64_t text = ((struct pf_wire_map *)(base + MAPS_AT))->start;

	for (uint64_t i = 0; i < 3; i++)
		edge[i] = (struct pf_wire_edge) { .start = text + 0x10 * (i + 1) - 8,
						  .from = text + 0x10 * (i + 1),
						  .to = text + 0x10 * ((i + 1) % 3 + 1) - 8,
						  .kind = kinds[i] };
	header->edges.used = 3;
}

static void add_burst(void)
{
	struct pf_wire_burst *burst = (struct pf_wire_burst *)(base + VECTORS_AT + header->vectors.used);
	uint32_t *ids = (uint32_t *)(burst + 1);

	*burst = (struct pf_wire_burst) { .tid = (uint32_t)getpid(),
					  .edge_count = header->branches,
					  .time_ns = now(),
					  .period_ns = 10000000,
					  .elapsed_ns = 5000 };
	for (uint32_t i = 0; i < header->branches; i++)
		ids[i] = i % 3;
	header->vectors.used += sizeof *burst + (header->branches * 4ul + 7) / 8 * 8;
	header->bursts++;
}

static void add_statistics(void)
{
	header->cpu_ns = 100000000;
	header->cost_ns = 310000;
	if (setting("refuse="))
		header->refusals[strtoul(setting("refuse="), NULL, 10) % PF_REFUSE_COUNT] = 1;
	if (setting("counts")) {
		header->aggregated_bursts = 7;
		((uint64_t *)(base + COUNTS_AT))[1] = 4711;
	}
	header->state = 1;
}

static void fill(void)
{
	uint64_t bursts = setting("bursts=") ? strtoull(setting("bursts="), NULL, 10) : 3;

	*header = (struct pf_wire_header) {
		.version = PF_WIRE_VERSION,
		.header_size = sizeof *header,
		.pid = (uint32_t)getpid(),
		.ppid = (uint32_t)getppid(),
		.frequency = (uint32_t)number("PATHFDO_HZ", 0),
		.branches = (uint32_t)number("PATHFDO_BRANCHES", 0),
		.overhead_ppm = (uint32_t)number("PATHFDO_OVERHEAD", 0),
		.start_ns = now(),
		.file_size = FILE_SIZE,
		.comm = "fake",
		.strings = { STRINGS_AT, MAPS_AT - STRINGS_AT, 0 },
		.maps = { MAPS_AT, 8, 0 },
		.edges = { EDGES_AT, 8, 0 },
		.counts = { COUNTS_AT, 8, 0 },
		.vectors = { VECTORS_AT, FILE_SIZE - VECTORS_AT, 0 },
	};
	add_text();
	add_edges();
	for (uint64_t i = 0; i < bursts; i++)
		add_burst();
	add_statistics();
	header->magic = setting("foreign") ? 0x1234 : PF_WIRE_MAGIC;
}

__attribute__((constructor)) static void leave_file(void)
{
	const char *folder = getenv("PATHFDO_DIR");
	char path[4096];
	int fd = -1;

	for (int i = 0; folder && fd < 0 && i < 1000; i++) {
		snprintf(path, sizeof path, "%s/%d.%d" PF_WIRE_SUFFIX, folder, (int)getpid(), i);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		return;
	if (!setting("unborn") && ftruncate(fd, FILE_SIZE) == 0) {
		base = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		header = (struct pf_wire_header *)base;
		if (base != MAP_FAILED)
			fill();
		if (setting("truncate") && ftruncate(fd, VECTORS_AT + 100) != 0)
			abort();
	}
	close(fd);
}
