/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function from the bytes of a .pfdo record: the mirror of pfdo-encode.c.  Hard case: a record with a good CRC
 * made by someone hostile.  No count is believed before that many elements can be in the bytes that are left, and no
 * index before it is compared with what it refers to. */
#include "profile/saturate.h"
#include "profile/pfdo-file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The fewest bytes that one of them takes. */
#define NODE_BYTES 8
#define RECORD_BYTES 9
#define TARGET_BYTES 2
#define OUTCOME_BYTES 6
#define PATH_BYTES 6
#define PLACE_BYTES 4

struct decoder {
	const struct pf_pfdo_source *source;
	struct pf_cursor *c;
	struct pf_profile *profile;
	struct pf_error *error;
	int status; /* of what failed first; PF_OK until then */
	uint32_t node_count;
};

static void fail(struct decoder *d, const char *what)
{
	if (d->status == PF_OK)
		d->status = pf_pfdo_damaged(d->source->path, pf_cursor_offset(d->c), what, d->error);
	d->c->failed = true;
}

static uint32_t get_u32(struct decoder *d)
{
	uint64_t value = pf_cursor_uleb(d->c);

	if (value > UINT32_MAX)
		fail(d, "a number is larger than its field");
	return (uint32_t)value;
}

/* A number of elements that take at least SIZE bytes each. */
static uint32_t get_count(struct decoder *d, size_t size)
{
	uint64_t count = pf_cursor_uleb(d->c);

	if (count > pf_cursor_left(d->c) / size) {
		fail(d, "more elements than the record has bytes for");
		return 0;
	}
	return (uint32_t)count;
}

static const char *get_string(struct decoder *d)
{
	uint64_t offset = pf_cursor_uleb(d->c);
	const char *string, *own;

	if (d->c->failed)
		return "";
	string = d->source->string(d->source->closure, offset, d->error);
	if (!string) {
		d->status = d->status == PF_OK ? PF_EFORMAT : d->status;
		d->c->failed = true;
		return "";
	}
	own = pf_profile_intern(d->profile, string);
	if (!own) {
		d->status = pf_fail(d->error, PF_ENOMEM, "%s: out of memory", d->source->path);
		d->c->failed = true;
		return "";
	}
	return own;
}

static void *get_memory(struct decoder *d, uint32_t count, size_t size)
{
	void *memory = pf_profile_reserve(d->profile, (size_t)count * size);

	if (!memory && d->status == PF_OK) {
		d->status =
		    pf_fail(d->error, PF_ENOMEM,
			    "%s: out of memory (a profile may take half of this machine's); read it on a larger "
			    "one, or make it anew if it should be small",
			    d->source->path);
		d->c->failed = true;
	}
	return memory;
}

static struct pf_position get_position(struct decoder *d)
{
	int64_t line = pf_cursor_sleb(d->c);
	struct pf_position position = { .line = (int32_t)line };

	if (line < INT32_MIN || line > INT32_MAX)
		fail(d, "a line is out of range");
	position.column = get_u32(d);
	position.discriminator = get_u32(d);
	return position;
}

static struct pf_place get_place(struct decoder *d)
{
	struct pf_place place = { .node = get_u32(d) };

	if (place.node >= d->node_count)
		fail(d, "a position in an inlined instance that does not exist");
	place.position = get_position(d);
	return place;
}

static void get_node(struct decoder *d, struct pf_node *nodes, uint16_t *depth, uint32_t n)
{
	uint32_t distance = get_u32(d);

	if (distance == 0 || distance > n) {
		fail(d, "an inlined instance whose parent does not come before it");
		return;
	}
	nodes[n].parent = n - distance;
	if (depth[nodes[n].parent] == PF_MAX_INLINE_DEPTH)
		fail(d, "inlined deeper than a profile can say");
	depth[n] = depth[nodes[n].parent] + 1;
	nodes[n].site = get_position(d);
	nodes[n].name = get_string(d);
	nodes[n].file = get_string(d);
	nodes[n].line = get_u32(d);
	nodes[n].entries = pf_cursor_uleb(d->c);
}

static void get_nodes(struct decoder *d, struct pf_function *function)
{
	struct pf_node *nodes = get_memory(d, function->node_count, sizeof *nodes);
	uint16_t *depth = get_memory(d, function->node_count, sizeof *depth);

	if (d->c->failed)
		return;
	function->nodes = nodes;
	nodes[0] = (struct pf_node) { .name = function->name, .file = function->file, .line = function->line };
	nodes[0].entries = pf_cursor_uleb(d->c);
	for (uint32_t n = 1; n < function->node_count && !d->c->failed; n++)
		get_node(d, nodes, depth, n);
}

static void get_targets(struct decoder *d, struct pf_record *record)
{
	record->targets = get_memory(d, record->target_count, sizeof *record->targets);
	for (uint32_t t = 0; t < record->target_count && !d->c->failed; t++) {
		record->targets[t].name = get_string(d);
		record->targets[t].count = pf_cursor_uleb(d->c);
	}
}

static void get_outcomes(struct decoder *d, struct pf_record *record)
{
	record->outcomes = get_memory(d, record->outcome_count, sizeof *record->outcomes);
	for (uint32_t o = 0; o < record->outcome_count && !d->c->failed; o++) {
		uint8_t taken;

		record->outcomes[o].to = get_place(d);
		taken = pf_cursor_u8(d->c);
		if (taken > 1)
			fail(d, "a branch that was neither taken nor not taken");
		record->outcomes[o].taken = taken;
		record->outcomes[o].sense = PF_SENSE_NONE;
		record->outcomes[o].count = pf_cursor_uleb(d->c);
	}
}

