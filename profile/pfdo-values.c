/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in a .pfdo file (doc/pfdo-format, "valu").  Few functions have any, and older readers pass over them, so they
 * are a chunk of their own: a table of the functions concerned, by the place of their records, and the values behind
 * it.  Hard case: a hostile table, whose entries lead anywhere: what one leads to must fit the function that it is
 * read for, and a whole file must have no entry that nobody reads. */
#include "profile/pfdo-values.h"
#include "profile/value-list.h"
#include "support/search.h"

#define HEAD_SIZE 8
#define ENTRY_SIZE 16
/* The fewest bytes that one of them takes. */
#define RECORD_BYTES 5
#define VALUE_BYTES 3

void pf_pfdo_values_add(struct pf_pfdo_values *values, const struct pf_function *function, uint64_t offset)
{
	uint64_t start = values->payloads.size;
	uint32_t previous = 0, records = 0;

	for (uint32_t r = 0; r < function->record_count; r++)
		records += function->records[r].value_count > 0;
	if (!records)
		return;
	pf_buffer_uleb(&values->payloads, records);
	for (uint32_t r = 0; r < function->record_count; r++) {
		const struct pf_record *record = &function->records[r];

		if (!record->value_count)
			continue;
		pf_buffer_uleb(&values->payloads, r - previous);
		pf_buffer_uleb(&values->payloads, record->value_count);
		for (uint32_t v = 0; v < record->value_count; v++) {
			pf_buffer_u8(&values->payloads,
				     (uint8_t)(record->values[v].kind * PF_VALUE_PARTS + record->values[v].part));
			pf_buffer_sleb(&values->payloads, record->values[v].value);
			pf_buffer_uleb(&values->payloads, record->values[v].count);
		}
		previous = r;
	}
	pf_buffer_u64(&values->table, offset);
	pf_buffer_u32(&values->table, (uint32_t)start);
	pf_buffer_u32(&values->table, (uint32_t)(values->payloads.size - start));
	/* Offsets have 32 bits: what lies behind is too much for any profile, and said to be. */
	values->table.failed |= values->payloads.size > UINT32_MAX;
	values->count++;
}

void pf_pfdo_values_finish(struct pf_pfdo_values *values, struct pf_buffer *out)
{
	if (values->count) {
		pf_buffer_u32(out, values->count);
		pf_buffer_u32(out, 0);
		pf_buffer_bytes(out, values->table.data, values->table.size);
		pf_buffer_bytes(out, values->payloads.data, values->payloads.size);
	}
	out->failed |= values->table.failed || values->payloads.failed;
	pf_buffer_fini(&values->table);
	pf_buffer_fini(&values->payloads);
}

int pf_pfdo_values_count(struct pf_pfdo *file, uint32_t *count, struct pf_error *error)
{
	const struct pf_pfdo_part *part = &file->parts[PF_CHUNK_VALUES];
	struct pf_cursor c;
	int status;

	*count = 0;
	if (!part->offset)
		return PF_OK;
	status = pf_pfdo_view(file, PF_CHUNK_VALUES, 0, HEAD_SIZE, &c, error);
	if (status < 0)
		return status;
	*count = pf_cursor_u32(&c);
	if (*count > (part->size - HEAD_SIZE) / ENTRY_SIZE)
		return pf_pfdo_damaged(file->path, part->offset, "more functions with values than there is room for",
				       error);
	return PF_OK;
}

int pf_pfdo_values_check(struct pf_pfdo *file, struct pf_error *error)
{
	uint64_t end = 0;
	struct pf_cursor c;
	uint32_t count;
	int status = pf_pfdo_values_count(file, &count, error);

	if (status == PF_OK && count)
		status = pf_pfdo_view(file, PF_CHUNK_VALUES, HEAD_SIZE, (uint64_t)count * ENTRY_SIZE, &c, error);
	for (uint32_t i = 0; status == PF_OK && i < count; i++) {
		uint64_t start;

		pf_cursor_u64(&c);
		start = pf_cursor_u32(&c);
		if (start < end)
			status = pf_pfdo_damaged(file->path, c.origin, "values of two functions in one place", error);
		end = start + pf_cursor_u32(&c);
	}
	return status;
}

