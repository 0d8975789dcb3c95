/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output: one sparse file, mapped as a whole at the start, so that recording is nothing but stores to memory.
 * Counters are raised after what they count is written.  The hard case: a full disk shows as a bus error at a store;
 * every caller runs under the guard, and stops recording then. */
#include "runtime/agent/engine.h"

#include "perfdata/vectors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define STRINGS_SIZE (1u << 20)
#define MAX_MAPS 8192

static uint8_t *at(const struct pf_engine *engine, const struct pf_wire_region *region)
{
	return (uint8_t *)engine->wire + region->offset;
}

static void publish(uint64_t *counter, uint64_t value)
{
	__atomic_store_n(counter, value, __ATOMIC_RELEASE);
}

static uint64_t lay_out(struct pf_wire_region *region, uint64_t offset, uint64_t capacity, uint64_t size)
{
	region->offset = (offset + 4095) & ~4095ull;
	region->capacity = capacity;
	return region->offset + capacity * size;
}

static uint64_t lay_out_all(const struct pf_engine *engine, struct pf_wire_header *header)
{
	uint64_t end = lay_out(&header->strings, sizeof *header, STRINGS_SIZE, 1);
	end = lay_out(&header->maps, end, MAX_MAPS, sizeof(struct pf_wire_map));
	end = lay_out(&header->edges, end, PF_MAX_EDGES, sizeof(struct pf_wire_edge));
	end = lay_out(&header->vectors, end, engine->limit, 1);
	end = lay_out(&header->counts, end, PF_MAX_EDGES, sizeof(uint64_t));
	return (end + 4095) & ~4095ull;
}

