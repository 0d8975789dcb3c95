/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See harvest.h.  Sections are read with pread and never mapped, so that a program which cuts the file short cannot
 * make us die of SIGBUS.  Hard case: the process may still be running.  The agent raises a counter after what it counts
 * is written, and a burst refers to edges, an edge to mappings, a mapping to strings; so what refers is read before the
 * counter of what it refers to, and what is taken is always complete.  And a chunk of bursts may be thinned meanwhile:
 * the epoch tells, and then the bursts are read again. */
#include "runtime/harvest.h"
#include "runtime/sites.h"

#include "support/array.h"
#include "support/cursor.h"
#include "support/filename.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_MAP UINT32_MAX
#define NO_EDGE UINT32_MAX
/* Largest number of anything that a 32-bit index can name. */
#define MAX_INDEX (UINT32_MAX - 1)
/* A thinning follows the next after a dozen bursts; to read all takes a small part of that time. */
#define TRIES 50

/* One section while it is being read. */
struct image {
	struct pf_harvest *h;
	int fd;
	const char *name;
	uint64_t number, offset;
	const struct pf_wire_layout *layout;
	struct pf_wire_header header;
	char *strings;
	uint64_t string_size;
	uint32_t *map_index, *edge_index; /* in the harvest, NO_MAP and NO_EDGE for damaged ones */
	uint64_t map_count, edge_count, site_count;
	uint64_t first_burst, first_block; /* of the harvest's that are this section's */
	uint64_t last_ns;
	uint32_t weight;
	bool damaged;
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
	free(h->vectors.timings);
	free(h->vectors.values);
	free(h->images);
	*h = (struct pf_harvest) { 0 };
}

static int out_of_memory(const struct image *image)
{
	return pf_fail(image->error, PF_ENOMEM,
		       "%s: out of memory while reading the recording; record for a shorter time or with a smaller "
		       "--limit",
		       image->name);
}

/* Notes what is wrong with the section; the first fault of each counts. */
__attribute__((format(printf, 2, 3))) static void damage(struct image *image, const char *format, ...)
{
	struct pf_harvest *h = image->h;
	va_list arguments;
	char *text;
	int size;

	if (image->damaged)
		return;
	image->damaged = true;
	if (h->damaged++ >= PF_HARVEST_DAMAGES)
		return;
	text = h->damages[h->damaged - 1];
	size = snprintf(text, sizeof h->damages[0], "section %" PRIu64 " (process %" PRIu32 "): ", image->number,
			image->header.pid);
	va_start(arguments, format);
	vsnprintf(text + size, sizeof h->damages[0] - (size_t)size, format, arguments);
	va_end(arguments);
}

/* SIZE bytes that live as long as the harvest; NULL when out of memory. */
static void *keep(struct pf_harvest *h, size_t size)
{
	void *block;

	if (!pf_array_reserve(&h->blocks, h->block_count, &h->block_room, 1, sizeof *h->blocks))
		return NULL;
	block = malloc(size ? size : 1);
	if (block)
		h->blocks[h->block_count++] = block;
	return block;
}

