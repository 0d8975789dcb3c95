/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes perf.data files: header | attr | records | table of features | features.
 *
 * The header names the size of what follows, so it is written last, over the room left for it.  Hard case: a file
 * without any record; perf takes a data size of 0 for a recording that was cut short, so such a file gets one record
 * that means nothing. */
#include "perfdata/perf-writer.h"
#include "perfdata/vectors-codec.h"
#include "support/cursor.h"

#include <stdlib.h>
#include <string.h>

enum {
	DATA_OFFSET = PF_PERF_HEADER_SIZE + PF_WRITER_ATTR_SIZE + PF_PERF_SECTION_SIZE,
	WRITABLE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
};

static void make_attr(const struct pf_perf_writer_options *options, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr) {
		.type = options->attr_type,
		.size = PF_WRITER_ATTR_SIZE,
		.config = options->attr_config,
		.sample_period = options->period,
		.sample_type = options->sample_type,
		.branch_sample_type = options->branch_sample_type,
		.freq = options->frequency,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
	};
}

static bool copy_command(struct pf_perf_writer *writer, char *const *command)
{
	size_t count = 0;

	while (command && command[count])
		count++;
	writer->command = calloc(count + 1, sizeof *writer->command);
	for (size_t i = 0; writer->command && i < count; i++) {
		writer->command[i] = strdup(command[i]);
		if (!writer->command[i])
			return false;
	}
	return writer->command != NULL;
}

static void release(struct pf_perf_writer *writer)
{
	for (size_t i = 0; writer->command && writer->command[i]; i++)
		free(writer->command[i]);
	free(writer->command);
	free(writer->event);
	pf_buffer_fini(&writer->record);
	pf_buffer_fini(&writer->build_ids);
	pf_buffer_fini(&writer->vectors);
	free(writer);
}

static int append(struct pf_perf_writer *writer, const void *bytes, size_t size, struct pf_error *error)
{
	if (fwrite(bytes, 1, size, writer->out.stream) != size)
		return pf_outfile_complain(&writer->out, error);
	writer->data_size += size;
	return PF_OK;
}

/* Leaves room for header and attr. */
static int leave_room(struct pf_perf_writer *writer, struct pf_error *error)
{
	static const uint8_t zeroes[DATA_OFFSET];
	int status;

	if (fseek(writer->out.stream, 0, SEEK_CUR) != 0)
		return pf_fail(
		    error, PF_EINVAL,
		    "%s: perf.data cannot be written to a pipe, since its header is written last; name a file",
		    writer->out.path);
	status = append(writer, zeroes, sizeof zeroes, error);
	writer->data_size = 0;
	return status;
}

int pf_perf_create(const char *path, const struct pf_perf_writer_options *options, struct pf_perf_writer **writer,
		   struct pf_error *error)
{
	const struct pf_outfile_options output = { .keep = true, .saved = options->saved };
	struct pf_perf_writer *made;
	int status;

	*writer = NULL;
	if (options->sample_type & ~(uint64_t)WRITABLE)
		return pf_fail(error, PF_EINVAL, "%s: samples of type 0x%llx cannot be written", path,
			       (unsigned long long)options->sample_type);
	made = calloc(1, sizeof *made);
	if (!made)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	make_attr(options, &made->attr);
	made->event = strdup(options->event ? options->event : "");
	status = made->event && copy_command(made, options->command)
		     ? pf_outfile_open(&made->out, path, &output, error)
		     : pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (status == PF_OK)
		status = leave_room(made, error);
	if (status < 0) {
		pf_perf_abandon(made);
		return status;
	}
	*writer = made;
	return PF_OK;
}

int pf_perf_write(struct pf_perf_writer *writer, const struct pf_event *event, struct pf_error *error)
{
	int status = pf_perf_encode(writer, event, error);

	return status < 0 ? status : append(writer, writer->record.data, writer->record.size, error);
}

int pf_perf_write_raw(struct pf_perf_writer *writer, const void *records, size_t size, struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(records, size, 0);

	while (pf_cursor_left(&c)) {
		uint16_t record_size;

		pf_cursor_bytes(&c, 6);
		record_size = pf_cursor_u16(&c);
		pf_cursor_bytes(&c, record_size >= PF_PERF_RECORD_HEADER_SIZE
					? (size_t)record_size - PF_PERF_RECORD_HEADER_SIZE
					: SIZE_MAX);
	}
	if (c.failed)
		return pf_fail(error, PF_EINVAL, "%s: what should be written at byte %zu of %zu is no whole record",
			       writer->out.path, c.at, size);
	return append(writer, records, size, error);
}