static char *put_number(char *to, uint64_t number)
{
	char digits[20];
	int count = 0;
	do {
		digits[count++] = (char)('0' + number % 10);
	} while (number /= 10);
	while (count)
		*to++ = digits[--count];
	return to;
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* Creates DIRECTORY/PID.SEQUENCE.pfwire with the first sequence that is free. */
static int create(const char *directory, uint32_t pid, uint32_t *sequence)
{
	char path[4096 + 64];
	if (__builtin_strlen(directory) > 4096)
		return -1;
	for (*sequence = 0; *sequence < 100000; ++*sequence) {
		char *end = put_number(put_text(put_text(path, directory), "/"), pid);
		end = put_text(put_number(put_text(end, "."), *sequence), PF_WIRE_SUFFIX);
		*end = 0;
		long fd = PF_SYS3(SYS_open, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd != -17) /* EEXIST */
			return (int)fd;
	}
	return -1;
}

/* A file larger than the program's own limit would bring it SIGXFSZ. */
static bool is_allowed(uint64_t size)
{
	struct rlimit limit;
	return PF_SYS2(SYS_getrlimit, RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= size;
}

static void fill(struct pf_engine *engine, struct pf_wire_header *header)
{
	char exe[4096];
	header->version = PF_WIRE_VERSION;
	header->header_size = sizeof *header;
	header->pid = (uint32_t)PF_SYS0(SYS_getpid);
	header->ppid = (uint32_t)PF_SYS0(SYS_getppid);
	header->frequency = engine->frequency;
	header->branches = engine->branches;
	header->overhead_ppm = engine->overhead;
	header->start_ns = pf_sys_clock(CLOCK_MONOTONIC);
	header->file_size = engine->wire_size;
	PF_SYS2(SYS_prctl, PR_GET_NAME, header->comm);
	long length = PF_SYS3(SYS_readlink, "/proc/self/exe", exe, sizeof exe);
	header->exe = pf_agent_wire_string(engine, exe, length > 0 ? (size_t)length : 0);
	__atomic_store_n(&header->magic, PF_WIRE_MAGIC, __ATOMIC_RELEASE);
}

/* Too small a file may be written: it says no more than that. */
static void refuse(const char *directory, struct pf_wire_header *header)
{
	struct pf_wire_region *regions[] = { &header->strings, &header->maps, &header->edges, &header->vectors,
					     &header->counts };
	for (int i = 0; i < 5; i++)
		*regions[i] = (struct pf_wire_region) { sizeof *header, 0, 0 };
	header->magic = PF_WIRE_MAGIC;
	header->version = PF_WIRE_VERSION;
	header->header_size = sizeof *header;
	header->file_size = sizeof *header;
	header->pid = (uint32_t)PF_SYS0(SYS_getpid);
	header->ppid = (uint32_t)PF_SYS0(SYS_getppid);
	header->refusals[PF_REFUSE_MEMORY] = 1;
	PF_SYS2(SYS_prctl, PR_GET_NAME, header->comm);
	int fd = is_allowed(sizeof *header) ? create(directory, header->pid, &header->sequence) : -1;
	if (fd < 0)
		return;
	PF_SYS3(SYS_write, fd, header, sizeof *header);
	PF_SYS1(SYS_close, fd);
}

/* Maps a new file, in place of the one that a forked child has inherited.  NULL if that cannot be. */
struct pf_wire_header *pf_agent_wire_open(struct pf_engine *engine, const char *directory)
{
	struct pf_wire_header header = { 0 };
	void *old = engine->wire;
	engine->wire_size = lay_out_all(engine, &header);
	int fd = -1;
	if (directory && !is_allowed(engine->wire_size)) {
		struct pf_wire_header small = header;
		refuse(directory, &small);
	} else if (directory)
		fd = create(directory, (uint32_t)PF_SYS0(SYS_getpid), &header.sequence);
	bool good = fd >= 0 && PF_SYS2(SYS_ftruncate, fd, engine->wire_size) == 0;
	int flags = (good ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE | (old ? MAP_FIXED : 0);
	if (good || old)
		engine->wire =
		    pf_sys_map((uint64_t)old, engine->wire_size, PROT_READ | PROT_WRITE, flags, good ? fd : -1);
	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	if (!good || !engine->wire)
		return NULL;
	*engine->wire = header;
	fill(engine, engine->wire);
	return engine->wire;
}

uint64_t pf_agent_wire_string(struct pf_engine *engine, const char *string, size_t length)
{
	struct pf_wire_region *region = &engine->wire->strings;
	uint64_t place = region->used;
	if (place + length + 1 > region->capacity)
		return region->capacity - 1; /* an empty string: the file was sparse */
	__builtin_memcpy(at(engine, region) + place, string, length);
	at(engine, region)[place + length] = 0;
	publish(&region->used, place + length + 1);
	return place;
}

static bool same_map(const struct pf_engine *engine, const struct pf_wire_map *one, const struct pf_wire_map *other,
		     const char *path)
{
	const char *known = (const char *)at(engine, &engine->wire->strings) + one->path;
	if (one->start != other->start || one->end != other->end || one->pgoff != other->pgoff ||
	    one->build_id_size != other->build_id_size)
		return false;
	for (int i = 0; i < other->build_id_size; i++)
		if (one->build_id[i] != other->build_id[i])
			return false;
	while (*known && *known == *path)
		known++, path++;
	return *known == *path;
}

uint32_t pf_agent_wire_map(struct pf_engine *engine, const struct pf_wire_map *map, const char *path)
{
	struct pf_wire_region *region = &engine->wire->maps;
	struct pf_wire_map *maps = (void *)at(engine, region);
	for (uint64_t i = region->used; i-- > 0;)
		if (same_map(engine, &maps[i], map, path))
			return (uint32_t)i;
	if (region->used == region->capacity)
		return UINT32_MAX;
	uint64_t place = region->used;
	maps[place] = *map;
	maps[place].time_ns = pf_sys_clock(CLOCK_MONOTONIC);
	maps[place].path = pf_agent_wire_string(engine, path, __builtin_strlen(path));
	publish(&region->used, place + 1);
	return (uint32_t)place;
}

static uint32_t map_of(const struct pf_engine *engine, uint64_t pc)
{
	const struct pf_module *module = pf_agent_module_find(engine, pc);
	return module ? module->map : UINT32_MAX;
}

static bool same_edge(const struct pf_wire_edge *one, const struct pf_wire_edge *other)
{
	return one->from == other->from && one->to == other->to && one->start == other->start &&
	       one->kind == other->kind && one->from_map == other->from_map && one->to_map == other->to_map;
}

static uint32_t edge_slot(const struct pf_engine *engine, const struct pf_wire_edge *edge)
{
	uint64_t key = (edge->start * 31 + edge->from * 7 + edge->to) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(key >> 32) & (engine->edge_hash_size - 1);
}

static void grow_edge_hash(struct pf_engine *engine, const struct pf_wire_edge *edges, uint32_t count)
{
	__builtin_memset(engine->edge_hash, 0, engine->edge_hash_size * sizeof *engine->edge_hash);
	engine->edge_hash_size *= 2;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = edge_slot(engine, &edges[i]);
		while (engine->edge_hash[slot])
			slot = (slot + 1) & (engine->edge_hash_size - 1);
		engine->edge_hash[slot] = i + 1;
	}
}

/* The number of an edge, given to it at its first appearance; PF_NO_EDGE if the table is full. */
uint32_t pf_agent_wire_edge(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind)
{
	struct pf_wire_region *region = &engine->wire->edges;
	struct pf_wire_edge *edges = (void *)at(engine, region);
	struct pf_wire_edge edge = { .start = start, .from = from, .to = to, .kind = (uint32_t)kind };
	edge.from_map = map_of(engine, from);
	edge.to_map = map_of(engine, to);
	if (region->used * 2 >= engine->edge_hash_size && engine->edge_hash_size < 2 * PF_MAX_EDGES)
		grow_edge_hash(engine, edges, (uint32_t)region->used);
	uint32_t slot = edge_slot(engine, &edge);
	for (; engine->edge_hash[slot]; slot = (slot + 1) & (engine->edge_hash_size - 1))
		if (same_edge(&edges[engine->edge_hash[slot] - 1], &edge))
			return engine->edge_hash[slot] - 1;
	if (region->used == region->capacity)
		return PF_NO_EDGE;
	uint64_t place = region->used;
	edges[place] = edge;
	engine->edge_hash[slot] = (uint32_t)place + 1;
	publish(&region->used, place + 1);
	return (uint32_t)place;
}

static void aggregate(struct pf_engine *engine, const uint32_t *ids, uint32_t count)
{
	struct pf_wire_region *region = &engine->wire->counts;
	uint64_t *counts = (void *)at(engine, region);
	uint64_t used = region->used;
	for (uint32_t i = 0; i < count; i++) {
		counts[ids[i]]++;
		used = ids[i] >= used ? ids[i] + 1u : used;
	}
	publish(&region->used, used);
	engine->wire->aggregated_bursts++;
}

/* Keeps the burst in the engine's buffer. */
void pf_agent_wire_burst(struct pf_engine *engine, uint64_t period, uint64_t elapsed, int reason)
{
	struct pf_wire_header *header = engine->wire;
	uint32_t count = (uint32_t)(engine->count + (int64_t)engine->branches);
	const uint32_t *ids = engine->buffer + PF_MAX_BRANCHES - engine->branches;
	uint64_t size = sizeof(struct pf_wire_burst) + ((count * 4ull + 7) & ~7ull);
	header->ends[reason]++;
	if (!count)
		return;
	header->bursts++;
	header->branches_recorded += count;
	if (header->vectors.used + size > header->vectors.capacity) {
		aggregate(engine, ids, count);
		return;
	}
	struct pf_wire_burst *burst = (void *)(at(engine, &header->vectors) + header->vectors.used);
	*burst = (struct pf_wire_burst) {
		(uint32_t)engine->slot->tid, count, pf_sys_clock(CLOCK_MONOTONIC), period, elapsed, (uint32_t)reason, 0
	};
	__builtin_memcpy(burst + 1, ids, count * 4ull);
	publish(&header->vectors.used, header->vectors.used + size);
}
