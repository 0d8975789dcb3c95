/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See harvest.h.  Each file is read with pread and never mapped, so that a program which truncates its file cannot
 * make us die of SIGBUS.  Hard case: the process may still be running.  The agent raises a counter after what it
 * counts is written, and a burst refers to edges, an edge to mappings, a mapping to strings; so the counters are read
 * in that order, each region's after those that refer to it, and what is taken is always complete. */
#include "runtime/harvest.h"

#include "perfdata/vectors.h"
#include "support/cursor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_MAP UINT32_MAX
/* Largest number of anything that a 32-bit index can name. */
#define MAX_INDEX (UINT32_MAX - 1)

/* One file while it is being read. */
struct image {
	int fd;
	const char *name;
	uint64_t file_size;
	struct pf_wire_header header;
	char *strings;
	uint64_t string_size, map_count, edge_count, vector_size;
	uint32_t map_base, edge_base; /* where its mappings and edges begin in the harvest */
	uint64_t last_ns;
	struct pf_error *error;
};

void pf_harvest_fini(struct pf_harvest *h)
{
	for (uint64_t i = 0; i < h->block_count; i++)
		free(h->blocks[i]);
	free(h->blocks);
	free(h->vectors.processes);
	free(h->vectors.maps);
	free(h->vectors.edges);
	free(h->vectors.bursts);
	free(h->vectors.counts);
	free(h->images);
	*h = (struct pf_harvest) { 0 };
}

static int out_of_memory(const struct image *image)
{
	return pf_fail(image->error, PF_ENOMEM,
		       "%s: out of memory while reading the recording; record for a shorter "
		       "time or with a smaller --limit",
		       image->name);
}

/* Returns ARRAY with room for COUNT more elements of SIZE after the first USED, or NULL; *ROOM is in elements. */
static void *grow(void *array, uint64_t used, uint64_t *room, uint64_t count, size_t size)
{
	uint64_t wanted = *room ? *room : 16;
	void *grown;

	if (array && count <= *room - used)
		return array;
	if (count > SIZE_MAX / 2 / size - used)
		return NULL;
	while (wanted < used + count)
		wanted *= 2;
	grown = wanted <= SIZE_MAX / size ? realloc(array, wanted * size) : NULL;
	if (grown)
		*room = wanted;
	return grown;
}

/* As grow, for what is counted in 32 bits. */
static void *grow32(void *array, uint32_t used, uint32_t *room, uint64_t count, size_t size)
{
	uint64_t wide = *room;
	void *grown = grow(array, used, &wide, count, size);

	*room = wide > UINT32_MAX ? UINT32_MAX : (uint32_t)wide;
	return grown;
}

/* SIZE bytes that live as long as the harvest; NULL when out of memory. */
static void *keep(struct pf_harvest *h, size_t size)
{
	void **blocks = grow(h->blocks, h->block_count, &h->block_room, 1, sizeof *blocks);
	void *block;

	if (!blocks)
		return NULL;
	h->blocks = blocks;
	block = malloc(size ? size : 1);
	if (block)
		blocks[h->block_count++] = block;
	return block;
}

