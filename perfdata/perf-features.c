/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The features of a perf.data file that this project uses: names of the events, build-ids, and our own section of
 * vectors.  The others are not looked at, so that damage or news in them does no harm.
 *
 * Hard case: the attr that EVENT_DESC repeats need not be at the same index as in the attrs' section (perf keeps the
 * order, other writers did not), so a description is matched by its ids and only without ids by its index. */
#include "perfdata/perf-reader.h"
#include "perfdata/vectors-codec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int damaged(const struct pf_perf_file *file, const char *what, uint64_t offset, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s: %s is damaged at offset %" PRIu64 "; record the file again",
		       file->input.path, what, offset);
}

/* Opens a cursor over a feature's section, whose bytes the caller frees. */
static int load_feature(struct pf_perf_file *file, unsigned feature, const char *what, uint8_t **bytes,
			struct pf_cursor *c, struct pf_error *error)
{
	struct pf_perf_section section = file->features[feature];
	int status = pf_input_load(&file->input, section.offset, section.size, what, bytes, error);

	if (status == PF_OK)
		*c = pf_cursor_over(*bytes, section.size, section.offset);
	return status;
}

/* perf's string: length with padding, then the bytes.  NULL if there is no end to it. */
static const char *get_string(struct pf_cursor *c)
{
	uint32_t size = pf_cursor_u32(c);
	const char *text = pf_cursor_bytes(c, size);

	if (!text || !memchr(text, 0, size)) {
		c->failed = true;
		return NULL;
	}
	return text;
}

static int name_event(struct pf_perf_file *file, uint32_t position, const char *name, struct pf_cursor *ids,
		      struct pf_error *error)
{
	int64_t attr = ids->size ? pf_perf_find_id(file, pf_cursor_u64(ids)) : -1;

	if (attr < 0)
		attr = position;
	if (attr >= file->attr_count || file->attrs[attr].name)
		return PF_OK;
	file->attrs[attr].name = strdup(name);
	return file->attrs[attr].name ? PF_OK : pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
}

static int read_event_names(struct pf_perf_file *file, struct pf_cursor *c, struct pf_error *error)
{
	uint32_t count = pf_cursor_u32(c);
	uint32_t attr_size = pf_cursor_u32(c);
	int status = PF_OK;

	for (uint32_t i = 0; status == PF_OK && !c->failed && i < count; i++) {
		struct pf_cursor ids;
		const char *name;
		uint32_t id_count;

		pf_cursor_bytes(c, attr_size);
		id_count = pf_cursor_u32(c);
		name = get_string(c);
		ids = pf_cursor_sub(c, (size_t)id_count * 8);
		if (!c->failed)
			status = name_event(file, i, name, &ids, error);
	}
	return status;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	while (size && bytes[size - 1] == 0)
		size--;
	return size == 0;
}

/* One entry of the table.  The size byte exists since Linux 5.9; before it a shorter id was filled up with zeroes. */
static bool get_build_id(struct pf_cursor *c, struct pf_build_id *id)
{
	struct pf_cursor body;
	const uint8_t *bytes;
	uint16_t size;

	pf_cursor_u32(c); /* a record type, 0 or 67 */
	id->misc = pf_cursor_u16(c);
	size = pf_cursor_u16(c);
	body =
	    pf_cursor_sub(c, size >= PF_PERF_RECORD_HEADER_SIZE ? (size_t)size - PF_PERF_RECORD_HEADER_SIZE : SIZE_MAX);
	id->pid = pf_cursor_u32(&body);
	bytes = pf_cursor_bytes(&body, PF_PERF_BUILD_ID_ROOM);
	id->path = pf_cursor_string(&body);
	if (body.failed)
		return false;
	memcpy(id->id, bytes, sizeof id->id);
	id->size = sizeof id->id;
	if ((id->misc & PF_MISC_BUILD_ID_SIZE) && bytes[20] <= sizeof id->id)
		id->size = bytes[20];
	else
		while (id->size && is_zero(bytes + id->size - 4, 4))
			id->size -= 4;
	return true;
}

static int read_build_ids(struct pf_perf_file *file, struct pf_cursor *c, struct pf_error *error)
{
	size_t room = c->size / (PF_PERF_RECORD_HEADER_SIZE + 4 + PF_PERF_BUILD_ID_ROOM);

	file->build_ids = calloc(room + 1, sizeof *file->build_ids);
	if (!file->build_ids)
		return pf_fail(error, PF_ENOMEM, "%s: no memory for %zu build-ids", file->input.path, room);
	while (pf_cursor_left(c) && get_build_id(c, &file->build_ids[file->build_id_count]))
		file->build_id_count++;
	c->failed |= pf_cursor_left(c) != 0;
	return PF_OK;
}

/* The records of a pipe are the entries of the table. */
static int read_pipe_build_ids(struct pf_perf_file *file, struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(file->pipe_build_ids.data, file->pipe_build_ids.size, 0);
	int status = c.size ? read_build_ids(file, &c, error) : PF_OK;

	return status == PF_OK && c.failed
		   ? pf_fail(error, PF_EFORMAT, "%s: a record of a build-id is damaged; record it again",
			     file->input.path)
		   : status;
}

int pf_perf_read_features(struct pf_perf_file *file, struct pf_error *error)
{
	static const struct {
		unsigned feature;
		const char *what;
		int (*read)(struct pf_perf_file *, struct pf_cursor *, struct pf_error *);
	} known[] = {
		{ PF_FEATURE_EVENT_DESC, "the table of event names", read_event_names },
		{ PF_FEATURE_BUILD_ID, "the table of build-ids", read_build_ids },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct pf_cursor c;
		uint8_t *bytes;
		int status;

		if (!pf_perf_has(file, known[i].feature))
			continue;
		status = load_feature(file, known[i].feature, known[i].what, &bytes, &c, error);
		if (status < 0)
			return status;
		status = known[i].read(file, &c, error);
		if (status == PF_OK && c.failed)
			status = damaged(file, known[i].what, pf_cursor_offset(&c), error);
		if (known[i].feature == PF_FEATURE_BUILD_ID)
			file->build_id_bytes = bytes;
		else
			free(bytes);
		if (status < 0)
			return status;
	}
	return read_pipe_build_ids(file, error);
}

int pf_perf_vectors(struct pf_perf_file *file, const struct pf_vectors **vectors, struct pf_error *error)
{
	struct pf_cursor c;
	uint8_t *bytes;
	int status;

	*vectors = NULL;
	if (!file->vectors && !file->folder && pf_perf_has(file, PF_FEATURE_VECTORS)) {
		status = load_feature(file, PF_FEATURE_VECTORS, "the section of branch vectors", &bytes, &c, error);
		if (status < 0)
			return status;
		status = pf_vectors_decode(file->input.path, &c, &file->vectors, error);
		free(bytes);
		if (status < 0)
			return status;
		file->vectors->event = pf_perf_attr_count(file) > 0 ? pf_perf_event_name(file, 0) : NULL;
	}
	*vectors = file->vectors;
	return PF_OK;
}
