/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branch vectors to the compact section (doc/vectors-format.md).
 *
 * Idea: what follows an edge is nearly always what followed it the last time, so a burst is written as hits (one zero
 * byte each) and misses, and zstd turns the runs of zeroes into next to nothing.  Hard case: what is written must be
 * readable, so every index is checked here by the rules that the reader checks it by. */
#include "perfdata/vectors-codec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Fast enough for a recorder's end, and within a few percent of what higher levels reach on these data. */
enum { LEVEL = 3 };

struct encoder {
	const struct pf_vectors *vectors;
	struct pf_buffer *to;
	struct pf_buffer items; /* of the open chunk */
	struct pf_buffer edges; /* of its bursts, behind the items */
	uint32_t tag, item_count;
	struct pf_vectors_guess guess;
	struct pf_error *error;
	int status;
};

static void end_chunk(struct encoder *e)
{
	size_t bound, size, at;
	uint8_t *room;

	pf_buffer_bytes(&e->items, e->edges.data, e->edges.size);
	if (e->items.failed || e->edges.failed)
		e->to->failed = true;
	if (e->item_count == 0 || e->to->failed)
		return;
	bound = ZSTD_compressBound(e->items.size);
	room = malloc(bound);
	size = room ? ZSTD_compress(room, bound, e->items.data, e->items.size, LEVEL) : 0;
	if (!room || ZSTD_isError(size))
		e->to->failed = true;
	at = size < e->items.size ? size : e->items.size;
	pf_buffer_u32(e->to, e->tag);
	pf_buffer_u32(e->to, e->item_count);
	pf_buffer_u32(e->to, (uint32_t)e->items.size);
	pf_buffer_u32(e->to, (uint32_t)at);
	pf_buffer_bytes(e->to, size < e->items.size ? room : e->items.data, at);
	free(room);
	e->items.size = e->edges.size = 0;
	e->item_count = 0;
}

/* Closes the chunk when it is large enough. */
static void end_item(struct encoder *e)
{
	e->item_count++;
	if (e->items.size + e->edges.size >= PF_VECTORS_CHUNK_TARGET)
		end_chunk(e);
}

static void start_table(struct encoder *e, uint32_t tag)
{
	end_chunk(e);
	e->tag = tag;
}

static bool refuse(struct encoder *e, const char *what, uint64_t index)
{
	e->status = pf_fail(e->error, PF_EINVAL, "branch vectors: %s %" PRIu64 " names something that is not there",
			    what, index);
	return false;
}

static void encode_processes(struct encoder *e)
{
	start_table(e, PF_VECTORS_PROCESSES);
	for (uint32_t i = 0; i < e->vectors->process_count; i++) {
		const struct pf_vec_process *p = &e->vectors->processes[i];

		pf_buffer_uleb(&e->items, p->pid);
		pf_buffer_uleb(&e->items, p->ppid);
		pf_buffer_string(&e->items, p->comm ? p->comm : "");
		pf_buffer_string(&e->items, p->exe ? p->exe : "");
		end_item(e);
	}
}

static bool encode_maps(struct encoder *e)
{
	start_table(e, PF_VECTORS_MAPS);
	for (uint32_t i = 0; i < e->vectors->map_count; i++) {
		const struct pf_vec_map *m = &e->vectors->maps[i];

		if (m->process >= e->vectors->process_count || m->start >= m->end ||
		    m->build_id_size > sizeof m->build_id)
			return refuse(e, "mapping", i);
		pf_buffer_uleb(&e->items, m->process);
		pf_buffer_uleb(&e->items, m->start);
		pf_buffer_uleb(&e->items, m->end - m->start);
		pf_buffer_uleb(&e->items, m->offset);
		pf_buffer_uleb(&e->items, m->time);
		pf_buffer_u8(&e->items, m->build_id_size);
		pf_buffer_bytes(&e->items, m->build_id, m->build_id_size);
		pf_buffer_string(&e->items, m->path ? m->path : "");
		end_item(e);
	}
	return true;
}

