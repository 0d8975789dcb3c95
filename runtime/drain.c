/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See drain.h.  The file is read with pread and never mapped, for the reason that harvest.c gives.  A burst refers to
 * edges, an edge to mappings, a mapping to strings, each written before what refers to it is counted; so they are read
 * when something first refers to them.  The hard case is order between threads and processes, which a stream does not
 * tell beyond its own: sections are emptied in turn. */
#include "runtime/drain.h"

#include "runtime/agent/stream.h"
#include "runtime/keeper.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pf_drain_section {
	uint32_t number;
	uint64_t offset, tail;
	struct pf_vec_map *maps; /* as many as the layout allows; path NULL: not read yet */
	uint64_t edges;          /* handed on */
	bool born, damaged, ended;
};

int pf_drain_init(struct pf_drain *d, int fd, const char *name, const struct pf_drain_sink *sink,
		  struct pf_error *error)
{
	struct pf_control control;
	int status = pf_keeper_read(fd, name, &control, error);

	*d = (struct pf_drain) { .fd = fd, .sink = *sink };
	if (status < 0)
		return status;
	d->layout = control.layout;
	d->sections = calloc(d->layout.sections, sizeof *d->sections);
	d->buffer = malloc(pf_stream_size(&d->layout) + 1);
	return d->sections && d->buffer ? PF_OK : pf_fail(error, PF_ENOMEM, "%s: out of memory for the stream", name);
}

void pf_drain_fini(struct pf_drain *d)
{
	for (uint32_t i = 0; i < d->section_count; i++) {
		for (uint64_t m = 0; d->sections[i]->maps && m < d->layout.maps.capacity; m++)
			free((char *)d->sections[i]->maps[m].path);
		free(d->sections[i]->maps);
		free(d->sections[i]);
	}
	free(d->sections);
	free(d->buffer);
	*d = (struct pf_drain) { .fd = -1 };
}

static bool read_at(const struct pf_drain *d, const struct pf_drain_section *s, void *to, size_t size, uint64_t offset)
{
	return pread(d->fd, to, size, (off_t)(s->offset + offset)) == (ssize_t)size;
}

static uint64_t read_word(const struct pf_drain *d, const struct pf_drain_section *s, size_t field)
{
	uint64_t value = 0;

	return read_at(d, s, &value, sizeof value, field) ? value : 0;
}

/* Nothing more is read of S: what is wrong with it is counted. */
static void give_up(struct pf_drain *d, struct pf_drain_section *s)
{
	d->damaged += !s->damaged;
	s->damaged = true;
}

/* --- what bursts refer to ----------------------------------------------------------------------------------------- */

/* The string at PLACE, malloc's; "" if it is not one. */
static char *read_string(const struct pf_drain *d, const struct pf_drain_section *s, uint64_t place)
{
	char text[4096];
	uint64_t capacity = d->layout.strings.capacity, size = sizeof text - 1;

	if (place < capacity) {
		size = capacity - place < size ? capacity - place : size;
		if (read_at(d, s, text, size, d->layout.strings.offset + place)) {
			text[size] = 0;
			return strdup(text);
		}
	}
	return strdup("");
}

/* Mapping INDEX of S; NULL: there is none, or *FAILED for want of memory. */
static const struct pf_vec_map *map_of(const struct pf_drain *d, struct pf_drain_section *s, uint32_t index,
				       bool *failed)
{
	struct pf_vec_map *map = index < d->layout.maps.capacity ? &s->maps[index] : NULL;
	struct pf_wire_map wire;

	if (!map || map->path)
		return map;
	if (!read_at(d, s, &wire, sizeof wire, d->layout.maps.offset + index * sizeof wire) || wire.start >= wire.end ||
	    wire.build_id_size > sizeof wire.build_id)
		return NULL;
	*map = (struct pf_vec_map) {
		.process = s->number,
		.start = wire.start,
		.end = wire.end,
		.offset = wire.pgoff,
		.path = read_string(d, s, wire.path),
		.build_id_size = wire.build_id_size,
		.time = wire.time_ns,
	};
	memcpy(map->build_id, wire.build_id, sizeof map->build_id);
	*failed = !map->path;
	return map->path ? map : NULL;
}

/* Hands on all edges that there are by now.  False when out of memory. */
static bool read_edges(struct pf_drain *d, struct pf_drain_section *s)
{
	uint64_t count = read_word(d, s, offsetof(struct pf_wire_header, edges_used));
	struct pf_wire_edge wire;
	bool failed = false;

	for (; s->edges < count && s->edges < d->layout.edges.capacity; s->edges++) {
		struct pf_vec_edge edge = { .process = s->number, .to_map = UINT32_MAX };
		const struct pf_vec_map *from;

		if (!read_at(d, s, &wire, sizeof wire, d->layout.edges.offset + s->edges * sizeof wire) ||
		    wire.kind < PF_EDGE_COND || wire.kind > PF_EDGE_FALL || wire.length > wire.from) {
			give_up(d, s);
			return true;
		}
		from = map_of(d, s, wire.from_map, &failed);
		edge.from_map = from ? wire.from_map : UINT32_MAX;
		edge.kind = (uint8_t)wire.kind;
		edge.start = wire.from - wire.length;
		edge.from = wire.from;
		edge.to = wire.to;
		if (failed || !d->sink.edge(d->sink.context, s->number, &edge, from))
			return false;
	}
	return true;
}

/* --- bursts ------------------------------------------------------------------------------------------------------- */

