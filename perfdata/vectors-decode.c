/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compact section (doc/vectors-format.md) to branch vectors.
 *
 * Hard case: a small hostile section that announces, or unpacks to, more than there is memory.  What it announces is
 * held against the machine's memory before anything is allocated; a chunk's bytes are held against what it announces;
 * and ids are stored as they are decoded, never ahead. */
#include "perfdata/vectors-codec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Bytes that the shortest string or list of an item takes: a process has two, a mapping and a timing one. */
#define LEAST_PIECE 32

struct decoder {
	const char *path;
	struct pf_vectors *vectors;
	uint64_t memory_left; /* for strings, which the header does not announce */
	uint64_t ids_announced, ids;
	uint32_t processes, maps, edges, timings; /* decoded so far */
	uint64_t bursts, counts, values;
	struct pf_vec_value last_value;
	struct pf_vec_edge last_edge;
	struct pf_vec_burst last_burst;
	uint32_t last_count;
	struct pf_vectors_guess guess;
	struct pf_error *error;
};

static int bad(const struct decoder *d, uint64_t offset, const char *what)
{
	return pf_fail(d->error, PF_EFORMAT,
		       "%s: the branch vectors at offset %" PRIu64 ": %s; the file is damaged, record it again",
		       d->path, offset, what);
}

static int no_memory(const struct decoder *d)
{
	return pf_fail(d->error, PF_ENOMEM, "%s: no memory for its branch vectors", d->path);
}

/* Bytes that the vectors may take: half of the machine's memory. */
static uint64_t memory_limit(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}

static bool crc_is_right(const struct pf_cursor *section)
{
	struct pf_cursor end = *section;

	end.at = end.size - 4;
	return pf_cursor_u32(&end) == (uint32_t)crc32_z(0, section->base, section->size - 4);
}

static int check_memory(struct decoder *d)
{
	const struct pf_vectors *v = d->vectors;
	uint64_t limit = memory_limit();
	uint64_t need, rest;

	/* The tables with 32-bit counts cannot overflow 64 bits; the others are held against the limit first. */
	need = v->process_count * (uint64_t)(sizeof *v->processes + 2 * LEAST_PIECE) +
	       v->map_count * (uint64_t)(sizeof *v->maps + LEAST_PIECE) +
	       v->timing_count * (uint64_t)(sizeof *v->timings + LEAST_PIECE) +
	       v->edge_count * (uint64_t)(sizeof *v->edges + sizeof *d->guess.after);
	rest = v->burst_count > limit / sizeof *v->bursts || d->ids_announced > limit / sizeof(uint32_t) ||
		       v->count_count > limit / sizeof *v->counts || v->value_count > limit / sizeof *v->values
		   ? limit
		   : v->burst_count * sizeof *v->bursts + d->ids_announced * sizeof(uint32_t) +
			 v->count_count * sizeof *v->counts + v->value_count * sizeof *v->values;
	if (need >= limit || rest >= limit - need)
		return pf_fail(d->error, PF_ELIMIT,
			       "%s: its branch vectors (%" PRIu64 " bursts of together %" PRIu64
			       " branches) need more than half of this machine's memory; convert it on a larger one",
			       d->path, v->burst_count, d->ids_announced);
	d->memory_left = limit - need - rest;
	return PF_OK;
}

