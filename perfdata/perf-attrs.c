/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a perf.data file: their attrs, their names, and the ids by which records say whose they are.
 *
 * Hard case: an attr may be shorter or longer than ours, and `perf inject` of some years wrote attrs of today's size
 * that still name their old one: so the header's attr size says where the next attr and the ids are, and the attr's own
 * size only how much of it counts.  What is missing reads as zero. */
#include "perfdata/perf-reader.h"
#include "support/search.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTR_SIZE = 1 << 16 };

/* One attr and the place of its ids, in a window of the header's attr size.  Returns whether both make sense. */
static bool get_attr(const struct pf_perf_file *file, struct pf_cursor *c, struct pf_perf_attr *to)
{
	size_t room = c->size - PF_PERF_SECTION_SIZE;
	const uint8_t *bytes = pf_cursor_bytes(c, room);
	uint32_t own;
	size_t known;

	to->ids = pf_perf_get_section(c);
	memcpy(&own, bytes + offsetof(struct perf_event_attr, size), sizeof own);
	if (own == 0) /* the first perf wrote that */
		own = PF_PERF_ATTR_MIN;
	known = own < room ? own : room;
	memcpy(&to->attr, bytes, known < sizeof to->attr ? known : sizeof to->attr);
	to->attr.size = own;
	return own >= PF_PERF_ATTR_MIN && to->ids.size % 8 == 0 && (to->ids.size == 0 || pf_perf_fits(file, to->ids));
}

static int parse_attrs(struct pf_perf_file *file, const uint8_t *bytes, struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(bytes, file->attrs_section.size, file->attrs_section.offset);

	for (uint32_t i = 0; i < file->attr_count; i++) {
		struct pf_cursor one = pf_cursor_sub(&c, file->attr_size);

		if (!get_attr(file, &one, &file->attrs[i]))
			return pf_fail(error, PF_EFORMAT,
				       "%s: the event attribute at offset %" PRIu64
				       " has an impossible size or its table of ids lies outside the file: the file is "
				       "damaged; record it again",
				       file->input.path, one.origin);
	}
	return PF_OK;
}

int pf_perf_read_attrs(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t stride = file->attr_size;
	uint64_t size = file->attrs_section.size;
	uint8_t *bytes;
	int status;

	if (stride < PF_PERF_ATTR_MIN + PF_PERF_SECTION_SIZE || stride > MAX_ATTR_SIZE || stride % 8 || size < stride ||
	    size / stride > PF_PERF_MAX_ATTRS)
		return pf_fail(error, PF_EFORMAT,
			       "%s: the header names event attributes of %" PRIu64 " bytes in a section of %" PRIu64
			       ": the file is damaged",
			       file->input.path, stride, size);
	file->attr_count = (uint32_t)(size / stride);
	status = pf_input_load(&file->input, file->attrs_section.offset, size, "the section of event attributes",
			       &bytes, error);
	if (status < 0)
		return status;
	file->attrs = calloc(file->attr_count, sizeof *file->attrs);
	status = file->attrs ? parse_attrs(file, bytes, error)
			     : pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
	free(bytes);
	return status;
}

static int compare_ids(const void *a, const void *b)
{
	const struct pf_perf_id *x = a, *y = b;

	return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->attr > y->attr) - (x->attr < y->attr);
}

static int append_ids(struct pf_perf_file *file, uint32_t attr, struct pf_error *error)
{
	struct pf_perf_section section = file->attrs[attr].ids;
	struct pf_cursor c;
	uint8_t *bytes;
	int status;

	if (section.size == 0)
		return PF_OK;
	status = pf_input_load(&file->input, section.offset, section.size, "a table of event ids", &bytes, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes, section.size, section.offset);
	while (pf_cursor_left(&c) >= 8)
		file->ids[file->id_count++] = (struct pf_perf_id) { .id = pf_cursor_u64(&c), .attr = attr };
	free(bytes);
	return PF_OK;
}

static int collect_ids(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t total = 0;
	int status = PF_OK;

	if (file->attr_count == 1)
		return PF_OK;
	for (uint32_t i = 0; i < file->attr_count; i++)
		total += file->attrs[i].ids.size / 8;
	if (total > file->input.size / 8)
		return pf_fail(error, PF_EFORMAT, "%s: the tables of event ids overlap: the file is damaged",
			       file->input.path);
	file->ids = calloc(total ? total : 1, sizeof *file->ids);
	if (!file->ids)
		return pf_fail(error, PF_ENOMEM, "%s: no memory for %" PRIu64 " event ids", file->input.path, total);
	for (uint32_t i = 0; status == PF_OK && i < file->attr_count; i++)
		status = append_ids(file, i, error);
	qsort(file->ids, file->id_count, sizeof *file->ids, compare_ids);
	return status;
}

int64_t pf_perf_find_id(const struct pf_perf_file *file, uint64_t id)
{
	struct pf_search search = pf_search_over(file->id_count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, file->ids[search.middle].id < id);
	return search.low < file->id_count && file->ids[search.low].id == id ? (int64_t)file->ids[search.low].attr : -1;
}

/* Bytes from the start of a sample's body to its id, or -1. */
static int sample_id_position(uint64_t type)
{
	static const uint64_t before[] = { PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR };
	int at = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		at += type & before[i] ? 8 : 0;
	return at;
}

/* Bytes from the id to the end of any other record, or -1. */
static int other_id_position(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return 8 + (type & PERF_SAMPLE_STREAM_ID ? 8 : 0) + (type & PERF_SAMPLE_CPU ? 8 : 0);
}

/* The id must be found before it is known whose layout the record has, so it must be at one place for all. */
static int place_ids(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t type = file->attrs[0].attr.sample_type;

	file->sample_id_at = file->other_id_at = -1;
	if (file->attr_count == 1)
		return PF_OK;
	file->sample_id_at = sample_id_position(type);
	file->other_id_at = other_id_position(type);
	for (uint32_t i = 0; i < file->attr_count; i++) {
		type = file->attrs[i].attr.sample_type;
		if (sample_id_position(type) < 0 || sample_id_position(type) != file->sample_id_at ||
		    other_id_position(type) != file->other_id_at)
			return pf_fail(error, PF_EFORMAT,
				       "%s: has %" PRIu32 " events whose samples cannot be told apart (no common place "
				       "of their id); record one event at a time",
				       file->input.path, file->attr_count);
	}
	return PF_OK;
}

int pf_perf_read_ids(struct pf_perf_file *file, struct pf_error *error)
{
	int status = collect_ids(file, error);

	return status == PF_OK ? place_ids(file, error) : status;
}

uint32_t pf_perf_attr_count(const struct pf_perf_file *file)
{
	return file->attr_count;
}

const struct perf_event_attr *pf_perf_attr(const struct pf_perf_file *file, uint32_t index)
{
	return index < file->attr_count ? &file->attrs[index].attr : NULL;
}

const char *pf_perf_event_name(const struct pf_perf_file *file, uint32_t index)
{
	return index < file->attr_count && file->attrs[index].name ? file->attrs[index].name : "";
}