/* Reads SIZE bytes of the ring from byte FROM of the stream. */
static bool read_ring(const struct pf_drain *d, const struct pf_drain_section *s, uint64_t from, uint64_t size)
{
	uint64_t ring = pf_stream_size(&d->layout), at = from % ring, first = ring - at < size ? ring - at : size;

	return read_at(d, s, d->buffer, first, d->layout.chunks.offset + at) &&
	       (first == size || read_at(d, s, d->buffer + first, size - first, d->layout.chunks.offset));
}

/* False when out of memory. */
static bool hand_on(struct pf_drain *d, struct pf_drain_section *s, const struct pf_wire_burst *wire,
		    const uint32_t *ids)
{
	const void *accesses = (const uint8_t *)ids + pf_wire_burst_size(wire->edge_count) - sizeof *wire;
	struct pf_vec_burst burst = { .process = s->number,
				      .tid = wire->tid,
				      .time = wire->time_ns,
				      .period = wire->period,
				      .repeat = 1,
				      .edge_count = wire->edge_count,
				      .end_reason = (uint8_t)wire->end_reason,
				      .after_wait = wire->after_wait != 0,
				      .edges = ids };
	uint32_t most = 0;

	for (uint32_t i = 0; i < wire->edge_count; i++)
		most = ids[i] > most ? ids[i] : most;
	if (most >= s->edges && !read_edges(d, s))
		return false;
	if (most >= s->edges)
		give_up(d, s);
	if (s->damaged)
		return true;
	if (d->sink.accesses && wire->accesses &&
	    !d->sink.accesses(d->sink.context, s->number, accesses, wire->accesses))
		return false;
	return d->sink.burst(d->sink.context, s->number, &burst);
}

/* Hands on SIZE bytes of the stream, which are in the buffer. */
static bool hand_all_on(struct pf_drain *d, struct pf_drain_section *s, uint64_t size)
{
	uint64_t ring = pf_stream_size(&d->layout), used = 0, end = s->tail + size;

	while (!s->damaged && s->tail + used < end) {
		uint64_t left = size - used, to_wrap = ring - (s->tail + used) % ring;
		struct pf_wire_burst wire = { .edge_count = PF_STREAM_FILLER };

		if (to_wrap >= sizeof wire && left >= sizeof wire)
			memcpy(&wire, d->buffer + used, sizeof wire);
		if (wire.edge_count == PF_STREAM_FILLER) {
			used += to_wrap;
			continue;
		}
		if (pf_wire_stream_size(&wire) > left || wire.edge_count > PF_WIRE_MAX_BRANCHES ||
		    wire.accesses > PF_WIRE_MAX_ACCESSES)
			give_up(d, s);
		else if (!hand_on(d, s, &wire, (const uint32_t *)(const void *)(d->buffer + used + sizeof wire)))
			return false;
		used += pf_wire_stream_size(&wire);
	}
	return true;
}

/* The program may use again what was read. */
static void give_back(const struct pf_drain *d, struct pf_drain_section *s, uint64_t head)
{
	s->tail = head;
	if (pwrite(d->fd, &head, sizeof head, (off_t)(s->offset + offsetof(struct pf_wire_header, stream_tail))) !=
	    (ssize_t)sizeof head)
		s->damaged = true;
}

static bool poll_section(struct pf_drain *d, struct pf_drain_section *s, bool *moved)
{
	uint64_t head = read_word(d, s, offsetof(struct pf_wire_header, stream_head)), size = head - s->tail;
	uint32_t state = 0;

	if (size > pf_stream_size(&d->layout) || size % 8 || (size && !read_ring(d, s, s->tail, size)))
		give_up(d, s);
	if (s->damaged)
		return true;
	if (size == 0) {
		if (!s->ended && d->sink.end &&
		    read_at(d, s, &state, sizeof state, offsetof(struct pf_wire_header, state)) &&
		    state == PF_WIRE_EXITED) {
			s->ended = true;
			d->sink.end(d->sink.context, s->number);
		}
		return true;
	}
	*moved = true;
	if (!hand_all_on(d, s, size))
		return false;
	give_back(d, s, head);
	return true;
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static bool add_section(struct pf_drain *d)
{
	struct pf_drain_section *s = calloc(1, sizeof *s);

	if (!s)
		return false;
	s->number = d->section_count;
	s->offset = d->layout.first + s->number * d->layout.section_size;
	d->sections[d->section_count++] = s;
	return true;
}

/* Whether a process has begun to write S.  That there is a section only the number of the next one says, which may be
 * damaged, and is not worth much memory. */
static bool is_born(const struct pf_drain *d, struct pf_drain_section *s, bool *done)
{
	if (s->born || read_word(d, s, offsetof(struct pf_wire_header, magic)) != PF_WIRE_MAGIC)
		return s->born;
	s->maps = calloc(d->layout.maps.capacity, sizeof *s->maps);
	s->born = s->maps != NULL;
	*done = s->born;
	return s->born;
}

int pf_drain_poll(struct pf_drain *d, bool *moved, struct pf_error *error)
{
	uint64_t count = 0;
	bool done = true;

	*moved = false;
	if (pread(d->fd, &count, sizeof count, offsetof(struct pf_control, next_section)) != (ssize_t)sizeof count)
		count = 0;
	while (done && d->section_count < count && d->section_count < d->layout.sections)
		done = add_section(d);
	for (uint32_t i = 0; done && i < d->section_count; i++) {
		struct pf_drain_section *s = d->sections[i];

		if (is_born(d, s, &done) && !s->damaged)
			done = poll_section(d, s, moved);
	}
	return done ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory while the stream was read");
}
