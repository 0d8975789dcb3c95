/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a perf.data file: header, attrs with their ids, table of features.
 *
 * Hard case: sizes differ from one perf to the next.  The header may lack the feature bits, an attr may be shorter or
 * longer than ours; what is missing reads as zero and what is unknown is passed over.  `perf inject` of some years
 * wrote attrs of today's size that still name their old one: so the header's attr size says where the next attr and
 * the ids are, and the attr's own size only how much of it counts. */
#include "perfdata/perf-reader.h"
#include "perfdata/perf-script.h"
#include "support/filekind.h"
#include "support/recordingpart.h"
#include "support/search.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CURE "here goes what `pathfdo record` or `perf record` wrote"

enum { MAX_ATTRS = 1 << 16, MAX_ATTR_SIZE = 1 << 16 };

static int check_magic(const struct pf_perf_file *file, const uint8_t *bytes, struct pf_error *error)
{
	const char *path = file->input.path;

	if (memcmp(bytes, PF_PERF_MAGIC, 8) == 0)
		return PF_OK;
	if (memcmp(bytes, PF_PERF_MAGIC_SWAPPED, 8) == 0)
		return pf_fail(error, PF_EFORMAT,
			       "%s: was recorded on a big-endian machine; pathfdo reads little-endian perf.data only",
			       path);
	if (memcmp(bytes, PF_PERF_MAGIC_V1, 8) == 0)
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "%s: is in the first version of perf.data (perf before Linux 3.6); record it with a newer perf",
		    path);
	return pf_filekind_refuse(path, bytes, sizeof PF_PERF_MAGIC - 1, "a perf.data file", CURE, error);
}

/* AVAILABLE bytes are less than the smallest header. */
static int refuse_short(const struct pf_perf_file *file, const uint8_t *bytes, size_t available, struct pf_error *error)
{
	if (available >= 8 && memcmp(bytes, PF_PERF_MAGIC, 8) == 0)
		return pf_fail(error, PF_ETRUNCATED,
			       "%s: ends at offset %zu, inside its header: it was cut short; copy or record it again",
			       file->input.path, available);
	return pf_filekind_refuse(file->input.path, bytes, available, "a perf.data file", CURE, error);
}

static struct pf_perf_section get_section(struct pf_cursor *c)
{
	struct pf_perf_section section;

	section.offset = pf_cursor_u64(c);
	section.size = pf_cursor_u64(c);
	return section;
}

static bool section_fits(const struct pf_perf_file *file, struct pf_perf_section section)
{
	return section.offset <= file->input.size && section.size <= file->input.size - section.offset;
}

static int check_data(const struct pf_perf_file *file, struct pf_error *error)
{
	if (file->data.size == 0)
		return pf_fail(
		    error, PF_ETRUNCATED,
		    "%s: the recording was not finished (its header has a data size of 0); record it again and "
		    "let perf end by itself or by SIGINT",
		    file->input.path);
	if (!section_fits(file, file->data))
		return pf_fail(error, PF_ETRUNCATED,
			       "%s: the data section should end at offset %" PRIu64 " + %" PRIu64
			       ", but the file ends at %" PRIu64 ": it was cut short; copy or record it again",
			       file->input.path, file->data.offset, file->data.size, file->input.size);
	return PF_OK;
}

static int read_header(struct pf_perf_file *file, struct pf_error *error)
{
	size_t available = file->input.size < PF_PERF_HEADER_SIZE ? file->input.size : PF_PERF_HEADER_SIZE;
	const uint8_t *bytes;
	struct pf_cursor c;
	uint64_t size;
	int status;

	status = pf_input_get(&file->input, 0, available, &bytes, error);
	if (status == PF_OK && available < 16)
		return refuse_short(file, bytes, available, error);
	if (status == PF_OK)
		status = check_magic(file, bytes, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes + 8, available - 8, 8);
	size = pf_cursor_u64(&c);
	if (size == PF_PERF_PIPE_HEADER_SIZE) {
		file->pipe = true;
		file->data = (struct pf_perf_section) { size, file->input.size - size };
		return PF_OK;
	}
	if (size < PF_PERF_MIN_HEADER_SIZE || size > file->input.size)
		return pf_fail(error, size < PF_PERF_MIN_HEADER_SIZE ? PF_EFORMAT : PF_ETRUNCATED,
			       "%s: the header's size at offset 8 is %" PRIu64 ", in a file of %" PRIu64
			       " bytes: the file is damaged",
			       file->input.path, size, file->input.size);
	file->attr_size = pf_cursor_u64(&c);
	file->attrs_section = get_section(&c);
	file->data = get_section(&c);
	get_section(&c); /* event types, of no use since Linux 2.6.39 */
	for (int i = 0; i < PF_PERF_FEATURE_WORDS && size >= PF_PERF_HEADER_SIZE; i++)
		file->feature_bits[i] = pf_cursor_u64(&c);
	return check_data(file, error);
}

