/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See export-pprof.h, and profile.proto of google/pprof for the messages.  A record is a sample; its one location has a
 * line for each level of inlining, the innermost first.  The hard case is protobuf's nesting, a message's length before
 * the message: each is made in a buffer of its own. */
#include "profile/export-pprof.h"
#include "profile/export-work.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Numbers of fields. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_LOCATION = 4, PROFILE_FUNCTION, PROFILE_STRING };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_LINE };

/* The strings that all files have, in the table's order. */
static const char *const fixed_strings[] = { "", "executions", "count", "instructions", "samples" };
enum { STRING_EXECUTIONS = 1, STRING_COUNT, STRING_INSTRUCTIONS, STRING_SAMPLES, STRINGS_FIXED };

struct writer {
	struct pf_buffer *out;
	uint64_t strings, functions, locations; /* the next free numbers */
};

static void put_number(struct pf_buffer *out, unsigned field, uint64_t value)
{
	pf_buffer_uleb(out, field << 3);
	pf_buffer_uleb(out, value);
}

static void put_bytes(struct pf_buffer *out, unsigned field, const void *bytes, size_t size)
{
	pf_buffer_uleb(out, field << 3 | 2);
	pf_buffer_uleb(out, size);
	pf_buffer_bytes(out, bytes, size);
}

/* MESSAGE as a field of OUT; it is empty and used up then. */
static void put_message(struct pf_buffer *out, unsigned field, struct pf_buffer *message)
{
	put_bytes(out, field, message->data, message->size);
	out->failed |= message->failed;
	pf_buffer_fini(message);
}

static uint64_t put_string(struct writer *w, const char *string)
{
	put_bytes(w->out, PROFILE_STRING, string, strlen(string));
	return w->strings++;
}

static void put_sample_type(struct writer *w, uint64_t type)
{
	struct pf_buffer message = { 0 };

	put_number(&message, TYPE_TYPE, type);
	put_number(&message, TYPE_UNIT, STRING_COUNT);
	put_message(w->out, PROFILE_SAMPLE_TYPE, &message);
}

static uint64_t put_function(struct writer *w, const struct pf_node *node)
{
	struct pf_buffer message = { 0 };
	uint64_t name = put_string(w, node->name), file = put_string(w, node->file);

	put_number(&message, FUNCTION_ID, w->functions);
	put_number(&message, FUNCTION_NAME, name);
	put_number(&message, FUNCTION_SYSTEM_NAME, name);
	put_number(&message, FUNCTION_FILE, file);
	put_number(&message, FUNCTION_LINE, node->line);
	put_message(w->out, PROFILE_FUNCTION, &message);
	return w->functions++;
}

/* The line that POSITION has in its file; what lies before the declaration is at it. */
static uint64_t line_of(const struct pf_node *node, const struct pf_position *position)
{
	int64_t line = (int64_t)node->line + position->line;

	return line > 0 ? (uint64_t)line : 0;
}

/* IDS are the functions' numbers, node by node. */
static uint64_t put_location(struct writer *w, const struct pf_function *f, const uint64_t *ids,
			     const struct pf_place *place)
{
	struct pf_buffer location = { 0 };
	const struct pf_position *position = &place->position;
	uint32_t node = place->node;

	put_number(&location, LOCATION_ID, w->locations);
	for (;;) {
		struct pf_buffer line = { 0 };

		put_number(&line, LINE_FUNCTION, ids[node]);
		put_number(&line, LINE_LINE, line_of(&f->nodes[node], position));
		put_message(&location, LOCATION_LINE, &line);
		if (node == 0)
			break;
		position = &f->nodes[node].site;
		node = f->nodes[node].parent;
	}
	put_message(w->out, PROFILE_LOCATION, &location);
	return w->locations++;
}

static uint64_t clamp(uint64_t value)
{
	return value < INT64_MAX ? value : INT64_MAX;
}

static void put_record(struct writer *w, const struct pf_profile *profile, const struct pf_function *f,
		       const uint64_t *ids, const struct pf_record *record)
{
	struct pf_buffer sample = { 0 };

	put_number(&sample, SAMPLE_LOCATION, put_location(w, f, ids, &record->place));
	put_number(&sample, SAMPLE_VALUE, clamp(record->count));
	if (profile->unit == PF_UNIT_EXECUTIONS)
		put_number(&sample, SAMPLE_VALUE, clamp(pf_export_work(profile, record)));
	put_message(w->out, PROFILE_SAMPLE, &sample);
}

static bool put_all(struct writer *w, const struct pf_profile *profile)
{
	for (size_t i = 0; i < STRINGS_FIXED; i++)
		put_string(w, fixed_strings[i]);
	if (profile->unit == PF_UNIT_EXECUTIONS) {
		put_sample_type(w, STRING_EXECUTIONS);
		put_sample_type(w, STRING_INSTRUCTIONS); /* viewers show the last one first */
	} else {
		put_sample_type(w, STRING_SAMPLES);
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct pf_function *f = &profile->functions[i];
		uint64_t *ids = calloc(f->node_count, sizeof *ids);

		if (!ids)
			return false;
		for (uint32_t n = 0; n < f->node_count; n++)
			ids[n] = put_function(w, &f->nodes[n]);
		for (uint32_t r = 0; r < f->record_count; r++) {
			if (f->records[r].count)
				put_record(w, profile, f, ids, &f->records[r]);
		}
		free(ids);
	}
	return true;
}

/* gzip with no time in its header, so that the same profile gives the same bytes. */
static bool compress_into(struct pf_buffer *out, const struct pf_buffer *plain)
{
	z_stream stream = { 0 };
	uint8_t block[65536];
	int state;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	for (size_t at = 0, left = plain->size; left > 0 || at == 0; at++) {
		size_t take = left < (1u << 30) ? left : 1u << 30;

		stream.next_in = plain->data + (plain->size - left);
		stream.avail_in = (uInt)take;
		left -= take;
		do {
			stream.next_out = block;
			stream.avail_out = sizeof block;
			state = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
			pf_buffer_bytes(out, block, sizeof block - stream.avail_out);
		} while (stream.avail_out == 0);
	}
	deflateEnd(&stream);
	return state == Z_STREAM_END;
}

int pf_export_pprof(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		    struct pf_error *error)
{
	struct pf_buffer plain = { 0 };
	struct writer w = { .out = &plain, .functions = 1, .locations = 1 };
	bool done = put_all(&w, profile) && !plain.failed;
	int status = PF_OK;

	if (!done)
		status = pf_fail(error, PF_ENOMEM, "out of memory");
	else if (w.locations == 1)
		status = pf_fail(error, PF_EEMPTY, "nothing in it has run");
	else if (!compress_into(out, &plain))
		status = pf_fail(error, PF_ENOMEM, "out of memory to compress");
	pf_buffer_fini(&plain);
	if (status == PF_OK)
		pf_buffer_printf(
		    notes, "a stack is a function and what was inlined into it: a profile does not know callers\n");
	return status;
}