static int get_header(struct decoder *d, struct pf_cursor *section)
{
	struct pf_vectors *v = d->vectors;
	uint64_t offset = pf_cursor_offset(section);
	const void *magic = pf_cursor_bytes(section, 8);
	uint32_t version = pf_cursor_u32(section);
	uint32_t header_size = pf_cursor_u32(section);
	uint64_t size = pf_cursor_u64(section);

	if (section->failed || memcmp(magic, PF_VECTORS_MAGIC, 8) != 0)
		return bad(d, offset, "they do not begin with " PF_VECTORS_MAGIC);
	if (version != PF_VECTORS_VERSION)
		return pf_fail(d->error, PF_EVERSION,
			       "%s: its branch vectors are in version %" PRIu32 " of their format; this pathfdo reads "
			       "version %d: use the pathfdo that recorded them",
			       d->path, version, PF_VECTORS_VERSION);
	if (size > section->size)
		return pf_fail(d->error, PF_ETRUNCATED,
			       "%s: the branch vectors at offset %" PRIu64 " should have %" PRIu64
			       " bytes and have %zu; "
			       "the file is damaged, record it again",
			       d->path, offset, size, section->size);
	if (header_size < PF_VECTORS_LEAST_HEADER_SIZE || size < (uint64_t)header_size + 4)
		return bad(d, offset, "sizes in their header contradict each other");
	section->size = (size_t)size;
	if (!crc_is_right(section))
		return bad(d, offset, "their checksum is wrong");
	section->size -= 4;
	v->process_count = pf_cursor_u32(section);
	v->map_count = pf_cursor_u32(section);
	v->edge_count = pf_cursor_u32(section);
	v->nominal_length = pf_cursor_u32(section);
	v->frequency = pf_cursor_u32(section);
	v->timing_count = pf_cursor_u32(section);
	v->burst_count = pf_cursor_u64(section);
	d->ids_announced = pf_cursor_u64(section);
	v->count_count = pf_cursor_u64(section);
	v->cpu_ns = pf_cursor_u64(section);
	v->cost_ns = pf_cursor_u64(section);
	if (header_size >= PF_VECTORS_HEADER_SIZE)
		v->value_count = pf_cursor_u64(section);
	pf_cursor_bytes(section, offset + header_size - pf_cursor_offset(section));
	return check_memory(d);
}

static int make_room(struct decoder *d)
{
	struct pf_vectors *v = d->vectors;

	v->processes = pf_vectors_alloc(v, v->process_count, sizeof *v->processes);
	v->maps = pf_vectors_alloc(v, v->map_count, sizeof *v->maps);
	v->edges = pf_vectors_alloc(v, v->edge_count, sizeof *v->edges);
	v->bursts = pf_vectors_alloc(v, v->burst_count, sizeof *v->bursts);
	v->counts = pf_vectors_alloc(v, v->count_count, sizeof *v->counts);
	v->timings = pf_vectors_alloc(v, v->timing_count, sizeof *v->timings);
	v->values = pf_vectors_alloc(v, v->value_count, sizeof *v->values);
	if (!v->values || !v->processes || !v->maps || !v->edges || !v->bursts || !v->counts || !v->timings ||
	    !pf_vectors_guess_init(&d->guess, v->edge_count))
		return no_memory(d);
	return PF_OK;
}

/* A LEB128 number that must fit into 32 bits. */
static uint32_t get_u32(struct pf_cursor *c)
{
	uint64_t value = pf_cursor_uleb(c);

	if (value > UINT32_MAX)
		c->failed = true;
	return (uint32_t)value;
}

/* BEFORE plus a signed difference, likewise. */
static uint32_t get_near(struct pf_cursor *c, uint32_t before)
{
	uint64_t value = (uint64_t)pf_cursor_sleb(c) + before;

	if (value > UINT32_MAX)
		c->failed = true;
	return (uint32_t)value;
}

/* A copy of the string, "" and a failed cursor if there is none. */
static const char *get_text(struct decoder *d, struct pf_cursor *c)
{
	const char *text = pf_cursor_string(c);
	size_t size = text ? strlen(text) + 1 : 1;
	char *copy = size <= d->memory_left ? pf_vectors_alloc(d->vectors, size, 1) : NULL;

	if (!copy) {
		c->failed = true;
		return "";
	}
	d->memory_left -= size;
	if (text)
		memcpy(copy, text, size);
	return copy;
}