/* One attr and the place of its ids, in a window of the header's attr size.  Returns whether both make sense. */
static bool get_attr(const struct pf_perf_file *file, struct pf_cursor *c, struct pf_perf_attr *to)
{
	size_t room = c->size - PF_PERF_SECTION_SIZE;
	const uint8_t *bytes = pf_cursor_bytes(c, room);
	uint32_t own;
	size_t known;

	to->ids = get_section(c);
	memcpy(&own, bytes + offsetof(struct perf_event_attr, size), sizeof own);
	if (own == 0) /* the first perf wrote that */
		own = PF_PERF_ATTR_MIN;
	known = own < room ? own : room;
	memcpy(&to->attr, bytes, known < sizeof to->attr ? known : sizeof to->attr);
	to->attr.size = own;
	return own >= PF_PERF_ATTR_MIN && to->ids.size % 8 == 0 && (to->ids.size == 0 || section_fits(file, to->ids));
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

static int read_attr_table(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t stride = file->attr_size;
	uint64_t size = file->attrs_section.size;
	uint8_t *bytes;
	int status;

	if (stride < PF_PERF_ATTR_MIN + PF_PERF_SECTION_SIZE || stride > MAX_ATTR_SIZE || stride % 8 || size < stride ||
	    size / stride > MAX_ATTRS)
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

static int read_attrs(struct pf_perf_file *file, struct pf_error *error)
{
	return file->pipe ? pf_perf_read_pipe(file, error) : read_attr_table(file, error);
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

static int read_ids(struct pf_perf_file *file, struct pf_error *error)
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

static int read_feature_table(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t at = file->data.offset + file->data.size;
	size_t count = 0;
	struct pf_cursor c;
	uint8_t *bytes;
	int status;

	if (file->pipe)
		return PF_OK; /* they are known */
	for (int i = 0; i < PF_PERF_FEATURE_WORDS; i++)
		count += (size_t)__builtin_popcountll(file->feature_bits[i]);
	status = pf_input_load(&file->input, at, count * PF_PERF_SECTION_SIZE, "the table of features", &bytes, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes, count * PF_PERF_SECTION_SIZE, at);
	for (unsigned feature = 0; feature < PF_PERF_FEATURE_BITS; feature++)
		if (pf_perf_has(file, feature))
			file->features[feature] = get_section(&c);
	free(bytes);
	return PF_OK;
}

/* PATH can be the folder of perf record --threads: the file `data` in it has all but the samples. */
static int open_input(struct pf_perf_file *file, const char *path, struct pf_error *error)
{
	char part[PATH_MAX];
	struct stat st;
	int status = PF_EIO;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return pf_input_open(&file->input, path, error);
	file->folder = strdup(path);
	if (!file->folder)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (pf_recording_part(path, 0, part))
		status = pf_input_open(&file->input, part, error);
	if (status < 0 && status != PF_ENOMEM)
		status = pf_fail(error, PF_EUNSUPPORTED,
				 "%s: is a directory, and none that perf record --threads makes: there is no file data "
				 "in it that can be read",
				 path);
	if (status < 0)
		free(file->folder);
	return status;
}

int pf_perf_next_part(struct pf_perf_file *file, struct pf_error *error)
{
	char part[PATH_MAX];
	int status;

	if (!file->folder || !pf_recording_part(file->folder, file->parts + 1, part))
		return 0;
	pf_input_close(&file->input);
	pf_inflate_fini(&file->inflate); /* each file is compressed by itself */
	status = pf_input_open(&file->input, part, error);
	if (status < 0)
		return status;
	file->parts++;
	file->data = (struct pf_perf_section) { 0, file->input.size };
	file->next = 0;
	return 1;
}

int pf_perf_open(const char *path, struct pf_perf_file **file, struct pf_error *error)
{
	static int (*const steps[])(struct pf_perf_file *, struct pf_error *) = {
		read_header, read_attrs, read_ids, place_ids, read_feature_table, pf_perf_read_features,
	};
	struct pf_perf_file *opened = calloc(1, sizeof *opened);
	int status;
	size_t count = sizeof steps / sizeof *steps;

	*file = NULL;
	if (!opened)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	status = open_input(opened, path, error);
	if (status < 0) {
		free(opened);
		return status;
	}
	if (pf_script_is_text(opened)) {
		opened->aggregated = pf_aggregates_begin(opened);
		status = opened->aggregated ? pf_aggregates_read(&opened->aggregates, opened, error)
					    : pf_script_open(opened, error);
		count = 0;
	}
	for (size_t i = 0; status == PF_OK && i < count; i++)
		status = steps[i](opened, error);
	if (status < 0) {
		pf_perf_close(opened);
		return status;
	}
	opened->next = opened->data.offset;
	*file = opened;
	return PF_OK;
}

void pf_perf_close(struct pf_perf_file *file)
{
	if (!file)
		return;
	for (uint32_t i = 0; file->attrs && i < file->attr_count; i++)
		free(file->attrs[i].name);
	free(file->attrs);
	free(file->ids);
	free(file->build_ids);
	free(file->build_id_bytes);
	pf_buffer_fini(&file->pipe_build_ids);
	pf_vectors_free(file->vectors);
	pf_inflate_fini(&file->inflate);
	free(file->branches);
	free(file->script.path);
	pf_aggregates_fini(&file->aggregates);
	free(file->folder);
	pf_input_close(&file->input);
	free(file);
}

const struct pf_aggregates *pf_perf_aggregates(const struct pf_perf_file *file)
{
	return file->aggregated ? &file->aggregates : NULL;
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

const struct pf_build_id *pf_perf_build_ids(const struct pf_perf_file *file, size_t *count)
{
	*count = file->build_id_count;
	return file->build_ids;
}