static void get_record(struct decoder *d, struct pf_record *record, const struct pf_record *previous)
{
	uint64_t node = pf_cursor_uleb(d->c);
	uint32_t base = previous ? previous->place.node : 0;

	if (node >= d->node_count - base) {
		fail(d, "a record in an inlined instance that does not exist");
		return;
	}
	record->place.node = base + (uint32_t)node;
	record->place.position = get_position(d);
	if (previous && pf_place_compare(&previous->place, &record->place) >= 0)
		fail(d, "records out of order");
	record->count = pf_cursor_uleb(d->c);
	record->max = pf_cursor_uleb(d->c);
	record->instructions = get_u32(d);
	record->target_count = get_count(d, TARGET_BYTES);
	record->outcome_count = get_count(d, OUTCOME_BYTES);
	if (record->target_count && !d->c->failed)
		get_targets(d, record);
	if (record->outcome_count && !d->c->failed)
		get_outcomes(d, record);
}

static void get_records(struct decoder *d, struct pf_function *function)
{
	uint64_t sum = 0;

	function->records = get_memory(d, function->record_count, sizeof *function->records);
	for (uint32_t r = 0; r < function->record_count && !d->c->failed; r++) {
		get_record(d, &function->records[r], r ? &function->records[r - 1] : NULL);
		sum = pf_count_add(sum, function->records[r].count);
	}
	if (!d->c->failed && sum != function->total)
		fail(d, "a total that is not the sum of the counts");
}

static void get_paths(struct decoder *d, struct pf_function *function)
{
	if (function->path_count > d->c->size / PATH_BYTES) {
		fail(d, "more paths than there are bytes for");
		return;
	}
	function->paths = get_memory(d, function->path_count, sizeof *function->paths);
	for (uint32_t p = 0; p < function->path_count && !d->c->failed; p++) {
		struct pf_path *path = &function->paths[p];

		path->count = pf_cursor_uleb(d->c);
		path->place_count = get_count(d, PLACE_BYTES);
		if (!path->place_count)
			fail(d, "a path without positions");
		path->places = get_memory(d, path->place_count, sizeof *path->places);
		for (uint32_t i = 0; i < path->place_count && !d->c->failed; i++)
			path->places[i] = get_place(d);
	}
	if (!d->c->failed && pf_cursor_left(d->c))
		fail(d, "bytes behind the last path");
}

/* Inflates the rest of FRAME to SIZE bytes of memory, which is the caller's; NULL when that fails. */
static uint8_t *inflate_paths(struct decoder *d, const struct pf_cursor *frame, uint32_t size)
{
	size_t deflated = pf_cursor_left(frame);
	uLongf got = size;
	uint8_t *bytes;

	/* Deflate packs at most 1,032 to one, so a larger claim is a lie, and is not allocated. */
	if (size > PF_PFDO_MAX_PATH_BYTES || size / 1032 > deflated) {
		fail(d, "paths of an impossible size");
		return NULL;
	}
	bytes = malloc(size);
	if (!bytes) {
		d->status = pf_fail(d->error, PF_ENOMEM, "%s: out of memory", d->source->path);
		return NULL;
	}
	if (uncompress(bytes, &got, frame->base + frame->at, deflated) != Z_OK || got != size) {
		fail(d, "paths that do not inflate");
		free(bytes);
		return NULL;
	}
	return bytes;
}

static void get_path_frame(struct decoder *d, struct pf_function *function)
{
	uint64_t offset = pf_cursor_uleb(d->c);
	struct pf_cursor frame, *record = d->c;
	uint8_t *bytes = NULL;
	uint32_t size;

	if (record->failed)
		return;
	d->status = d->source->paths(d->source->closure, offset, &frame, d->error);
	if (d->status < 0)
		return;
	d->c = &frame;
	size = pf_cursor_u32(&frame);
	if (size) {
		bytes = inflate_paths(d, &frame, size);
		frame = pf_cursor_over(bytes, bytes ? size : 0, pf_cursor_offset(&frame));
	}
	if (d->status == PF_OK)
		get_paths(d, function);
	if (frame.failed)
		fail(d, "paths end too early");
	d->c = record;
	free(bytes);
}

static void get_function(struct decoder *d, struct pf_function *function)
{
	function->name = get_string(d);
	function->file = get_string(d);
	function->line = get_u32(d);
	function->head = pf_cursor_uleb(d->c);
	function->total = pf_cursor_uleb(d->c);
	function->dropped_paths = pf_cursor_uleb(d->c);
	function->dropped_path_count = pf_cursor_uleb(d->c);
	/* Node 0 takes one byte. */
	function->node_count = d->node_count = get_count(d, 1);
	if (!d->c->failed && (!d->node_count || (d->node_count - 1) > pf_cursor_left(d->c) / NODE_BYTES))
		fail(d, "more inlined instances than the record has bytes for");
	function->record_count = get_count(d, RECORD_BYTES);
	function->path_count = get_u32(d);
	get_nodes(d, function);
	if (!d->c->failed)
		get_records(d, function);
	if (!d->c->failed && function->path_count)
		get_path_frame(d, function);
	if (!d->c->failed && d->status == PF_OK && pf_cursor_left(d->c))
		fail(d, "bytes behind the end of the function");
	if (d->c->failed)
		fail(d, "a function's record ends too early");
}

int pf_pfdo_decode_function(const struct pf_pfdo_source *source, struct pf_cursor *c, struct pf_profile *profile,
			    struct pf_error *error)
{
	struct decoder d = { .source = source, .c = c, .profile = profile, .error = error };
	struct pf_function function = { 0 }, *added;

	get_function(&d, &function);
	if (d.status < 0)
		return d.status;
	added = pf_profile_add_function(profile);
	if (!added)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", source->path);
	*added = function;
	return PF_OK;
}
