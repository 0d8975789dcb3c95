/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See keeper.h.  Hard case: the size.  The file is as long as all sections that there may ever be, terabytes, of which
 * only what is written takes room; a file system, or the limit on file sizes, that does not allow it gets fewer. */
#include "runtime/keeper.h"

#include "runtime/agent/reservoir.h"
#include "runtime/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define STRINGS_SIZE (256u << 10)
#define MAX_SITES 2048u
#define VALUED_SITES 16384u /* where what is loaded, stored and handed to functions is sighted, too */
#define MAX_MAPS 4096u
#define BYTES_PER_EDGE 256u /* of the limit: a table of an eighth of its size */
#define LEAST_EDGES (1u << 14)
#define USUAL_CHUNK (64ull << 10)
#define CLOCK_SPAN_NS 20000000

_Static_assert(sizeof((struct pf_control *)0)->event_name == PF_TRIGGER_NAME, "a trigger's name fits");

static uint64_t at_least(uint64_t value, uint64_t least)
{
	return value > least ? value : least;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

static uint64_t lay_out_region(struct pf_wire_region *region, uint64_t end, uint64_t capacity, uint64_t size)
{
	*region = (struct pf_wire_region) { (end + PF_WIRE_PAGE - 1) & ~(PF_WIRE_PAGE - 1ull), capacity };
	return region->offset + capacity * size;
}

/* A thinning works on two chunks at once, within a burst, so they are small; but there must be many, and in a large
 * reservoir not too many. */
static void lay_out(struct pf_wire_layout *layout, uint32_t branches, uint64_t limit, bool values)
{
	uint64_t chunk = at_most(USUAL_CHUNK, limit / PF_RESERVOIR_LEAST_CHUNKS), count, end;

	chunk = at_least(at_least(chunk & ~7ull, limit / PF_WIRE_MAX_CHUNKS + 7) & ~7ull, pf_wire_burst_size(branches));
	count = at_most(at_least(limit / chunk, PF_RESERVOIR_LEAST_CHUNKS), PF_WIRE_MAX_CHUNKS);
	layout->first = PF_WIRE_PAGE;
	layout->sections = PF_WIRE_MAX_SECTIONS;
	layout->chunk_size = chunk;
	end = lay_out_region(&layout->strings, sizeof(struct pf_wire_header), STRINGS_SIZE, 1);
	end = lay_out_region(&layout->maps, end, MAX_MAPS, sizeof(struct pf_wire_map));
	end = lay_out_region(&layout->edges, end,
			     at_most(at_least(limit / BYTES_PER_EDGE, LEAST_EDGES), PF_WIRE_MAX_EDGES),
			     sizeof(struct pf_wire_edge));
	end = lay_out_region(&layout->sites, end, values ? VALUED_SITES : MAX_SITES, sizeof(struct pf_wire_site));
	end = lay_out_region(&layout->tables, end, count, 2 * sizeof(struct pf_wire_chunk));
	end = lay_out_region(&layout->chunks, end, count, chunk);
	layout->section_size = (end + PF_WIRE_PAGE - 1) & ~(PF_WIRE_PAGE - 1ull);
}

uint64_t pf_keeper_room(uint32_t branches, uint64_t limit, bool values)
{
	struct pf_wire_layout layout;

	lay_out(&layout, branches, limit, values);
	return layout.section_size;
}

static uint64_t now(uint64_t *tsc)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	*tsc = __rdtsc();
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Ticks of the time stamp in a millisecond. */
static uint64_t measure_tsc(void)
{
	static const struct timespec span = { 0, CLOCK_SPAN_NS };
	uint64_t first, last, begin = now(&first), end;

	do {
		nanosleep(&span, NULL);
		end = now(&last);
	} while (end - begin < CLOCK_SPAN_NS);
	return (uint64_t)((double)(last - first) * 1e6 / (double)(end - begin));
}

/* A number of our own /proc/self/status; 0 where the kernel does not say. */
static uint32_t own_status(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	uint32_t value = 0;

	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, key, strlen(key)) == 0)
			value = (uint32_t)strtoul(line + strlen(key), NULL, 10);
	}
	if (file)
		fclose(file);
	return value;
}

/* Makes the file as long as it may be, and LAYOUT fit it. */
static bool extend(int fd, struct pf_wire_layout *layout)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	sigaction(SIGXFSZ, &ignore, &before);
	while (layout->sections && ftruncate(fd, (off_t)(layout->first + layout->sections * layout->section_size)) != 0)
		layout->sections = errno == EINTR ? layout->sections : layout->sections / 2;
	sigaction(SIGXFSZ, &before, NULL);
	return layout->sections > 0;
}