static bool edge_is_sound(const struct pf_vectors *v, const struct pf_vec_edge *edge)
{
	return edge->process < v->process_count && (edge->from_map < v->map_count || edge->from_map == UINT32_MAX) &&
	       (edge->to_map < v->map_count || edge->to_map == UINT32_MAX) && edge->kind >= PF_EDGE_COND &&
	       edge->kind <= PF_EDGE_FALL && edge->start <= edge->from;
}

/* A map's number plus one, so that 0 says none. */
static uint32_t map_number(uint32_t map)
{
	return map + 1;
}

static bool encode_edges(struct encoder *e)
{
	struct pf_vec_edge before = { .from_map = UINT32_MAX };

	start_table(e, PF_VECTORS_EDGES);
	for (uint32_t i = 0; i < e->vectors->edge_count; i++) {
		const struct pf_vec_edge *edge = &e->vectors->edges[i];

		if (!edge_is_sound(e->vectors, edge))
			return refuse(e, "edge", i);
		pf_buffer_u8(&e->items, edge->kind);
		pf_buffer_sleb(&e->items, (int64_t)edge->process - before.process);
		pf_buffer_sleb(&e->items, (int64_t)map_number(edge->from_map) - map_number(before.from_map));
		pf_buffer_sleb(&e->items, (int64_t)map_number(edge->to_map) - map_number(edge->from_map));
		pf_buffer_sleb(&e->items, (int64_t)(edge->start - before.to));
		pf_buffer_uleb(&e->items, edge->from - edge->start);
		pf_buffer_sleb(&e->items, (int64_t)(edge->to - edge->from));
		before = *edge;
		end_item(e);
	}
	return true;
}

/* An edge as the guess was right (0) or as its number plus one. */
static bool encode_path(struct encoder *e, const struct pf_vec_burst *burst)
{
	for (uint32_t i = 0; i < burst->edge_count; i++) {
		uint32_t edge = burst->edges[i];

		if (edge >= e->vectors->edge_count)
			return false;
		pf_buffer_uleb(&e->edges, edge == pf_vectors_expect(&e->guess) ? 0 : (uint64_t)edge + 1);
		pf_vectors_saw(&e->guess, edge);
	}
	return true;
}

static bool encode_bursts(struct encoder *e)
{
	struct pf_vec_burst before = { 0 };

	start_table(e, PF_VECTORS_BURSTS);
	for (uint64_t i = 0; i < e->vectors->burst_count; i++) {
		const struct pf_vec_burst *burst = &e->vectors->bursts[i];

		pf_buffer_sleb(&e->items, (int64_t)burst->process - before.process);
		pf_buffer_sleb(&e->items, (int64_t)burst->tid - before.tid);
		pf_buffer_sleb(&e->items, (int64_t)(burst->time - before.time));
		pf_buffer_uleb(&e->items, burst->period);
		pf_buffer_uleb(&e->items, burst->elapsed);
		pf_buffer_uleb(&e->items, burst->repeat);
		pf_buffer_uleb(&e->items, burst->end_reason | (burst->after_wait ? PF_VECTORS_AFTER_WAIT : 0));
		pf_buffer_uleb(&e->items, burst->edge_count);
		if (burst->process >= e->vectors->process_count || !encode_path(e, burst))
			return refuse(e, "burst", i);
		if (e->items.size + e->edges.size > PF_VECTORS_CHUNK_LIMIT) {
			e->status = pf_fail(e->error, PF_ELIMIT,
					    "branch vectors: burst %" PRIu64 " of %" PRIu32
					    " branches is longer than the format allows; record shorter bursts",
					    i, burst->edge_count);
			return false;
		}
		before = *burst;
		end_item(e);
	}
	return true;
}

static bool encode_counts(struct encoder *e)
{
	uint32_t before = 0;

	start_table(e, PF_VECTORS_COUNTS);
	for (uint64_t i = 0; i < e->vectors->count_count; i++) {
		const struct pf_vec_count *count = &e->vectors->counts[i];

		if (count->edge >= e->vectors->edge_count)
			return refuse(e, "count", i);
		pf_buffer_sleb(&e->items, (int64_t)count->edge - before);
		pf_buffer_uleb(&e->items, count->count);
		before = count->edge;
		end_item(e);
	}
	end_chunk(e);
	return true;
}