/* The first entry of a function at OFFSET or behind it. */
static int find_entry(struct pf_pfdo *file, uint32_t count, uint64_t offset, uint64_t *entry, struct pf_error *error)
{
	struct pf_search search = pf_search_over(count);
	int status = PF_OK;

	while (pf_search_goes_on(&search) && status == PF_OK) {
		struct pf_cursor c;

		status = pf_pfdo_view(file, PF_CHUNK_VALUES, HEAD_SIZE + search.middle * ENTRY_SIZE, 8, &c, error);
		pf_search_step(&search, status == PF_OK && pf_cursor_u64(&c) < offset);
	}
	*entry = search.low;
	return status;
}

static const char *read_values(struct pf_cursor *c, struct pf_record *record)
{
	for (uint32_t v = 0; v < record->value_count; v++) {
		struct pf_value *value = &record->values[v];
		uint8_t key = pf_cursor_u8(c);

		value->kind = key / PF_VALUE_PARTS;
		value->part = key % PF_VALUE_PARTS;
		value->value = pf_cursor_sleb(c);
		value->count = pf_cursor_uleb(c);
		if (!pf_value_kind_name(value->kind) || (value->part != PF_VALUE_ONE && value->value))
			return "a value of no kind";
	}
	record->value_count = pf_values_canonicalise(record->values, record->value_count);
	return NULL;
}

/* What is wrong with the values under C; NULL when nothing is. */
static const char *read_records(struct pf_cursor *c, struct pf_profile *profile, struct pf_function *function)
{
	uint64_t records = pf_cursor_uleb(c), at = 0;

	if (records > pf_cursor_left(c) / RECORD_BYTES)
		return "more positions with values than there are bytes for";
	for (uint64_t r = 0; r < records; r++) {
		uint64_t distance = pf_cursor_uleb(c), count = pf_cursor_uleb(c);
		const char *wrong;

		if (distance >= function->record_count - at || (r && !distance))
			return "values of a position that does not exist";
		if (count > pf_cursor_left(c) / VALUE_BYTES)
			return "more values than there are bytes for";
		at += distance;
		function->records[at].values = pf_profile_reserve(profile, count * sizeof(struct pf_value));
		if (!function->records[at].values)
			return "values that need more memory than there is";
		function->records[at].value_count = (uint32_t)count;
		wrong = read_values(c, &function->records[at]);
		if (wrong)
			return wrong;
	}
	return c->failed || pf_cursor_left(c) ? "values that do not fill their place" : NULL;
}

int pf_pfdo_values_get(struct pf_pfdo *file, uint64_t offset, struct pf_profile *profile, struct pf_function *function,
		       bool *found, struct pf_error *error)
{
	uint32_t count, start, size;
	uint64_t entry = 0, payloads;
	const char *wrong;
	struct pf_cursor c;
	int status = pf_pfdo_values_count(file, &count, error);

	if (found)
		*found = false;
	if (status == PF_OK && count)
		status = find_entry(file, count, offset, &entry, error);
	if (status < 0 || !count || entry == count)
		return status;
	status = pf_pfdo_view(file, PF_CHUNK_VALUES, HEAD_SIZE + entry * ENTRY_SIZE, ENTRY_SIZE, &c, error);
	if (status < 0 || pf_cursor_u64(&c) != offset)
		return status;
	start = pf_cursor_u32(&c);
	size = pf_cursor_u32(&c);
	payloads = HEAD_SIZE + (uint64_t)count * ENTRY_SIZE;
	status = pf_pfdo_view(file, PF_CHUNK_VALUES, payloads + start, size, &c, error);
	if (status < 0)
		return status;
	wrong = read_records(&c, profile, function);
	if (found)
		*found = true;
	return wrong ? pf_pfdo_damaged(file->path, c.origin, wrong, error) : PF_OK;
}