/* Reads exactly SIZE bytes at OFFSET. */
static int read_at(const struct image *image, void *to, size_t size, uint64_t offset, const char *what)
{
	char *at = to;

	while (size) {
		ssize_t got = pread(image->fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pf_fail(image->error, PF_EIO, "%s: cannot read the %s at offset %" PRIu64 ": %s",
				       image->name, what, offset, strerror(errno));
		if (got == 0)
			return pf_fail(image->error, PF_ETRUNCATED,
				       "%s: the file ends at offset %" PRIu64
				       ", inside its %s; the recording of this process "
				       "is damaged, record again",
				       image->name, offset, what);
		at += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return PF_OK;
}

/* Checks that REGION lies in the file, takes its count as it is now into *USED (in elements of ELEMENT bytes). */
static int take_count(const struct image *image, const struct pf_wire_region *region, size_t element, const char *what,
		      uint64_t *used)
{
	size_t field = (size_t)((const char *)&region->used - (const char *)&image->header);
	int status = read_at(image, used, sizeof *used, field, "header");

	if (status < 0)
		return status;
	if (region->offset < sizeof image->header || region->offset > image->file_size ||
	    region->capacity > (image->file_size - region->offset) / element)
		return pf_fail(image->error, PF_ETRUNCATED,
			       "%s: its %s region (%" PRIu64 " elements at offset %" PRIu64
			       ") does not fit into the %" PRIu64 " bytes of the file; record again",
			       image->name, what, region->capacity, region->offset, image->file_size);
	if (*used > region->capacity)
		return pf_fail(image->error, PF_EFORMAT,
			       "%s: its %s region says that %" PRIu64 " of %" PRIu64
			       " elements are in use; record again",
			       image->name, what, *used, region->capacity);
	if (*used * element > PF_HARVEST_MAX_REGION)
		return pf_fail(image->error, PF_ELIMIT,
			       "%s: its %s region holds %" PRIu64
			       " bytes, more than the %llu that are read; record with a "
			       "smaller --limit",
			       image->name, what, *used * element, PF_HARVEST_MAX_REGION);
	return PF_OK;
}

/* Reads the header.  1: a process that had not yet begun; 0: ready; else an error. */
static int read_header(struct image *image)
{
	const struct pf_wire_header *header = &image->header;
	struct stat st;
	int status;

	if (fstat(image->fd, &st) != 0)
		return pf_fail(image->error, PF_EIO, "%s: cannot read: %s", image->name, strerror(errno));
	image->file_size = (uint64_t)st.st_size;
	if (image->file_size == 0)
		return 1;
	status = read_at(image, &image->header, sizeof image->header, 0, "header");
	if (status < 0)
		return status;
	if (header->magic == 0)
		return 1;
	if (header->magic != PF_WIRE_MAGIC)
		return pf_fail(image->error, PF_EFORMAT,
			       "%s: not a file of the pathfdo recorder (its first 8 bytes are 0x%" PRIx64 ")",
			       image->name, header->magic);
	if (header->version != PF_WIRE_VERSION || header->header_size != sizeof image->header)
		return pf_fail(
		    image->error, PF_EVERSION,
		    "%s: written by another version of the recorder library (version %" PRIu32 ", header of %" PRIu32
		    " bytes; this is version %u with %zu); use the libpathfdo-recorder.so of this build",
		    image->name, header->version, header->header_size, PF_WIRE_VERSION, sizeof image->header);
	return 0;
}

/* In the order that the head comment explains. */
static int take_counts(struct image *image)
{
	const struct pf_wire_header *header = &image->header;
	int status = take_count(image, &header->vectors, 1, "vectors", &image->vector_size);

	if (status == PF_OK)
		status = take_count(image, &header->edges, sizeof(struct pf_wire_edge), "edges", &image->edge_count);
	if (status == PF_OK)
		status = take_count(image, &header->maps, sizeof(struct pf_wire_map), "mappings", &image->map_count);
	if (status == PF_OK)
		status = take_count(image, &header->strings, 1, "strings", &image->string_size);
	return status;
}

/* The string at offset AT of the strings region, or NULL.  Once the region is full the agent refers to its unused end,
 * which is an empty string. */
static const char *string_at(const struct image *image, uint64_t at)
{
	if (at >= image->string_size && at < image->header.strings.capacity)
		return "";
	if (at >= image->string_size || !memchr(image->strings + at, 0, image->string_size - at))
		return NULL;
	return image->strings + at;
}

static int add_process(struct pf_harvest *h, struct image *image)
{
	const struct pf_wire_header *header = &image->header;
	uint32_t room = h->process_room, image_room = h->process_room;
	struct pf_vec_process *processes =
	    grow32(h->vectors.processes, h->vectors.process_count, &room, 1, sizeof *processes);
	struct pf_harvest_image *images;
	char *comm;

	if (!processes)
		return out_of_memory(image);
	h->vectors.processes = processes;
	images = grow32(h->images, h->vectors.process_count, &image_room, 1, sizeof *images);
	if (!images)
		return out_of_memory(image);
	h->images = images;
	h->process_room = room;
	comm = keep(h, sizeof header->comm + 1);
	image->strings = keep(h, image->string_size);
	if (!comm || !image->strings)
		return out_of_memory(image);
	memcpy(comm, header->comm, sizeof header->comm);
	comm[sizeof header->comm] = 0;
	images[h->vectors.process_count] = (struct pf_harvest_image) { .sequence = header->sequence,
								       .state = header->state,
								       .start_ns = header->start_ns };
	processes[h->vectors.process_count] =
	    (struct pf_vec_process) { .pid = header->pid, .ppid = header->ppid, .comm = comm, .exe = "" };
	return read_at(image, image->strings, image->string_size, header->strings.offset, "strings");
}

static int add_map(struct pf_harvest *h, struct image *image, const struct pf_wire_map *map, uint64_t index)
{
	const char *path = string_at(image, map->path);

	if (!path || map->start >= map->end || map->build_id_size > sizeof map->build_id)
		return pf_fail(image->error, PF_EFORMAT,
			       "%s: mapping %" PRIu64 " (0x%" PRIx64 "-0x%" PRIx64 ") is damaged; record again",
			       image->name, index, map->start, map->end);
	h->vectors.maps[h->vectors.map_count] = (struct pf_vec_map) {
		.process = h->vectors.process_count,
		.start = map->start,
		.end = map->end,
		.offset = map->pgoff,
		.path = path,
		.build_id_size = map->build_id_size,
		.time = map->time_ns,
	};
	memcpy(h->vectors.maps[h->vectors.map_count++].build_id, map->build_id, sizeof map->build_id);
	if (map->time_ns > image->last_ns)
		image->last_ns = map->time_ns;
	return PF_OK;
}

static int add_maps(struct pf_harvest *h, struct image *image)
{
	struct pf_vec_map *maps =
	    grow32(h->vectors.maps, h->vectors.map_count, &h->map_room, image->map_count, sizeof *maps);
	size_t size = image->map_count * sizeof(struct pf_wire_map);
	struct pf_wire_map *wire = maps ? malloc(size + 1) : NULL;
	int status;

	if (maps)
		h->vectors.maps = maps;
	if (!wire)
		return out_of_memory(image);
	image->map_base = h->vectors.map_count;
	status = read_at(image, wire, size, image->header.maps.offset, "mappings");
	for (uint64_t i = 0; status == PF_OK && i < image->map_count; i++)
		status = add_map(h, image, &wire[i], i);
	free(wire);
	return status;
}

static bool bad_map_index(const struct image *image, uint32_t index)
{
	return index != NO_MAP && index >= image->map_count;
}

static int add_edge(struct pf_harvest *h, const struct image *image, const struct pf_wire_edge *edge, uint64_t index)
{
	if (edge->kind < PF_EDGE_COND || edge->kind > PF_EDGE_FALL || edge->start > edge->from ||
	    bad_map_index(image, edge->from_map) || bad_map_index(image, edge->to_map))
		return pf_fail(image->error, PF_EFORMAT,
			       "%s: edge %" PRIu64 " (kind %" PRIu32 ", 0x%" PRIx64 " to 0x%" PRIx64
			       ") is damaged; record again",
			       image->name, index, edge->kind, edge->from, edge->to);
	h->vectors.edges[h->vectors.edge_count++] = (struct pf_vec_edge) {
		.process = h->vectors.process_count,
		.from_map = edge->from_map == NO_MAP ? NO_MAP : edge->from_map + image->map_base,
		.to_map = edge->to_map == NO_MAP ? NO_MAP : edge->to_map + image->map_base,
		.kind = (uint8_t)edge->kind,
		.start = edge->start,
		.from = edge->from,
		.to = edge->to,
	};
	return PF_OK;
}

static int add_edges(struct pf_harvest *h, struct image *image)
{
	struct pf_vec_edge *edges =
	    grow32(h->vectors.edges, h->vectors.edge_count, &h->edge_room, image->edge_count, sizeof *edges);
	size_t size = image->edge_count * sizeof(struct pf_wire_edge);
	struct pf_wire_edge *wire = edges ? malloc(size + 1) : NULL;
	int status;

	if (edges)
		h->vectors.edges = edges;
	if (!wire)
		return out_of_memory(image);
	image->edge_base = h->vectors.edge_count;
	status = read_at(image, wire, size, image->header.edges.offset, "edges");
	for (uint64_t i = 0; status == PF_OK && i < image->edge_count; i++)
		status = add_edge(h, image, &wire[i], i);
	free(wire);
	return status;
}

/* Edges that were only counted. */
static int add_counts(struct pf_harvest *h, struct image *image)
{
	const struct pf_wire_region *region = &image->header.counts;
	uint64_t unused, count = region->capacity < image->edge_count ? region->capacity : image->edge_count;
	int status = take_count(image, region, sizeof(uint64_t), "counts", &unused);
	uint64_t *wire = NULL;
	struct pf_vec_count *counts;

	if (status < 0 || count == 0 || image->header.aggregated_bursts == 0)
		return status;
	counts = grow(h->vectors.counts, h->vectors.count_count, &h->count_room, count, sizeof *counts);
	if (counts) {
		h->vectors.counts = counts;
		wire = malloc(count * sizeof *wire);
	}
	if (!wire)
		return out_of_memory(image);
	status = read_at(image, wire, count * sizeof *wire, region->offset, "counts");
	for (uint64_t i = 0; status == PF_OK && i < count; i++) {
		if (wire[i])
			counts[h->vectors.count_count++] =
			    (struct pf_vec_count) { .edge = image->edge_base + (uint32_t)i, .count = wire[i] };
	}
	free(wire);
	return status;
}

static int damaged_burst(const struct image *image, uint64_t offset)
{
	return pf_fail(image->error, PF_EFORMAT, "%s: the burst at offset %" PRIu64 " is damaged; record again",
		       image->name, offset);
}

static int add_burst(struct pf_harvest *h, struct image *image, struct pf_cursor *c)
{
	uint64_t offset = pf_cursor_offset(c);
	struct pf_vec_burst burst = { .process = h->vectors.process_count, .repeat = 1 };
	struct pf_vec_burst *bursts;
	uint32_t *edges;
	size_t size;

	burst.tid = pf_cursor_u32(c);
	burst.edge_count = pf_cursor_u32(c);
	burst.time = pf_cursor_u64(c);
	burst.period = pf_cursor_u64(c);
	burst.elapsed = pf_cursor_u64(c);
	burst.end_reason = pf_cursor_u32(c);
	pf_cursor_u32(c);
	size = (size_t)burst.edge_count * sizeof *edges;
	/* The cast is sound: the block is malloc's, headers and vectors keep its 4-byte alignment. */
	edges = (uint32_t *)pf_cursor_bytes(c, size);
	pf_cursor_bytes(c, size % 8);
	if (c->failed || burst.end_reason >= PF_END_COUNT)
		return damaged_burst(image, offset);
	for (uint32_t i = 0; i < burst.edge_count; i++) {
		if (edges[i] >= image->edge_count)
			return damaged_burst(image, offset);
		edges[i] += image->edge_base;
	}
	if (burst.time > image->last_ns)
		image->last_ns = burst.time;
	if (burst.edge_count == 0)
		return PF_OK;
	burst.edges = edges;
	h->branches += burst.edge_count;
	bursts = grow(h->vectors.bursts, h->vectors.burst_count, &h->burst_room, 1, sizeof *bursts);
	if (!bursts)
		return out_of_memory(image);
	h->vectors.bursts = bursts;
	bursts[h->vectors.burst_count++] = burst;
	return PF_OK;
}

/* The vectors stay where they are read to; their edge ids are made global in place. */
static int add_bursts(struct pf_harvest *h, struct image *image)
{
	uint64_t offset = image->header.vectors.offset;
	void *wire = keep(h, image->vector_size);
	struct pf_cursor c;
	int status;

	if (!wire)
		return out_of_memory(image);
	status = read_at(image, wire, image->vector_size, offset, "vectors");
	c = pf_cursor_over(wire, image->vector_size, offset);
	while (status == PF_OK && pf_cursor_left(&c))
		status = add_burst(h, image, &c);
	return status;
}

static void add_statistics(struct pf_harvest *h, const struct pf_wire_header *header)
{
	struct pf_vectors *v = &h->vectors;

	/* Sums of hostile values may wrap; they are only ever printed. */
	v->cpu_ns += header->cpu_ns;
	v->cost_ns += header->cost_ns;
	v->nominal_length = header->branches > v->nominal_length ? header->branches : v->nominal_length;
	v->frequency = header->frequency > v->frequency ? header->frequency : v->frequency;
	h->aggregated_bursts += header->aggregated_bursts;
	h->lost_branches += header->lost_branches;
	h->skipped_bursts += header->bursts_skipped;
	for (int i = 0; i < PF_END_COUNT; i++)
		h->ends[i] += header->ends[i];
	for (int i = 0; i < PF_REFUSE_COUNT; i++)
		h->refusals[i] += header->refusals[i];
}

static int check_limits(const struct pf_harvest *h, const struct image *image)
{
	if (h->vectors.process_count >= MAX_INDEX || image->map_count > MAX_INDEX - h->vectors.map_count ||
	    image->edge_count > MAX_INDEX - h->vectors.edge_count)
		return pf_fail(
		    image->error, PF_ELIMIT,
		    "%s: the recording has more than 2^32 edges, mappings or processes in all; record less at a time",
		    image->name);
	return PF_OK;
}

static int add_image(struct pf_harvest *h, struct image *image)
{
	const char *exe;
	int status = check_limits(h, image);

	if (status == PF_OK)
		status = add_process(h, image);
	if (status == PF_OK)
		status = add_maps(h, image);
	if (status == PF_OK)
		status = add_edges(h, image);
	if (status == PF_OK)
		status = add_bursts(h, image);
	if (status == PF_OK)
		status = add_counts(h, image);
	if (status < 0)
		return status;
	exe = string_at(image, image->header.exe);
	if (!exe)
		return pf_fail(image->error, PF_EFORMAT, "%s: the name of its program is damaged; record again",
			       image->name);
	h->vectors.processes[h->vectors.process_count].exe = exe;
	h->images[h->vectors.process_count].end_ns = image->last_ns;
	h->vectors.process_count++;
	add_statistics(h, &image->header);
	return PF_OK;
}

int pf_harvest_add(struct pf_harvest *h, int fd, const char *name, struct pf_error *error)
{
	struct image image = { .fd = fd, .name = name, .error = error };
	int status = read_header(&image);

	if (status > 0) {
		h->unborn++;
		return PF_OK;
	}
	image.last_ns = image.header.start_ns;
	if (status == PF_OK)
		status = take_counts(&image);
	return status == PF_OK ? add_image(h, &image) : status;
}
