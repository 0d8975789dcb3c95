/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function as the bytes of a .pfdo record (doc/pfdo-format, "Function records").  Hard case: paths, which are
 * most of a large profile's bytes and which most compiles never look at: they go into a chunk of their own, each
 * function's deflated by itself so that one function's can be read without the others'. */
#include "profile/arena.h"
#include "profile/pfdo-format.h"

#include <stdlib.h>
#include <zlib.h>

static void put_string(struct pf_buffer *out, const char *interned)
{
	pf_buffer_uleb(out, *pf_arena_mark(interned) - 1);
}

static void put_position(struct pf_buffer *out, const struct pf_position *position)
{
	pf_buffer_sleb(out, position->line);
	pf_buffer_uleb(out, position->column);
	pf_buffer_uleb(out, position->discriminator);
}

static void put_place(struct pf_buffer *out, const struct pf_place *place)
{
	pf_buffer_uleb(out, place->node);
	put_position(out, &place->position);
}

static void put_nodes(struct pf_buffer *out, const struct pf_function *function)
{
	pf_buffer_uleb(out, function->nodes[0].entries);
	for (uint32_t n = 1; n < function->node_count; n++) {
		const struct pf_node *node = &function->nodes[n];

		pf_buffer_uleb(out, n - node->parent);
		put_position(out, &node->site);
		put_string(out, node->name);
		put_string(out, node->file);
		pf_buffer_uleb(out, node->line);
		pf_buffer_uleb(out, node->entries);
	}
}

static void put_record(struct pf_buffer *out, const struct pf_record *record, uint32_t previous_node)
{
	pf_buffer_uleb(out, record->place.node - previous_node);
	put_position(out, &record->place.position);
	pf_buffer_uleb(out, record->count);
	pf_buffer_uleb(out, record->max);
	pf_buffer_uleb(out, record->instructions);
	pf_buffer_uleb(out, record->target_count);
	pf_buffer_uleb(out, record->outcome_count);
	for (uint32_t t = 0; t < record->target_count; t++) {
		put_string(out, record->targets[t].name);
		pf_buffer_uleb(out, record->targets[t].count);
	}
	for (uint32_t o = 0; o < record->outcome_count; o++) {
		put_place(out, &record->outcomes[o].to);
		pf_buffer_u8(out, record->outcomes[o].taken);
		pf_buffer_uleb(out, record->outcomes[o].count);
	}
}

static void put_raw_paths(struct pf_buffer *raw, const struct pf_function *function)
{
	for (uint32_t p = 0; p < function->path_count && raw->size <= PF_PFDO_MAX_PATH_BYTES; p++) {
		const struct pf_path *path = &function->paths[p];

		pf_buffer_uleb(raw, path->count);
		pf_buffer_uleb(raw, path->place_count);
		for (uint32_t i = 0; i < path->place_count; i++)
			put_place(raw, &path->places[i]);
	}
}

/* Appends RAW deflated to the payload of a frame. */
static int deflate_paths(const struct pf_function *function, const struct pf_buffer *raw, struct pf_buffer *payload,
			 struct pf_error *error)
{
	uLongf size = compressBound(raw->size);
	uint8_t *deflated = malloc(size);
	int status = PF_OK;

	pf_buffer_u32(payload, (uint32_t)raw->size);
	if (!deflated || compress2(deflated, &size, raw->data, raw->size, Z_DEFAULT_COMPRESSION) != Z_OK)
		status = pf_fail(error, PF_ENOMEM, "out of memory for the paths of function %s", function->name);
	else
		pf_buffer_bytes(payload, deflated, size);
	free(deflated);
	return status;
}

/* A few paths are stored as they are: setting zlib up would take longer than all else about the function. */
static int append_paths(const struct pf_function *function, const struct pf_buffer *raw, struct pf_buffer *paths,
			struct pf_error *error)
{
	struct pf_buffer payload = { 0 };
	int status = PF_OK;

	if (raw->size < PF_PFDO_DEFLATE_FROM) {
		pf_buffer_u32(&payload, 0);
		pf_buffer_bytes(&payload, raw->data, raw->size);
	} else {
		status = deflate_paths(function, raw, &payload, error);
	}
	paths->failed |= payload.failed;
	if (status == PF_OK)
		pf_pfdo_append_frame(paths, payload.data, payload.size);
	pf_buffer_fini(&payload);
	return status;
}

static int encode_paths(const struct pf_function *function, struct pf_buffer *out, struct pf_buffer *paths,
			struct pf_error *error)
{
	struct pf_buffer raw = { 0 };
	int status;

	put_raw_paths(&raw, function);
	if (raw.failed)
		status = pf_fail(error, PF_ENOMEM, "out of memory for the paths of function %s", function->name);
	else if (raw.size > PF_PFDO_MAX_PATH_BYTES)
		status = pf_fail(error, PF_ELIMIT,
				 "function %s: its paths need more than the %u MiB that a profile file holds for one "
				 "function; keep fewer paths",
				 function->name, PF_PFDO_MAX_PATH_BYTES >> 20);
	else {
		pf_buffer_uleb(out, paths->size);
		status = append_paths(function, &raw, paths, error);
	}
	pf_buffer_fini(&raw);
	return status;
}

void pf_pfdo_append_frame(struct pf_buffer *out, const void *bytes, size_t size)
{
	/* A frame is a function's record: far below 4 GiB, and the readers check the CRC. */
	pf_buffer_u32(out, (uint32_t)size);
	pf_buffer_u32(out, (uint32_t)crc32_z(0, bytes, size));
	pf_buffer_bytes(out, bytes, size);
}

int pf_pfdo_encode_function(const struct pf_function *function, struct pf_buffer *out, struct pf_buffer *paths,
			    struct pf_error *error)
{
	uint32_t previous_node = 0;

	put_string(out, function->name);
	put_string(out, function->file);
	pf_buffer_uleb(out, function->line);
	pf_buffer_uleb(out, function->head);
	pf_buffer_uleb(out, function->total);
	pf_buffer_uleb(out, function->dropped_paths);
	pf_buffer_uleb(out, function->dropped_path_count);
	pf_buffer_uleb(out, function->node_count);
	pf_buffer_uleb(out, function->record_count);
	pf_buffer_uleb(out, function->path_count);
	put_nodes(out, function);
	for (uint32_t r = 0; r < function->record_count; r++) {
		put_record(out, &function->records[r], previous_node);
		previous_node = function->records[r].place.node;
	}
	return function->path_count ? encode_paths(function, out, paths, error) : PF_OK;
}
