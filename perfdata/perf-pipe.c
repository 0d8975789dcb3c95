/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf.data as `perf record -o -` streams it: after 16 bytes of header come records only, and what a file has in tables
 * is in records of their own.  The hard case is that they stand anywhere, also behind the samples that need them
 * (build-ids do): the stream is gone through once, and the tables are laid over the places where their parts were
 * found. */
#include "perfdata/perf-reader.h"
#include "support/array.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int bad_record(const struct pf_perf_file *file, uint64_t offset, const char *what, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s: %s at offset %" PRIu64 " is damaged; record it again", file->input.path,
		       what, offset);
}

/* An attr; its ids are behind it. */
static int add_attr(struct pf_perf_file *file, struct pf_cursor *c, struct pf_error *error)
{
	size_t room = pf_cursor_left(c), at = c->at;
	const uint8_t *bytes = pf_cursor_bytes(c, room);
	struct pf_perf_attr *new;
	uint32_t own = 0;

	if (room >= PF_PERF_ATTR_MIN)
		memcpy(&own, bytes + offsetof(struct perf_event_attr, size), sizeof own);
	if (own < PF_PERF_ATTR_MIN || own > room || (room - own) % 8 || file->attr_count == PF_PERF_MAX_ATTRS)
		return bad_record(file, c->origin, "the event attribute", error);
	if (!pf_array_reserve(&file->attrs, file->attr_count, &file->attr_room, 1, sizeof *file->attrs))
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
	new = &file->attrs[file->attr_count++];
	*new = (struct pf_perf_attr) { .ids = { c->origin + at + own, room - own } };
	memcpy(&new->attr, bytes, own < sizeof new->attr ? own : sizeof new->attr);
	return PF_OK;
}

/* What follows the number of a feature is as in a file. */
static int add_feature(struct pf_perf_file *file, struct pf_cursor *c, struct pf_error *error)
{
	uint64_t feature = pf_cursor_u64(c);

	if (c->failed)
		return bad_record(file, c->origin, "the feature", error);
	/* The end of the features has a number as well. */
	if (feature >= PF_PERF_FEATURE_BITS || feature == PF_FEATURE_BUILD_ID)
		return PF_OK;
	file->feature_bits[feature / 64] |= 1ull << (feature % 64);
	file->features[feature] = (struct pf_perf_section) { c->origin + c->at, pf_cursor_left(c) };
	return PF_OK;
}

static int add_record(struct pf_perf_file *file, const uint8_t *record, size_t size, uint64_t offset,
		      struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(record, size, offset);
	uint32_t type = pf_cursor_u32(&c);

	pf_cursor_u32(&c);
	switch (type) {
	case PF_RECORD_HEADER_ATTR:
		return add_attr(file, &c, error);
	case PF_RECORD_HEADER_FEATURE:
		return add_feature(file, &c, error);
	case PF_RECORD_HEADER_BUILD_ID:
		pf_buffer_bytes(&file->pipe_build_ids, record, size);
		return file->pipe_build_ids.failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path)
						   : PF_OK;
	default:
		return PF_OK;
	}
}

int pf_perf_read_pipe(struct pf_perf_file *file, struct pf_error *error)
{
	const uint8_t *record;
	int status = PF_OK, size;

	file->next = file->data.offset;
	for (;;) {
		uint64_t offset = file->next;

		size = pf_perf_step(file, &record, error);
		if (size > 0)
			status = add_record(file, record, (size_t)size, offset, error);
		if (size <= 0 || status < 0)
			break;
	}
	if (size < 0 || status < 0)
		return size < 0 ? size : status;
	if (file->attr_count == 0)
		return pf_fail(
		    error, PF_ETRUNCATED,
		    "%s: the stream of perf record has no event attribute; it was cut short, record it again",
		    file->input.path);
	return PF_OK;
}