int pf_perf_add_build_id(struct pf_perf_writer *writer, const struct pf_build_id *id, struct pf_error *error)
{
	struct pf_buffer *b = &writer->build_ids;
	size_t length = strlen(id->path) + 1;
	size_t padded = (length + PF_PERF_STRING_ALIGN - 1) / PF_PERF_STRING_ALIGN * PF_PERF_STRING_ALIGN;
	size_t size = PF_PERF_RECORD_HEADER_SIZE + 4 + PF_PERF_BUILD_ID_ROOM + padded;
	uint16_t misc = id->misc;

	if (id->size > sizeof id->id || size > PF_PERF_MAX_RECORD)
		return pf_fail(error, PF_EINVAL, "%s: the build-id of %s cannot be written", writer->out.path,
			       id->path);
	if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) == 0)
		misc |= PERF_RECORD_MISC_USER;
	pf_buffer_u32(b, 0);
	pf_buffer_u16(b, misc | PF_MISC_BUILD_ID_SIZE);
	pf_buffer_u16(b, (uint16_t)size);
	pf_buffer_u32(b, id->pid ? id->pid : UINT32_MAX);
	pf_buffer_bytes(b, id->id, id->size);
	pf_buffer_bytes(b, NULL, sizeof id->id - id->size);
	pf_buffer_u32(b, id->size);
	pf_buffer_bytes(b, id->path, length);
	pf_buffer_bytes(b, NULL, padded - length);
	return b->failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", writer->out.path) : PF_OK;
}

int pf_perf_set_vectors(struct pf_perf_writer *writer, const struct pf_vectors *vectors, struct pf_error *error)
{
	int status;

	pf_buffer_fini(&writer->vectors);
	status = pf_vectors_encode(vectors, &writer->vectors, error);
	if (status < 0)
		pf_buffer_fini(&writer->vectors);
	return status;
}

static void put_header(struct pf_buffer *b, const struct pf_perf_writer *writer, const uint64_t bits[4])
{
	pf_buffer_bytes(b, PF_PERF_MAGIC, 8);
	pf_buffer_u64(b, PF_PERF_HEADER_SIZE);
	pf_buffer_u64(b, PF_WRITER_ATTR_SIZE + PF_PERF_SECTION_SIZE);
	pf_buffer_u64(b, PF_PERF_HEADER_SIZE);
	pf_buffer_u64(b, PF_WRITER_ATTR_SIZE + PF_PERF_SECTION_SIZE);
	pf_buffer_u64(b, DATA_OFFSET);
	pf_buffer_u64(b, writer->data_size);
	pf_buffer_bytes(b, NULL, PF_PERF_SECTION_SIZE); /* event types: obsolete */
	for (int i = 0; i < PF_PERF_FEATURE_WORDS; i++)
		pf_buffer_u64(b, bits[i]);
	pf_buffer_bytes(b, &writer->attr, PF_WRITER_ATTR_SIZE);
	pf_buffer_bytes(b, NULL, PF_PERF_SECTION_SIZE); /* ids: one event needs none */
}

/* What follows the records, and then the header over its room. */
static int finish(struct pf_perf_writer *writer, struct pf_error *error)
{
	static const uint8_t nothing[PF_PERF_RECORD_HEADER_SIZE] = { PF_RECORD_FINISHED_ROUND,  0, 0, 0, 0, 0,
								     PF_PERF_RECORD_HEADER_SIZE };
	struct pf_buffer head = { 0 }, features = { 0 };
	uint64_t bits[PF_PERF_FEATURE_WORDS] = { 0 };
	FILE *stream = writer->out.stream;
	int status = PF_OK;

	if (writer->data_size == 0)
		status = append(writer, nothing, sizeof nothing, error);
	pf_perf_put_features(writer, DATA_OFFSET + writer->data_size, &features, bits);
	put_header(&head, writer, bits);
	if (status == PF_OK && (head.failed || features.failed))
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", writer->out.path);
	if (status == PF_OK &&
	    (fwrite(features.data, 1, features.size, stream) != features.size || fseek(stream, 0, SEEK_SET) != 0 ||
	     fwrite(head.data, 1, head.size, stream) != head.size))
		status = pf_outfile_complain(&writer->out, error);
	pf_buffer_fini(&head);
	pf_buffer_fini(&features);
	return status;
}

int pf_perf_commit(struct pf_perf_writer *writer, struct pf_error *error)
{
	int status = finish(writer, error);

	if (status == PF_OK)
		status = pf_outfile_commit(&writer->out, error);
	pf_perf_abandon(writer);
	return status;
}

void pf_perf_abandon(struct pf_perf_writer *writer)
{
	if (!writer)
		return;
	pf_outfile_abandon(&writer->out);
	release(writer);
}
