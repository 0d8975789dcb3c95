/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One record of a perf.data file, decoded by the attr that it belongs to.
 *
 * Hard case: a sample has no tags.  Its fields stand in a fixed order, each there or not as the attr's bits say, some
 * of a size that other bits give; so all that stands before the branch stack is walked through.  What stands behind
 * it is not looked at: an empty branch stack has its hardware index or not depending on the kernel, and the branch
 * counters behind a stack may be missing. */
#include "perfdata/perf-reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct pf_branch) == PF_PERF_BRANCH_SIZE, "a branch entry is copied as it is");

/* What sample_id_all appends to every record but samples, last field last. */
struct trailer {
	uint32_t pid, tid, cpu;
	uint64_t time;
};

static size_t trailer_size(const struct perf_event_attr *attr)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return attr->sample_id_all ? 8 * (size_t)__builtin_popcountll(attr->sample_type & fields) : 0;
}

static void get_trailer(struct pf_cursor *c, uint64_t type, struct trailer *trailer)
{
	if (type & PERF_SAMPLE_TID) {
		trailer->pid = pf_cursor_u32(c);
		trailer->tid = pf_cursor_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		trailer->time = pf_cursor_u64(c);
	if (type & PERF_SAMPLE_ID)
		pf_cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		pf_cursor_u64(c);
	if (type & PERF_SAMPLE_CPU)
		trailer->cpu = pf_cursor_u32(c);
}

/* The attr of a record by the id in it; -1 if that id is in no table. */
static int64_t choose_attr(const struct pf_perf_file *file, const uint8_t *body, size_t size, bool sample)
{
	const uint8_t *at;
	uint64_t id;
	int64_t attr;

	if (file->attr_count == 1 || (!sample && !file->attrs[0].attr.sample_id_all))
		return 0;
	if (size < (size_t)(sample ? file->sample_id_at + 8 : file->other_id_at))
		return -1;
	at = sample ? body + file->sample_id_at : body + size - file->other_id_at;
	memcpy(&id, at, sizeof id);
	attr = pf_perf_find_id(file, id);
	/* perf gives an id of 0 to the records that it made up itself. */
	return attr < 0 && (id == 0 || !sample) ? 0 : attr;
}

static void skip_words(struct pf_cursor *c, uint64_t count)
{
	if (count > PF_PERF_MAX_RECORD)
		c->failed = true;
	pf_cursor_bytes(c, (size_t)count * 8);
}

static void skip_read_format(struct pf_cursor *c, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t per_value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PF_FORMAT_LOST);
	uint64_t count = 1;

	if (format & PERF_FORMAT_GROUP) {
		count = pf_cursor_u64(c);
		if (count > PF_PERF_MAX_RECORD)
			c->failed = true;
	}
	skip_words(c, c->failed ? 0 : times + count * per_value);
}

static void get_branches(struct pf_cursor *c, const struct perf_event_attr *attr, struct pf_branch *to,
			 struct pf_event *event)
{
	uint64_t count = pf_cursor_u64(c);
	const void *entries;

	if (count == 0)
		return;
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		pf_cursor_u64(c);
	if (count > PF_PERF_MAX_RECORD / PF_PERF_BRANCH_SIZE)
		c->failed = true;
	entries = pf_cursor_bytes(c, (size_t)count * PF_PERF_BRANCH_SIZE);
	if (!entries)
		return;
	memcpy(to, entries, (size_t)count * PF_PERF_BRANCH_SIZE);
	event->branches = to;
	event->branch_count = (uint32_t)count;
}

/* The fields that every sample may begin with. */
static void get_sample_head(struct pf_cursor *c, uint64_t type, struct pf_event *event)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		pf_cursor_u64(c);
	if (type & PERF_SAMPLE_IP)
		event->ip = pf_cursor_u64(c);
	if (type & PERF_SAMPLE_TID) {
		event->pid = pf_cursor_u32(c);
		event->tid = pf_cursor_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		event->time = pf_cursor_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		pf_cursor_u64(c);
	if (type & PERF_SAMPLE_ID)
		pf_cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		pf_cursor_u64(c);
	if (type & PERF_SAMPLE_CPU) {
		event->cpu = pf_cursor_u32(c);
		pf_cursor_u32(c);
	}
}

