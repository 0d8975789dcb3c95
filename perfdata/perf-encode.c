/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event to one perf.data record.  Hard case: everything but a sample ends in a trailer of the same fields that a
 * sample begins with, in another order of importance: readers find it from the end, so nothing may follow it. */
#include "perfdata/perf-writer.h"

#include <inttypes.h>
#include <string.h>

static void put_trailer(struct pf_buffer *b, uint64_t type, const struct pf_event *event)
{
	if (type & PERF_SAMPLE_TID) {
		pf_buffer_u32(b, event->pid);
		pf_buffer_u32(b, event->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		pf_buffer_u64(b, event->time);
	if (type & PERF_SAMPLE_ID)
		pf_buffer_u64(b, 0);
	if (type & PERF_SAMPLE_STREAM_ID)
		pf_buffer_u64(b, 0);
	if (type & PERF_SAMPLE_CPU) {
		pf_buffer_u32(b, event->cpu);
		pf_buffer_u32(b, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		pf_buffer_u64(b, 0);
}

static void put_branches(struct pf_buffer *b, const struct perf_event_attr *attr, const struct pf_event *event)
{
	pf_buffer_u64(b, event->branch_count);
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		pf_buffer_u64(b, UINT64_MAX); /* unknown */
	/* The structure is the kernel's entry as it stands in a file, see the assertion in perf-decode. */
	pf_buffer_bytes(b, event->branches, (size_t)event->branch_count * PF_PERF_BRANCH_SIZE);
}

static void put_sample(struct pf_buffer *b, const struct perf_event_attr *attr, const struct pf_event *event)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		pf_buffer_u64(b, 0);
	if (type & PERF_SAMPLE_IP)
		pf_buffer_u64(b, event->ip);
	put_trailer(b, type & ~(uint64_t)PERF_SAMPLE_IDENTIFIER, event);
	if (type & PERF_SAMPLE_PERIOD)
		pf_buffer_u64(b, event->period);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(b, attr, event);
}

static void put_filename(struct pf_buffer *b, const struct pf_event *event)
{
	pf_buffer_string(b, event->filename ? event->filename : "");
	pf_buffer_align(b, 8);
}

static void put_mapping(struct pf_buffer *b, const struct pf_event *event)
{
	uint8_t size = event->build_id_size <= sizeof event->build_id ? event->build_id_size : 0;

	pf_buffer_u32(b, event->pid);
	pf_buffer_u32(b, event->tid);
	pf_buffer_u64(b, event->address);
	pf_buffer_u64(b, event->length);
	pf_buffer_u64(b, event->page_offset);
	/* Either the build-id or device and inode, which nobody needs. */
	pf_buffer_u32(b, size);
	pf_buffer_bytes(b, event->build_id, size);
	pf_buffer_bytes(b, NULL, sizeof event->build_id - size);
	pf_buffer_u32(b, event->protection);
	pf_buffer_u32(b, 2); /* MAP_PRIVATE */
	put_filename(b, event);
}

static void put_task(struct pf_buffer *b, const struct pf_event *event)
{
	pf_buffer_u32(b, event->pid);
	pf_buffer_u32(b, event->ppid);
	pf_buffer_u32(b, event->tid);
	pf_buffer_u32(b, event->ppid);
	pf_buffer_u64(b, event->time);
}

static uint32_t record_type(const struct pf_event *event)
{
	switch (event->kind) {
	case PF_EVENT_SAMPLE:
		return PERF_RECORD_SAMPLE;
	case PF_EVENT_MMAP:
		return PERF_RECORD_MMAP2;
	case PF_EVENT_COMM:
		return PERF_RECORD_COMM;
	case PF_EVENT_FORK:
		return PERF_RECORD_FORK;
	case PF_EVENT_EXIT:
		return PERF_RECORD_EXIT;
	case PF_EVENT_LOST:
		return PERF_RECORD_LOST;
	default:
		return 0;
	}
}

static uint16_t record_misc(const struct pf_event *event)
{
	uint16_t misc = event->misc;

	if (event->kind == PF_EVENT_FORK || event->kind == PF_EVENT_EXIT || event->kind == PF_EVENT_LOST)
		return misc;
	if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) == 0 && event->kind != PF_EVENT_COMM)
		misc |= PERF_RECORD_MISC_USER;
	if (event->kind == PF_EVENT_COMM && event->is_exec)
		misc |= PERF_RECORD_MISC_COMM_EXEC;
	if (event->kind == PF_EVENT_MMAP) {
		misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
		misc |= event->build_id_size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0;
	}
	return misc;
}

static void put_body(struct pf_buffer *b, const struct perf_event_attr *attr, const struct pf_event *event)
{
	switch (event->kind) {
	case PF_EVENT_SAMPLE:
		put_sample(b, attr, event);
		return;
	case PF_EVENT_MMAP:
		put_mapping(b, event);
		break;
	case PF_EVENT_COMM:
		pf_buffer_u32(b, event->pid);
		pf_buffer_u32(b, event->tid);
		put_filename(b, event);
		break;
	case PF_EVENT_LOST:
		pf_buffer_u64(b, 0);
		pf_buffer_u64(b, event->lost);
		break;
	default:
		put_task(b, event);
		break;
	}
	put_trailer(b, attr->sample_type, event);
}

int pf_perf_encode(struct pf_perf_writer *writer, const struct pf_event *event, struct pf_error *error)
{
	struct pf_buffer *b = &writer->record;
	uint32_t type = record_type(event);

	if (type == 0)
		return pf_fail(error, PF_EINVAL, "%s: an event of kind %d cannot be written", writer->out.path,
			       (int)event->kind);
	b->size = 0;
	pf_buffer_u32(b, type);
	pf_buffer_u16(b, record_misc(event));
	pf_buffer_u16(b, 0); /* the size, below */
	put_body(b, &writer->attr, event);
	if (b->failed)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", writer->out.path);
	if (b->size > PF_PERF_MAX_RECORD)
		return pf_fail(error, PF_EINVAL, "%s: a record of %zu bytes is longer than perf.data allows (65535)",
			       writer->out.path, b->size);
	b->data[6] = (uint8_t)b->size;
	b->data[7] = (uint8_t)(b->size >> 8);
	return PF_OK;
}

void pf_perf_put_string(struct pf_buffer *b, const char *text)
{
	size_t length = strlen(text) + 1;
	size_t padded = (length + PF_PERF_STRING_ALIGN - 1) / PF_PERF_STRING_ALIGN * PF_PERF_STRING_ALIGN;

	pf_buffer_u32(b, (uint32_t)padded);
	pf_buffer_bytes(b, text, length);
	pf_buffer_bytes(b, NULL, padded - length);
}