static bool get_process(struct decoder *d, struct pf_cursor *c)
{
	struct pf_vec_process *p = &d->vectors->processes[d->processes++];

	p->pid = get_u32(c);
	p->ppid = get_u32(c);
	p->comm = get_text(d, c);
	p->exe = get_text(d, c);
	return !c->failed;
}

static bool get_map(struct decoder *d, struct pf_cursor *c)
{
	struct pf_vec_map *m = &d->vectors->maps[d->maps++];
	const void *build_id;

	m->process = get_u32(c);
	m->start = pf_cursor_uleb(c);
	m->end = m->start + pf_cursor_uleb(c);
	m->offset = pf_cursor_uleb(c);
	m->time = pf_cursor_uleb(c);
	m->build_id_size = pf_cursor_u8(c);
	if (m->build_id_size > sizeof m->build_id)
		return false;
	build_id = pf_cursor_bytes(c, m->build_id_size);
	if (build_id)
		memcpy(m->build_id, build_id, m->build_id_size);
	m->path = get_text(d, c);
	return !c->failed && m->process < d->vectors->process_count && m->start < m->end;
}

static bool get_edge(struct decoder *d, struct pf_cursor *c)
{
	const struct pf_vectors *v = d->vectors;
	struct pf_vec_edge *edge = &v->edges[d->edges++];
	uint32_t from_map, to_map;

	edge->kind = pf_cursor_u8(c);
	edge->process = get_near(c, d->last_edge.process);
	from_map = get_near(c, d->last_edge.from_map + 1);
	to_map = get_near(c, from_map);
	edge->from_map = from_map - 1;
	edge->to_map = to_map - 1;
	edge->start = d->last_edge.to + (uint64_t)pf_cursor_sleb(c);
	edge->from = edge->start + pf_cursor_uleb(c);
	edge->to = edge->from + (uint64_t)pf_cursor_sleb(c);
	d->last_edge = *edge;
	return !c->failed && edge->kind >= PF_EDGE_COND && edge->kind <= PF_EDGE_FALL &&
	       edge->process < v->process_count && from_map <= v->map_count && to_map <= v->map_count &&
	       edge->start <= edge->from;
}

static bool get_burst(struct decoder *d, struct pf_cursor *c)
{
	struct pf_vec_burst *burst = &d->vectors->bursts[d->bursts++];
	uint32_t ends;

	burst->process = get_near(c, d->last_burst.process);
	burst->tid = get_near(c, d->last_burst.tid);
	burst->time = d->last_burst.time + (uint64_t)pf_cursor_sleb(c);
	burst->period = pf_cursor_uleb(c);
	burst->elapsed = pf_cursor_uleb(c);
	burst->repeat = pf_cursor_uleb(c);
	ends = get_u32(c);
	burst->end_reason = (uint8_t)ends;
	burst->after_wait = ends & PF_VECTORS_AFTER_WAIT;
	burst->edge_count = get_u32(c);
	d->last_burst = *burst;
	return !c->failed && burst->process < d->vectors->process_count;
}

static bool get_count(struct decoder *d, struct pf_cursor *c)
{
	struct pf_vec_count *count = &d->vectors->counts[d->counts++];

	count->edge = d->last_count = get_near(c, d->last_count);
	count->count = pf_cursor_uleb(c);
	return !c->failed && count->edge < d->vectors->edge_count;
}

static bool get_timing(struct decoder *d, struct pf_cursor *c)
{
	struct pf_vec_timing *timing = &d->vectors->timings[d->timings++];
	struct pf_vec_share *shares;
	uint32_t edge = 0;

	timing->elapsed = pf_cursor_uleb(c);
	timing->share_count = get_u32(c);
	if (c->failed || timing->share_count > pf_cursor_left(c) / 2 ||
	    timing->share_count * sizeof *shares > d->memory_left)
		return false;
	timing->shares = shares = pf_vectors_alloc(d->vectors, timing->share_count, sizeof *shares);
	if (!shares)
		return false;
	d->memory_left -= timing->share_count * sizeof *shares;
	for (uint32_t i = 0; i < timing->share_count; i++) {
		uint32_t step = get_u32(c);

		if (step >= d->vectors->edge_count - edge || (i > 0 && step == 0))
			return false;
		edge += step;
		shares[i] = (struct pf_vec_share) { edge, get_u32(c) };
		if (shares[i].count == 0)
			return false;
	}
	return !c->failed;
}