static bool is_mappable(int fd)
{
	void *page = mmap(NULL, PF_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return page != MAP_FAILED && munmap(page, PF_WIRE_PAGE) == 0;
}

static int fill(int fd, const char *folder, const struct pf_keeper_settings *settings, struct pf_error *error)
{
	uint32_t tick = pf_machine_tick();
	struct pf_control control = {
		.magic = PF_WIRE_CONTROL_MAGIC,
		.version = PF_WIRE_VERSION,
		.size = sizeof control,
		.frequency = settings->frequency,
		.branches = settings->branches,
		.overhead_ppm = settings->budget_ppm,
		.recorder_pid = settings->recorder_pid,
		.seccomp_mode = own_status("Seccomp:"),
		.seccomp_filters = own_status("Seccomp_filters:"),
		.limit = settings->limit,
		.seed = settings->seed,
		.tsc_khz = measure_tsc(),
		.tick_ns = tick ? 1000000000u / tick : 0,
		.whole = settings->whole,
		.memory = settings->memory,
		.fixed = settings->fixed,
		.values = settings->values,
		.fsgsbase = pf_machine_has_fsgsbase(),
		.xsave = pf_machine_has_xsave(),
		.event_config = settings->trigger.config,
		.event_type = settings->trigger.type,
		.event_pace = settings->trigger.pace,
		.state = PF_CONTROL_RECORDING,
	};

	memcpy(control.event_name, settings->trigger.name, sizeof control.event_name);
	lay_out(&control.layout, settings->branches, settings->limit, settings->values);
	if (!extend(fd, &control.layout))
		return pf_fail(
		    error, PF_EIO,
		    "%s: cannot make a file of %" PRIu64
		    " MB there: %s; give a smaller --limit, raise 'ulimit -f', or set TMPDIR to another folder",
		    folder, control.layout.section_size >> 20, strerror(errno));
	if (pwrite(fd, &control, sizeof control, 0) != (ssize_t)sizeof control || !is_mappable(fd))
		return pf_fail(
		    error, PF_EIO,
		    "%s: the file system cannot share a file between processes: %s; set TMPDIR to a folder on "
		    "another one",
		    folder, strerror(errno));
	return PF_OK;
}

int pf_keeper_make(const char *folder, const struct pf_keeper_settings *settings, struct pf_error *error)
{
	char *path = NULL;
	int fd, status;

	if (asprintf(&path, "%s/" PF_WIRE_FILE, folder) < 0)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", folder);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	free(path);
	if (fd < 0 || fchmod(fd, settings->for_all ? 0666 : 0600) != 0)
		status =
		    pf_fail(error, PF_EIO, "%s: cannot make the recording's file there: %s", folder, strerror(errno));
	else
		status = fill(fd, folder, settings, error);
	if (status == PF_OK)
		return fd;
	if (fd >= 0)
		close(fd);
	return status;
}

static void put(int fd, size_t offset, uint32_t value)
{
	/* Nothing can be done about a failure: the agents leave. */
	if (pwrite(fd, &value, sizeof value, (off_t)offset) != (ssize_t)sizeof value)
		return;
}

void pf_keeper_beat(int fd)
{
	uint32_t heartbeat = 0;

	if (pread(fd, &heartbeat, sizeof heartbeat, offsetof(struct pf_control, heartbeat)) ==
	    (ssize_t)sizeof heartbeat)
		put(fd, offsetof(struct pf_control, heartbeat), heartbeat + 1);
}

void pf_keeper_end(int fd)
{
	put(fd, offsetof(struct pf_control, state), PF_CONTROL_ENDED);
}

int pf_keeper_read(int fd, const char *name, struct pf_control *control, struct pf_error *error)
{
	ssize_t got;

	do
		got = pread(fd, control, sizeof *control, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return pf_fail(error, PF_EIO, "%s: cannot read: %s", name, strerror(errno));
	if (got < (ssize_t)sizeof *control || control->magic != PF_WIRE_CONTROL_MAGIC)
		return pf_fail(error, PF_EFORMAT,
			       "%s: not a recording of the software recorder (%zd bytes, of which the "
			       "first 8 must spell FDOCTRL3)",
			       name, got);
	if (control->version != PF_WIRE_VERSION || control->size != sizeof *control)
		return pf_fail(error, PF_EVERSION,
			       "%s: written by another version of the recorder (version %" PRIu32
			       ", control page of %" PRIu32
			       " bytes; this is version %u with %zu); use the pathfdo that recorded",
			       name, control->version, control->size, PF_WIRE_VERSION, sizeof *control);
	control->event_name[sizeof control->event_name - 1] = 0;
	if (!pf_wire_layout_valid(&control->layout))
		return pf_fail(error, PF_EFORMAT,
			       "%s: the control page at offset 0 is damaged: its sections of %" PRIu64
			       " bytes cannot be; record again",
			       name, control->layout.section_size);
	return PF_OK;
}