static void get_sample(struct pf_perf_file *file, struct pf_cursor *c, struct pf_event *event)
{
	const struct perf_event_attr *attr = &file->attrs[event->attr].attr;
	uint64_t type = attr->sample_type;

	event->kind = PF_EVENT_SAMPLE;
	get_sample_head(c, type, event);
	if (type & PERF_SAMPLE_PERIOD)
		event->period = pf_cursor_u64(c);
	else if (!attr->freq)
		event->period = attr->sample_period;
	if (type & PERF_SAMPLE_READ)
		skip_read_format(c, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		skip_words(c, pf_cursor_u64(c));
	if (type & PERF_SAMPLE_RAW)
		pf_cursor_bytes(c, pf_cursor_u32(c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		get_branches(c, attr, file->branches, event);
}

/* MMAP, and MMAP2 with what it has more. */
static void get_mapping(struct pf_cursor *c, struct pf_event *event)
{
	bool executable = !(event->misc & PERF_RECORD_MISC_MMAP_DATA);

	event->pid = pf_cursor_u32(c);
	event->tid = pf_cursor_u32(c);
	event->address = pf_cursor_u64(c);
	event->length = pf_cursor_u64(c);
	event->page_offset = pf_cursor_u64(c);
	event->protection = executable ? 1 | 4 : 1; /* PROT_READ, PROT_EXEC */
	if (event->type == PERF_RECORD_MMAP2) {
		const uint8_t *object = pf_cursor_bytes(c, 24);

		if (object && (event->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			event->build_id_size = object[0] <= sizeof event->build_id ? object[0] : 0;
			memcpy(event->build_id, object + 4, event->build_id_size);
		}
		event->protection = pf_cursor_u32(c);
		pf_cursor_u32(c);
		if (event->protection)
			executable = event->protection & 4;
	}
	event->filename = pf_cursor_string(c);
	if (executable)
		event->kind = PF_EVENT_MMAP;
}

static void get_comm(struct pf_cursor *c, struct pf_event *event)
{
	event->kind = PF_EVENT_COMM;
	event->pid = pf_cursor_u32(c);
	event->tid = pf_cursor_u32(c);
	event->is_exec = event->misc & PERF_RECORD_MISC_COMM_EXEC;
	event->filename = pf_cursor_string(c);
}

static void get_task(struct pf_cursor *c, struct pf_event *event)
{
	uint64_t time;

	event->kind = event->type == PERF_RECORD_FORK ? PF_EVENT_FORK : PF_EVENT_EXIT;
	event->pid = pf_cursor_u32(c);
	event->ppid = pf_cursor_u32(c);
	event->tid = pf_cursor_u32(c);
	pf_cursor_u32(c);
	time = pf_cursor_u64(c);
	if (event->time == 0)
		event->time = time;
}

static void get_lost(struct pf_cursor *c, struct pf_event *event)
{
	bool left_out = event->type == PERF_RECORD_LOST_SAMPLES && event->misc & PF_MISC_LOST_BY_FILTER;

	event->kind = left_out ? PF_EVENT_OTHER : PF_EVENT_LOST;
	if (event->type == PERF_RECORD_LOST)
		pf_cursor_u64(c);
	event->lost = pf_cursor_u64(c);
}

static void get_throttle(struct pf_cursor *c, struct pf_event *event)
{
	uint64_t time = pf_cursor_u64(c);

	event->kind = PF_EVENT_THROTTLE;
	if (event->time == 0)
		event->time = time;
}

/* Everything but samples: the trailer first, so that a body can say better. */
static void get_other(struct pf_perf_file *file, struct pf_cursor *c, struct pf_event *event)
{
	const struct perf_event_attr *attr = &file->attrs[event->attr].attr;
	size_t room = trailer_size(attr);
	struct pf_cursor end = *c;
	struct trailer trailer = { 0 };

	if (pf_cursor_left(c) < room) {
		c->failed = true;
		return;
	}
	end.at = end.size - room;
	c->size -= room;
	get_trailer(&end, room ? attr->sample_type : 0, &trailer);
	event->pid = trailer.pid;
	event->tid = trailer.tid;
	event->cpu = trailer.cpu;
	event->time = trailer.time;
	switch (event->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		get_mapping(c, event);
		break;
	case PERF_RECORD_COMM:
		get_comm(c, event);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		get_task(c, event);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		get_lost(c, event);
		break;
	default:
		get_throttle(c, event);
		break;
	}
}

static bool is_used(uint32_t type)
{
	return type <= PERF_RECORD_MMAP2 ? type != PERF_RECORD_READ : type == PERF_RECORD_LOST_SAMPLES;
}

int pf_perf_decode(struct pf_perf_file *file, const uint8_t *record, size_t size, struct pf_event *event,
		   struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(record, size, event->offset);
	int64_t attr;

	event->type = pf_cursor_u32(&c);
	event->misc = pf_cursor_u16(&c);
	pf_cursor_u16(&c);
	if (event->type == 0)
		return pf_fail(error, PF_EFORMAT,
			       "%s: the record at offset %" PRIu64 " has type 0, which does not exist: the file is "
			       "damaged; record it again",
			       file->input.path, event->offset);
	if (!is_used(event->type))
		return PF_OK;
	if (!file->branches) {
		file->branches = malloc(PF_PERF_MAX_RECORD);
		if (!file->branches)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
	}
	attr = choose_attr(file, record + c.at, pf_cursor_left(&c), event->type == PERF_RECORD_SAMPLE);
	if (attr < 0) {
		event->kind = PF_EVENT_LOST;
		event->lost = 1;
		return PF_OK;
	}
	event->attr = (uint32_t)attr;
	if (event->type == PERF_RECORD_SAMPLE)
		get_sample(file, &c, event);
	else
		get_other(file, &c, event);
	if (c.failed)
		return pf_fail(error, PF_EFORMAT,
			       "%s: the record at offset %" PRIu64 " (type %" PRIu32
			       ", %zu bytes) is too short for what "
			       "it announces: the file is damaged; record it again",
			       file->input.path, event->offset, event->type, size);
	return PF_OK;
}