static bool get_value(struct decoder *d, struct pf_cursor *c)
{
	struct pf_vec_value *value = &d->vectors->values[d->values++];

	value->map = get_near(c, d->last_value.map);
	value->address = d->last_value.address + (uint64_t)pf_cursor_sleb(c);
	value->kind = pf_cursor_u8(c);
	value->part = pf_cursor_u8(c);
	value->value = pf_cursor_sleb(c);
	value->count = pf_cursor_uleb(c);
	d->last_value = *value;
	return !c->failed && value->map < d->vectors->map_count && value->kind > 0 && value->kind < PF_VEC_KINDS &&
	       value->part < PF_VEC_PARTS;
}

/* The edges of COUNT bursts, behind their items. */
static int get_paths(struct decoder *d, struct pf_cursor *c, struct pf_vec_burst *bursts, uint32_t count)
{
	uint64_t total = 0;
	uint32_t *to;

	for (uint32_t i = 0; i < count; i++)
		total += bursts[i].edge_count;
	if (total > pf_cursor_left(c) || total > d->ids_announced - d->ids)
		return bad(d, c->origin, "a chunk of bursts is shorter than what it announces");
	to = pf_vectors_alloc(d->vectors, total, sizeof *to);
	if (!to)
		return no_memory(d);
	d->ids += total;
	for (uint32_t i = 0; i < count; i++) {
		bursts[i].edges = to;
		for (uint32_t k = 0; k < bursts[i].edge_count; k++) {
			uint64_t code = pf_cursor_uleb(c);
			uint64_t edge = code ? code - 1 : pf_vectors_expect(&d->guess);

			if (c->failed || edge >= d->vectors->edge_count)
				return bad(d, c->origin, "a burst names an edge that is not there");
			pf_vectors_saw(&d->guess, (uint32_t)edge);
			*to++ = (uint32_t)edge;
		}
	}
	return PF_OK;
}

/* Room left in the table that the tag names, and how an item of it is decoded; false for an unknown tag. */
static bool find_table(const struct decoder *d, uint32_t tag, uint64_t *room,
		       bool (**get)(struct decoder *, struct pf_cursor *))
{
	const struct pf_vectors *v = d->vectors;

	switch (tag) {
	case PF_VECTORS_PROCESSES:
		*room = v->process_count - d->processes;
		*get = get_process;
		return true;
	case PF_VECTORS_MAPS:
		*room = v->map_count - d->maps;
		*get = get_map;
		return true;
	case PF_VECTORS_EDGES:
		*room = v->edge_count - d->edges;
		*get = get_edge;
		return true;
	case PF_VECTORS_BURSTS:
		*room = v->burst_count - d->bursts;
		*get = get_burst;
		return true;
	case PF_VECTORS_COUNTS:
		*room = v->count_count - d->counts;
		*get = get_count;
		return true;
	case PF_VECTORS_TIMINGS:
		*room = v->timing_count - d->timings;
		*get = get_timing;
		return true;
	case PF_VECTORS_VALUES:
		*room = v->value_count - d->values;
		*get = get_value;
		return true;
	default:
		return false;
	}
}

