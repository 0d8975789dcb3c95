/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stepping through the records of a perf.data file, in file order.
 *
 * Hard case: two kinds of record carry more than their size says (AUX areas and tracing data follow theirs), and
 * compressed records carry others, one of which may begin in one and end in the next. */
#include "perfdata/perf-reader.h"
#include "perfdata/perf-script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t data_end(const struct pf_perf_file *file)
{
	return file->data.offset + file->data.size;
}

/* perf has no room in 16 bits for the size that it gives a large compressed record. */
static int bad_size(const struct pf_perf_file *file, uint64_t offset, uint32_t type, size_t size,
		    struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT,
		       "%s: the record at offset %" PRIu64 " (type %" PRIu32 ") has a size of %zu bytes, which no such "
		       "record has: %s",
		       file->input.path, offset, type, size,
		       type == PF_RECORD_COMPRESSED2
			   ? "the file is damaged, as perf record -z of Linux 6.16 and later may leave it; record it "
			     "again without -z"
			   : "the file is damaged; record it again");
}

/* A record that runs over the end.  A stream has no size that its end could be compared with: there it was cut. */
static int overrun(const struct pf_perf_file *file, uint32_t type, size_t size, struct pf_error *error)
{
	if (!file->pipe)
		return bad_size(file, file->next, type, size, error);
	return pf_fail(error, PF_ETRUNCATED,
		       "%s: the stream of perf record ends within the record at offset %" PRIu64 " (type %" PRIu32
		       "): it was cut short; copy or record it again",
		       file->input.path, file->next, type);
}

/* How many bytes follow the record's own. */
static uint64_t trailing_bytes(const uint8_t *record, size_t size)
{
	struct pf_cursor c = pf_cursor_over(record, size, 0);
	uint32_t type = pf_cursor_u32(&c);

	pf_cursor_u32(&c);
	if (type == PF_RECORD_AUXTRACE)
		return pf_cursor_u64(&c);
	if (type == PF_RECORD_TRACING_DATA)
		return ((uint64_t)pf_cursor_u32(&c) + 7) & ~7ull;
	return 0;
}

int pf_perf_step(struct pf_perf_file *file, const uint8_t **record, struct pf_error *error)
{
	uint64_t left = data_end(file) - file->next;
	struct pf_cursor c;
	uint64_t trailing;
	uint32_t type;
	uint16_t size;
	int status;

	if (left == 0)
		return 0;
	if (left < PF_PERF_RECORD_HEADER_SIZE)
		return overrun(file, 0, left, error);
	status = pf_input_get(&file->input, file->next, PF_PERF_RECORD_HEADER_SIZE, record, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(*record, PF_PERF_RECORD_HEADER_SIZE, file->next);
	type = pf_cursor_u32(&c);
	pf_cursor_u16(&c);
	size = pf_cursor_u16(&c);
	if (size < PF_PERF_RECORD_HEADER_SIZE)
		return bad_size(file, file->next, type, size, error);
	if (size > left)
		return overrun(file, type, size, error);
	status = pf_input_get(&file->input, file->next, size, record, error);
	if (status < 0)
		return status;
	trailing = trailing_bytes(*record, size);
	if (trailing > left - size)
		return overrun(file, type, size, error);
	file->next += size + trailing;
	return size;
}

/* Hands the payload of a compressed record to zstd. */
static int feed(struct pf_perf_file *file, const uint8_t *record, size_t size, uint64_t offset, struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(record, size, offset);
	uint32_t type = pf_cursor_u32(&c);
	uint64_t payload;
	int status;

	pf_cursor_u32(&c);
	payload = type == PF_RECORD_COMPRESSED2 ? pf_cursor_u64(&c) : pf_cursor_left(&c);
	if (c.failed || payload > pf_cursor_left(&c))
		return bad_size(file, offset, type, size, error);
	status = pf_inflate_feed(&file->inflate, pf_cursor_bytes(&c, payload), payload, error);
	file->packed = status == PF_OK;
	file->packed_at = offset;
	return status;
}

static int bad_packed(const struct pf_perf_file *file, int status, struct pf_error *error)
{
	struct pf_error cause = *error;

	return pf_fail(error, status, "%s: the compressed record at offset %" PRIu64 ": %s; record it again",
		       file->input.path, file->packed_at, cause.text);
}

/* The same for the records inside the compressed one; 0 when that is used up. */
static int next_packed(struct pf_perf_file *file, const uint8_t **record, struct pf_error *error)
{
	struct pf_cursor c;
	struct pf_error cause;
	uint32_t type;
	uint16_t size;
	int got = pf_inflate_peek(&file->inflate, PF_PERF_RECORD_HEADER_SIZE, record, &cause);

	if (got > 0) {
		c = pf_cursor_over(*record, PF_PERF_RECORD_HEADER_SIZE, 0);
		type = pf_cursor_u32(&c);
		pf_cursor_u16(&c);
		size = pf_cursor_u16(&c);
		if (size < PF_PERF_RECORD_HEADER_SIZE || type == PF_RECORD_COMPRESSED ||
		    type == PF_RECORD_COMPRESSED2 || type == PF_RECORD_AUXTRACE)
			return bad_size(file, file->packed_at, type, size, error);
		got = pf_inflate_peek(&file->inflate, size, record, &cause);
		if (got > 0) {
			pf_inflate_skip(&file->inflate, size);
			return size;
		}
	}
	if (got == 0) {
		file->packed = false;
		return 0;
	}
	*error = cause;
	return bad_packed(file, got, error);
}

/* The next record that is not compressed, and where it stands. */
static int next_record(struct pf_perf_file *file, const uint8_t **record, uint64_t *offset, struct pf_error *error)
{
	for (;;) {
		uint32_t type;
		int size = 0;

		if (file->packed) {
			*offset = file->packed_at;
			size = next_packed(file, record, error);
			if (size)
				return size;
		}
		*offset = file->next;
		size = pf_perf_step(file, record, error);
		if (size == 0 && pf_inflate_rest(&file->inflate))
			return pf_fail(error, PF_ETRUNCATED,
				       "%s: the last compressed record at offset %" PRIu64
				       " ends within a record: the recording was cut short; record it again",
				       file->input.path, file->packed_at);
		if (size == 0)
			size = pf_perf_next_part(file, error);
		if (size == 1)
			continue;
		if (size <= 0)
			return size;
		memcpy(&type, *record, sizeof type);
		if (type != PF_RECORD_COMPRESSED && type != PF_RECORD_COMPRESSED2)
			return size;
		size = feed(file, *record, (size_t)size, *offset, error);
		if (size < 0)
			return size;
	}
}

int pf_perf_next(struct pf_perf_file *file, struct pf_event *event, struct pf_error *error)
{
	struct pf_error local;
	const uint8_t *record;
	uint64_t offset;
	int size;

	if (!error)
		error = &local;
	if (file->aggregated)
		return 0;
	if (file->script.active)
		return pf_script_next(file, event, error);
	size = next_record(file, &record, &offset, error);
	if (size > 0) {
		*event = (struct pf_event) { .kind = PF_EVENT_OTHER, .offset = offset };
		size = pf_perf_decode(file, record, (size_t)size, event, error);
		return size < 0 ? size : 1;
	}
	return size;
}