static bool encode_timings(struct encoder *e)
{
	start_table(e, PF_VECTORS_TIMINGS);
	for (uint32_t i = 0; i < e->vectors->timing_count; i++) {
		const struct pf_vec_timing *t = &e->vectors->timings[i];
		uint32_t before = 0;

		pf_buffer_uleb(&e->items, t->elapsed);
		pf_buffer_uleb(&e->items, t->share_count);
		for (uint32_t k = 0; k < t->share_count; k++) {
			const struct pf_vec_share *s = &t->shares[k];

			if (s->edge >= e->vectors->edge_count || s->count == 0 || (k > 0 && s->edge <= before))
				return refuse(e, "timing", i);
			pf_buffer_uleb(&e->items, s->edge - before);
			pf_buffer_uleb(&e->items, s->count);
			before = s->edge;
		}
		end_item(e);
	}
	end_chunk(e);
	return true;
}

static bool encode_values(struct encoder *e)
{
	struct pf_vec_value before = { 0 };

	start_table(e, PF_VECTORS_VALUES);
	for (uint64_t i = 0; i < e->vectors->value_count; i++) {
		const struct pf_vec_value *value = &e->vectors->values[i];

		if (value->map >= e->vectors->map_count || value->kind == 0 || value->kind >= PF_VEC_KINDS ||
		    value->part >= PF_VEC_PARTS)
			return refuse(e, "value", i);
		pf_buffer_sleb(&e->items, (int64_t)value->map - before.map);
		pf_buffer_sleb(&e->items, (int64_t)(value->address - before.address));
		pf_buffer_u8(&e->items, value->kind);
		pf_buffer_u8(&e->items, value->part);
		pf_buffer_sleb(&e->items, value->value);
		pf_buffer_uleb(&e->items, value->count);
		before = *value;
		end_item(e);
	}
	end_chunk(e);
	return true;
}

static void encode_header(const struct pf_vectors *v, struct pf_buffer *to)
{
	uint64_t ids = 0;

	for (uint64_t i = 0; i < v->burst_count; i++)
		ids += v->bursts[i].edge_count;
	pf_buffer_bytes(to, PF_VECTORS_MAGIC, 8);
	pf_buffer_u32(to, PF_VECTORS_VERSION);
	pf_buffer_u32(to, PF_VECTORS_HEADER_SIZE);
	pf_buffer_u64(to, 0); /* the section's size, patched when it is known */
	pf_buffer_u32(to, v->process_count);
	pf_buffer_u32(to, v->map_count);
	pf_buffer_u32(to, v->edge_count);
	pf_buffer_u32(to, v->nominal_length);
	pf_buffer_u32(to, v->frequency);
	pf_buffer_u32(to, v->timing_count);
	pf_buffer_u64(to, v->burst_count);
	pf_buffer_u64(to, ids);
	pf_buffer_u64(to, v->count_count);
	pf_buffer_u64(to, v->cpu_ns);
	pf_buffer_u64(to, v->cost_ns);
	pf_buffer_u64(to, v->value_count);
}

static void encode_tables(struct encoder *e)
{
	encode_processes(e);
	if (encode_maps(e) && encode_edges(e) && encode_bursts(e))
		encode_counts(e);
	if (e->status == PF_OK && encode_timings(e))
		encode_values(e);
}

int pf_vectors_encode(const struct pf_vectors *vectors, struct pf_buffer *to, struct pf_error *error)
{
	struct encoder e = { .vectors = vectors, .to = to, .error = error };
	size_t start = to->size;

	if (!pf_vectors_guess_init(&e.guess, vectors->edge_count))
		return pf_fail(error, PF_ENOMEM, "no memory to encode branch vectors");
	encode_header(vectors, to);
	encode_tables(&e);
	pf_buffer_fini(&e.items);
	pf_buffer_fini(&e.edges);
	free(e.guess.after);
	if (e.status < 0)
		return e.status;
	pf_buffer_patch_u64(to, start + 16, to->size - start + 4);
	pf_buffer_u32(to, to->failed ? 0 : (uint32_t)crc32_z(0, to->data + start, to->size - start));
	return to->failed ? pf_fail(error, PF_ENOMEM, "no memory to encode branch vectors") : PF_OK;
}