static int get_items(struct decoder *d, uint32_t tag, uint32_t count, struct pf_cursor *c)
{
	bool (*get)(struct decoder *, struct pf_cursor *);
	uint64_t first = d->bursts;
	uint64_t room;
	int status = PF_OK;

	if (!find_table(d, tag, &room, &get) || count > room)
		return bad(d, c->origin, "a chunk has more items than the header announces");
	for (uint32_t i = 0; i < count; i++)
		if (!get(d, c))
			return bad(d, c->origin, "an item of a table is out of range");
	if (tag == PF_VECTORS_BURSTS)
		status = get_paths(d, c, d->vectors->bursts + first, count);
	if (status == PF_OK && pf_cursor_left(c))
		status = bad(d, c->origin, "a chunk is longer than what is in it");
	return status;
}

/* Unpacks a chunk's payload of STORED bytes into memory that the caller frees, or says why not. */
static int unpack(const struct decoder *d, uint64_t offset, const void *payload, uint32_t stored, uint32_t size,
		  uint8_t **bytes)
{
	size_t got;

	if (stored > size || size > PF_VECTORS_CHUNK_LIMIT)
		return bad(d, offset, "a chunk has an impossible size");
	*bytes = malloc(size ? size : 1);
	if (!*bytes)
		return no_memory(d);
	if (stored == size) {
		memcpy(*bytes, payload, size);
		return PF_OK;
	}
	got = ZSTD_decompress(*bytes, size, payload, stored);
	if (ZSTD_isError(got) || got != size) {
		free(*bytes);
		return bad(d, offset, "a chunk cannot be decompressed");
	}
	return PF_OK;
}

static int get_chunk(struct decoder *d, struct pf_cursor *section)
{
	uint64_t offset = pf_cursor_offset(section);
	uint32_t tag = pf_cursor_u32(section);
	uint32_t count = pf_cursor_u32(section);
	uint32_t size = pf_cursor_u32(section);
	uint32_t stored = pf_cursor_u32(section);
	const void *payload = pf_cursor_bytes(section, stored);
	bool (*get)(struct decoder *, struct pf_cursor *);
	struct pf_cursor c;
	uint8_t *bytes = NULL;
	uint64_t room;
	int status;

	if (section->failed)
		return bad(d, offset, "a chunk does not fit into the section");
	if (!find_table(d, tag, &room, &get)) {
		if (tag & 0x20) /* a small first letter */
			return PF_OK;
		return pf_fail(d->error, PF_EVERSION,
			       "%s: the branch vectors have a table at offset %" PRIu64
			       " that this pathfdo does not know: "
			       "use the pathfdo that recorded them",
			       d->path, offset);
	}
	status = unpack(d, offset, payload, stored, size, &bytes);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes, size, offset);
	status = get_items(d, tag, count, &c);
	free(bytes);
	return status;
}

static int check_complete(const struct decoder *d, uint64_t offset)
{
	const struct pf_vectors *v = d->vectors;

	if (d->processes != v->process_count || d->maps != v->map_count || d->edges != v->edge_count ||
	    d->bursts != v->burst_count || d->counts != v->count_count || d->ids != d->ids_announced ||
	    d->timings != v->timing_count || d->values != v->value_count)
		return bad(d, offset, "they hold fewer items than their header announces");
	return PF_OK;
}

int pf_vectors_decode(const char *path, struct pf_cursor *c, struct pf_vectors **vectors, struct pf_error *error)
{
	struct decoder d = { .path = path, .error = error, .last_edge.from_map = UINT32_MAX };
	struct pf_cursor section = *c;
	uint64_t offset = pf_cursor_offset(c);
	int status;

	*vectors = NULL;
	d.vectors = calloc(1, sizeof *d.vectors);
	if (!d.vectors)
		return no_memory(&d);
	status = get_header(&d, &section);
	if (status == PF_OK)
		status = make_room(&d);
	while (status == PF_OK && pf_cursor_left(&section))
		status = get_chunk(&d, &section);
	if (status == PF_OK)
		status = check_complete(&d, offset);
	free(d.guess.after);
	if (status < 0) {
		pf_vectors_free(d.vectors);
		return status;
	}
	*vectors = d.vectors;
	return PF_OK;
}