/* Reads exactly SIZE bytes at OFFSET of the section; what cannot be read is a damage. */
static bool read_at(struct image *image, void *to, size_t size, uint64_t offset, const char *what)
{
	char *at = to;

	while (size) {
		ssize_t got = pread(image->fd, at, size, (off_t)(image->offset + offset));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			damage(image, "cannot read its %s at offset %" PRIu64 ": %s", what, image->offset + offset,
			       got < 0 ? strerror(errno) : "the file ends there");
			return false;
		}
		at += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

/* The counter at offset FIELD of the header as it is now, at most CAPACITY. */
static uint64_t read_count(struct image *image, size_t field, uint64_t capacity, const char *what)
{
	uint64_t used;

	if (!read_at(image, &used, sizeof used, field, "header"))
		return 0;
	if (used <= capacity)
		return used;
	damage(image, "it claims %" PRIu64 " %s, and has room for %" PRIu64, used, what, capacity);
	return capacity;
}

/* --- bursts ------------------------------------------------------------------------------------------------------- */

/* The bursts of one chunk, with edge ids of their own memory that are not yet looked at. */
static int add_bursts(struct image *image, const void *chunk, uint32_t used, uint64_t repeat)
{
	struct pf_harvest *h = image->h;
	uint32_t *ids = used ? keep(h, used) : NULL;
	struct pf_cursor c = pf_cursor_over(chunk, used, 0);

	if (used && !ids)
		return out_of_memory(image);
	while (pf_cursor_left(&c)) {
		struct pf_vec_burst burst = { .process = h->vectors.process_count, .repeat = repeat, .edges = ids };
		const void *from;
		uint16_t ends;

		burst.tid = pf_cursor_u32(&c);
		burst.edge_count = pf_cursor_u32(&c);
		burst.time = pf_cursor_u64(&c);
		burst.period = pf_cursor_u64(&c);
		burst.elapsed = pf_cursor_u64(&c);
		burst.end_reason = (uint8_t)(ends = pf_cursor_u16(&c));
		burst.after_wait = pf_cursor_u16(&c) != 0;
		pf_cursor_u32(&c);
		from = pf_cursor_bytes(&c, burst.edge_count * sizeof *ids);
		pf_cursor_bytes(&c, burst.edge_count * sizeof *ids % 8);
		if (c.failed || ends >= PF_END_COUNT || burst.edge_count == 0) {
			damage(image, "a burst is damaged, and so what follows it in its chunk");
			return PF_OK;
		}
		memcpy(ids, from, burst.edge_count * sizeof *ids);
		ids += burst.edge_count;
		if (!pf_array_reserve(&h->vectors.bursts, h->vectors.burst_count, &h->burst_room, 1, sizeof burst))
			return out_of_memory(image);
		h->vectors.bursts[h->vectors.burst_count++] = burst;
	}
	return PF_OK;
}

static int add_chunks(struct image *image, const struct pf_wire_chunk *table, void *buffer)
{
	const struct pf_wire_layout *layout = image->layout;
	int status = PF_OK;

	for (uint64_t i = 0; status == PF_OK && i < layout->chunks.capacity; i++) {
		if (table[i].used > layout->chunk_size || table[i].generation > PF_WIRE_MAX_GENERATION)
			damage(image, "chunk %" PRIu64 " of its bursts claims %" PRIu32 " bytes of generation %" PRIu32,
			       i, table[i].used, table[i].generation);
		else if (table[i].used && read_at(image, buffer, table[i].used,
						  layout->chunks.offset + i * layout->chunk_size, "bursts"))
			status =
			    add_bursts(image, buffer, table[i].used, (uint64_t)image->weight << table[i].generation);
	}
	return status;
}

/* Takes back the bursts of the section. */
static void forget_bursts(struct image *image)
{
	struct pf_harvest *h = image->h;

	h->vectors.burst_count = image->first_burst;
	while (h->block_count > image->first_block)
		free(h->blocks[--h->block_count]);
}

/* All bursts, as of one moment. */
static int read_bursts(struct image *image)
{
	const struct pf_wire_layout *layout = image->layout;
	size_t size = layout->chunks.capacity * sizeof(struct pf_wire_chunk),
	       field = offsetof(struct pf_wire_header, epoch);
	struct pf_wire_chunk *table = malloc(size);
	void *buffer = malloc(layout->chunk_size);
	uint64_t before, after = 0;
	int status = table && buffer ? PF_OK : out_of_memory(image), tries = 0;

	while (status == PF_OK) {
		if (!read_at(image, &before, sizeof before, field, "header") ||
		    !read_at(image, table, size, layout->tables.offset + before % 2 * size, "table"))
			break;
		status = add_chunks(image, table, buffer);
		if (status < 0 || !read_at(image, &after, sizeof after, field, "header") || after == before)
			break;
		forget_bursts(image);
		if (++tries == TRIES) {
			damage(image, "its bursts changed faster than they could be read");
			break;
		}
	}
	free(table);
	free(buffer);
	return status;
}

/* --- what bursts refer to ----------------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
	const struct pf_vec_burst *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* What the agent stored as a burst that was timed; *BURST's ids are sorted. */
static int add_timing(struct image *image, const struct pf_vec_burst *burst)
{
	struct pf_harvest *h = image->h;
	struct pf_vectors *v = &h->vectors;
	struct pf_vec_share *shares = keep(h, burst->edge_count * sizeof *shares);
	uint32_t *ids = (uint32_t *)burst->edges, count = 0;

	if (!shares || !pf_array_reserve(&v->timings, v->timing_count, &h->timing_room, 1, sizeof *v->timings))
		return out_of_memory(image);
	qsort(ids, burst->edge_count, sizeof *ids, compare_ids);
	for (uint32_t i = 0; i < burst->edge_count; i++) {
		if (count == 0 || shares[count - 1].edge != ids[i])
			shares[count++] = (struct pf_vec_share) { .edge = ids[i] };
		shares[count - 1].count++;
	}
	v->timings[v->timing_count++] =
	    (struct pf_vec_timing) { .elapsed = burst->elapsed, .share_count = count, .shares = shares };
	return PF_OK;
}

/* Makes the edge ids of the bursts global; a burst that has none for one of its edges is dropped. */
static int resolve_bursts(struct image *image)
{
	struct pf_vectors *v = &image->h->vectors;
	uint64_t kept = image->first_burst;
	int status = PF_OK;

	for (uint64_t i = image->first_burst; i < v->burst_count && status == PF_OK; i++) {
		struct pf_vec_burst *burst = &v->bursts[i];
		uint32_t *ids = (uint32_t *)burst->edges, n = 0;

		for (; n < burst->edge_count && ids[n] < image->edge_count && image->edge_index[ids[n]] != NO_EDGE; n++)
			ids[n] = image->edge_index[ids[n]];
		if (n < burst->edge_count) {
			damage(image, "a burst has an edge that is not there (%" PRIu32 " of %" PRIu64 ")", ids[n],
			       image->edge_count);
			continue;
		}
		image->last_ns = burst->time > image->last_ns ? burst->time : image->last_ns;
		if (burst->elapsed)
			status = add_timing(image, burst);
		else
			v->bursts[kept++] = *burst;
	}
	v->burst_count = kept;
	if (kept > image->first_burst)
		qsort(v->bursts + image->first_burst, kept - image->first_burst, sizeof *v->bursts, compare_times);
	return status;
}

/* The string at offset AT of the strings, or NULL: also for one that is longer than any path, which no file of perf's
 * could hold.  Once they are full the agent refers to their unused end, which is an empty string. */
static const char *string_at(const struct image *image, uint64_t at)
{
	uint64_t left = image->string_size - at, most = left < PATH_MAX ? left : PATH_MAX;

	if (at >= image->string_size && at < image->layout->strings.capacity)
		return "";
	if (at >= image->string_size || !memchr(image->strings + at, 0, most))
		return NULL;
	return image->strings + at;
}

static uint32_t add_map(struct image *image, const struct pf_wire_map *map)
{
	struct pf_vectors *v = &image->h->vectors;
	const char *path = string_at(image, map->path);

	if (!path || map->start >= map->end || map->build_id_size > sizeof map->build_id) {
		damage(image, "the mapping 0x%" PRIx64 "-0x%" PRIx64 " is damaged", map->start, map->end);
		return NO_MAP;
	}
	v->maps[v->map_count] = (struct pf_vec_map) {
		.process = v->process_count,
		.start = map->start,
		.end = map->end,
		.offset = map->pgoff,
		.path = path,
		.build_id_size = map->build_id_size,
		.time = map->time_ns,
	};
	memcpy(v->maps[v->map_count].build_id, map->build_id, sizeof map->build_id);
	image->last_ns = map->time_ns > image->last_ns ? map->time_ns : image->last_ns;
	return v->map_count++;
}

static int add_maps(struct image *image)
{
	struct pf_harvest *h = image->h;
	uint64_t count = image->map_count;
	bool room =
	    pf_array_reserve(&h->vectors.maps, h->vectors.map_count, &h->map_room, count, sizeof *h->vectors.maps);
	size_t size = count * sizeof(struct pf_wire_map);
	struct pf_wire_map *wire = room ? malloc(size + 1) : NULL;

	image->map_index = calloc(count + 1, sizeof *image->map_index);
	if (!wire || !image->map_index) {
		free(wire);
		return out_of_memory(image);
	}
	if (!read_at(image, wire, size, image->layout->maps.offset, "mappings"))
		image->map_count = 0;
	for (uint64_t i = 0; i < image->map_count; i++)
		image->map_index[i] = add_map(image, &wire[i]);
	free(wire);
	return PF_OK;
}

/* The index of mapping INDEX in the harvest; false if there is no such. */
static bool find_map(const struct image *image, uint32_t index, uint32_t *map)
{
	*map = index < image->map_count ? image->map_index[index] : NO_MAP;
	return index == NO_MAP || *map != NO_MAP;
}

static uint32_t add_edge(struct image *image, const struct pf_wire_edge *edge)
{
	struct pf_vectors *v = &image->h->vectors;
	uint32_t from_map, to_map;

	if (edge->kind < PF_EDGE_COND || edge->kind > PF_EDGE_FALL || edge->length > edge->from ||
	    !find_map(image, edge->from_map, &from_map) || !find_map(image, edge->to_map, &to_map)) {
		damage(image, "the edge 0x%" PRIx64 " to 0x%" PRIx64 " (kind %" PRIu32 ") is damaged", edge->from,
		       edge->to, edge->kind);
		return NO_EDGE;
	}
	v->edges[v->edge_count] = (struct pf_vec_edge) {
		.process = v->process_count,
		.from_map = from_map,
		.to_map = to_map,
		.kind = (uint8_t)edge->kind,
		.start = edge->from - edge->length,
		.from = edge->from,
		.to = edge->to,
	};
	return v->edge_count++;
}

static int add_edges(struct image *image)
{
	struct pf_harvest *h = image->h;
	uint64_t count = image->edge_count;
	bool room =
	    pf_array_reserve(&h->vectors.edges, h->vectors.edge_count, &h->edge_room, count, sizeof *h->vectors.edges);
	size_t size = count * sizeof(struct pf_wire_edge);
	struct pf_wire_edge *wire = room ? malloc(size + 1) : NULL;

	image->edge_index = calloc(count + 1, sizeof *image->edge_index);
	if (!wire || !image->edge_index) {
		free(wire);
		return out_of_memory(image);
	}
	if (!read_at(image, wire, size, image->layout->edges.offset, "edges"))
		image->edge_count = 0;
	for (uint64_t i = 0; i < image->edge_count; i++)
		image->edge_index[i] = add_edge(image, &wire[i]);
	free(wire);
	return PF_OK;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static int add_site(struct image *image, const struct pf_wire_site *site)
{
	struct pf_harvest *h = image->h;
	struct pf_vectors *v = &h->vectors;
	uint32_t map, count;

	if (!find_map(image, site->map, &map) || map == NO_MAP)
		return PF_OK;
	if (!pf_array_reserve(&v->values, v->value_count, &h->value_room, PF_SITE_NUMBERS, sizeof *v->values))
		return out_of_memory(image);
	count = pf_site_numbers(site, image->weight, v->values + v->value_count);
	for (uint32_t i = 0; i < count; i++)
		v->values[v->value_count++].map = map;
	return PF_OK;
}

static int add_sites(struct image *image)
{
	size_t size = image->site_count * sizeof(struct pf_wire_site);
	struct pf_wire_site *wire = malloc(size + 1);
	int status = wire ? PF_OK : out_of_memory(image);

	if (wire && !read_at(image, wire, size, image->layout->sites.offset, "values"))
		image->site_count = 0;
	for (uint64_t i = 0; status == PF_OK && i < image->site_count; i++)
		status = add_site(image, &wire[i]);
	free(wire);
	return status;
}

/* --- the section -------------------------------------------------------------------------------------------------- */

static int add_process(struct image *image)
{
	struct pf_harvest *h = image->h;
	const struct pf_wire_header *header = &image->header;
	uint32_t count = h->vectors.process_count;
	struct pf_vec_process *process;
	char *comm;

	if (!pf_array_reserve(&h->vectors.processes, count, &h->process_room, 1, sizeof *process) ||
	    !pf_array_reserve(&h->images, count, &h->image_room, 1, sizeof *h->images))
		return out_of_memory(image);
	comm = keep(h, sizeof header->comm + 1);
	image->strings = comm ? keep(h, image->string_size) : NULL;
	if (!image->strings)
		return out_of_memory(image);
	memcpy(comm, header->comm, sizeof header->comm);
	comm[sizeof header->comm] = 0;
	if (!read_at(image, image->strings, image->string_size, image->layout->strings.offset, "strings"))
		image->string_size = 0;
	process = &h->vectors.processes[count];
	*process = (struct pf_vec_process) { header->pid, header->ppid, comm, string_at(image, 0) };
	if (!process->exe)
		process->exe = "";
	h->images[count] = (struct pf_harvest_image) { .state = header->state,
						       .start_ns = header->start_ns,
						       .section = image->number,
						       .first_edge = h->vectors.edge_count,
						       .unseen = header->unseen,
						       .steps = header->steps };
	return PF_OK;
}

/* Is it a process of the program that is asked for?  That may have been removed, or replaced, before its first burst.
 */
static bool is_wanted(const struct image *image)
{
	const char *only = image->h->only, *exe = image->h->vectors.processes[image->h->vectors.process_count].exe;
	const char *name = only && strchr(only, '/') ? exe : pf_filename_base(exe);

	return !only || strcmp(name, only) == 0 ||
	       (strlen(only) == pf_filename_length(name) && strncmp(name, only, strlen(only)) == 0);
}

static void add_statistics(struct image *image)
{
	struct pf_harvest *h = image->h;
	const struct pf_wire_header *header = &image->header;

	/* Sums of hostile values may wrap; they are only ever printed. */
	h->vectors.cpu_ns += header->cpu_ns;
	h->vectors.cost_ns += header->cost_ns;
	h->vector_cpu_ns += h->vectors.burst_count > image->first_burst ? header->cpu_ns * image->weight : 0;
	h->bursts += header->bursts;
	h->branches += header->branches_recorded;
	h->counted += header->counted;
	h->lost_bursts += header->lost_bursts;
	h->lost_branches += header->lost_branches;
	h->skipped_bursts += header->bursts_skipped;
	h->left += header->left;
	for (int i = 0; i < PF_END_COUNT; i++)
		h->ends[i] += header->ends[i];
	for (int i = 0; i < PF_REFUSE_COUNT; i++)
		h->refusals[i] += header->refusals[i];
}

/* The counters of what is referred to, each after all that refers to it. */
static void read_counts(struct image *image)
{
	const struct pf_wire_layout *layout = image->layout;

	image->site_count =
	    read_count(image, offsetof(struct pf_wire_header, sites_used), layout->sites.capacity, "sites of values");
	image->edge_count =
	    read_count(image, offsetof(struct pf_wire_header, edges_used), layout->edges.capacity, "edges");
	image->map_count =
	    read_count(image, offsetof(struct pf_wire_header, maps_used), layout->maps.capacity, "mappings");
	image->string_size = read_count(image, offsetof(struct pf_wire_header, strings_used), layout->strings.capacity,
					"bytes of names");
}

static int check_limits(const struct image *image)
{
	const struct pf_vectors *v = &image->h->vectors;

	if (v->process_count >= MAX_INDEX || image->map_count > MAX_INDEX - v->map_count ||
	    image->edge_count > MAX_INDEX - v->edge_count)
		return pf_fail(
		    image->error, PF_ELIMIT,
		    "%s: the recording has more than 2^32 edges, mappings or processes in all; record less at a time",
		    image->name);
	return PF_OK;
}

static int add_image(struct image *image)
{
	struct pf_harvest *h = image->h;
	int status = read_bursts(image);

	if (status == PF_OK) {
		read_counts(image);
		status = check_limits(image);
	}
	if (status == PF_OK)
		status = add_process(image);
	if (status == PF_OK && !is_wanted(image)) {
		/* Their memory stays, since what else the section has is behind it. */
		h->other_bursts += h->vectors.burst_count - image->first_burst;
		h->vectors.burst_count = image->first_burst;
		image->header.bursts = image->header.counted = image->map_count = image->edge_count = 0;
		image->site_count = 0;
	}
	if (status == PF_OK)
		status = add_maps(image);
	if (status == PF_OK)
		status = add_edges(image);
	if (status == PF_OK)
		status = add_sites(image);
	if (status == PF_OK)
		status = resolve_bursts(image);
	if (status == PF_OK) {
		add_statistics(image);
		h->images[h->vectors.process_count].edges =
		    h->vectors.edge_count - h->images[h->vectors.process_count].first_edge;
		h->images[h->vectors.process_count++].end_ns = image->last_ns;
	}
	free(image->map_index);
	free(image->edge_index);
	return status;
}

int pf_harvest_section(struct pf_harvest *h, int fd, const char *name, uint64_t number, struct pf_error *error)
{
	const struct pf_wire_layout *layout = &h->control.layout;
	struct image image = { .h = h,
			       .fd = fd,
			       .name = name,
			       .number = number,
			       .offset = layout->first + number * layout->section_size,
			       .layout = layout,
			       .first_burst = h->vectors.burst_count,
			       .first_block = h->block_count,
			       .error = error };

	if (!read_at(&image, &image.header, sizeof image.header, 0, "header"))
		return PF_OK;
	if (image.header.magic == 0) {
		h->unborn++;
		return PF_OK;
	}
	if (image.header.magic != PF_WIRE_MAGIC) {
		damage(&image, "its first 8 bytes are 0x%" PRIx64, image.header.magic);
		return PF_OK;
	}
	image.last_ns = image.header.start_ns;
	image.weight = image.header.weight;
	if (image.weight == 0 || image.weight > PF_WIRE_MOST_WEIGHT) {
		damage(&image, "it claims to stand for %" PRIu32 " processes", image.weight);
		image.weight = 1;
	}
	return add_image(&image);
}
