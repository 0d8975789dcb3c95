/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for the recorder library: a preloaded library that leaves in the session's file (runtime/agent/wire.h) what
 * a run of the real one could have left, with vectors that are known beforehand, and does nothing to the program.
 *
 * Every burst is the same walk of as many edges as the control page asks for, round and round over three: a conditional
 * jump, a call and a return, at offsets 0x10, 0x20 and 0x30 of the program's own text.  FAKE_AGENT says what else:
 * "bursts=N" (3 is the default), "refuse=R" (a thread was refused, enum pf_refusal), "deny=R" (a process was),
 * "generation=G" (of the chunk), "damage" (the last burst has an edge that is not there), "truncate" (the file ends
 * inside the section), "foreign" (the file is something else by now), "unborn" (the section is empty), "show" (prints
 * the settings).  Built with LOAD_MS it takes so much CPU time to be loaded. */
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

static struct pf_control *control;
static char *base; /* of the section */
static struct pf_wire_header *header;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t add_string(const char *text)
{
	uint64_t at = header->strings_used;

	strcpy(base + control->layout.strings.offset + at, text);
	header->strings_used += strlen(text) + 1;
	return at;
}

static const char *setting(const char *name)
{
	const char *all = getenv("FAKE_AGENT");

	all = all ? strstr(all, name) : NULL;
	return all ? all + strlen(name) : NULL;
}

/* The first executable mapping of the program itself. */
static void add_text(void)
{
	struct pf_wire_map *map = (struct pf_wire_map *)(base + control->layout.maps.offset);
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
	map->path = add_string(exe);
	header->maps_used = 1;
}

static void add_edges(void)
{
	static const uint32_t kinds[] = { PF_EDGE_COND, PF_EDGE_CALL, PF_EDGE_RETURN };
	struct pf_wire_edge *edge = (struct pf_wire_edge *)(base + control->layout.edges.offset);
	uint64_t text = ((struct pf_wire_map *)(base + control->layout.maps.offset))->start;

	for (uint64_t i = 0; i < 3; i++)
		edge[i] = (struct pf_wire_edge) { .length = 8,
						  .from = text + 0x10 * (i + 1),
						  .to = text + 0x10 * ((i + 1) % 3 + 1) - 8,
						  .kind = kinds[i] };
	header->edges_used = 3;
}

static void add_burst(void)
{
	struct pf_wire_chunk *table = (struct pf_wire_chunk *)(base + control->layout.tables.offset);
	struct pf_wire_burst *burst = (struct pf_wire_burst *)(base + control->layout.chunks.offset + table->used);
	uint32_t *ids = (uint32_t *)(burst + 1);

	*burst = (struct pf_wire_burst) {
		.tid = (uint32_t)getpid(), .edge_count = control->branches, .time_ns = now(), .period = 10000000
	};
	for (uint32_t i = 0; i < control->branches; i++)
		ids[i] = i % 3;
	table->used += (uint32_t)pf_wire_burst_size(control->branches);
	table->generation = setting("generation=") ? (uint32_t)strtoul(setting("generation="), NULL, 10) : 0;
	header->bursts += 1u << table->generation;
	header->branches_recorded += control->branches << table->generation;
	if (setting("damage"))
		ids[0] = 3;
}

static void add_statistics(void)
{
	header->weight = 1;
	header->cpu_ns = 100000000;
	header->cost_ns = 310000;
	if (setting("refuse="))
		header->refusals[strtoul(setting("refuse="), NULL, 10) % PF_REFUSE_COUNT] = 1;
	if (setting("deny="))
		control->refusals[strtoul(setting("deny="), NULL, 10) % PF_REFUSE_COUNT]++;
	header->state = PF_WIRE_RECORDING;
}

static void fill(void)
{
	uint64_t bursts = setting("bursts=") ? strtoull(setting("bursts="), NULL, 10) : 3;

	*header = (struct pf_wire_header) {
		.pid = (uint32_t)getpid(), .ppid = (uint32_t)getppid(), .start_ns = now(), .comm = "fake"
	};
	add_text();
	add_edges();
	for (uint64_t i = 0; i < bursts; i++)
		add_burst();
	add_statistics();
	header->magic = PF_WIRE_MAGIC;
}

static void take_section(int fd)
{
	uint64_t number = __atomic_fetch_add(&control->next_section, 1, __ATOMIC_RELAXED),
		 size = control->layout.section_size;
	off_t offset = (off_t)(control->layout.first + number * size);

	control->starts++;
	if (setting("unborn"))
		return;
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (base == MAP_FAILED)
		abort();
	header = (struct pf_wire_header *)base;
	fill();
	if (setting("foreign"))
		control->magic++;
	if (setting("truncate") && ftruncate(fd, offset + (off_t)control->layout.chunks.offset + 100) != 0)
		abort();
}

__attribute__((constructor)) static void leave_recording(void)
{
	const char *folder = getenv("PATHFDO_DIR");
	char path[4096];
	int fd;

#ifdef LOAD_MS
	while (clock() * 1000 < (clock_t)LOAD_MS * CLOCKS_PER_SEC)
		continue;
#endif
	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder ? folder : "");
	fd = folder ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	control = mmap(NULL, PF_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED || control->magic != PF_WIRE_CONTROL_MAGIC)
		abort();
	if (setting("show"))
		dprintf(STDOUT_FILENO, "%u %u %u %" PRIu64 "\n", control->frequency, control->branches,
			control->overhead_ppm, control->limit);
	take_section(fd);
	close(fd);
}
