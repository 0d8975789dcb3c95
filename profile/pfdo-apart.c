/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What records of functions have beside what the first version of the format gave them (doc/pfdo-format, "valu" and
 * "sens").  Older readers pass over it, so each kind is a chunk of its own: a table of the functions concerned, by the
 * place of their records, and behind it for each the items of its records.  Hard case: a hostile table, whose entries
 * lead anywhere: what one leads to must fit the function that it is read for, and a whole file must have no entry that
 * nobody reads. */
#include "profile/pfdo-apart.h"
#include "profile/value-list.h"
#include "support/search.h"

#define HEAD_SIZE 8
#define ENTRY_SIZE 16
#define RECORD_BYTES 2 /* the fewest that a record takes beside its items */

struct kind {
	enum pf_pfdo_chunk chunk;
	const char *room, *shared, *place, *items, *fill, *nobody; /* what may be wrong */
	uint32_t item_bytes;					   /* the fewest that an item takes */
	uint32_t (*count)(const struct pf_record *record);	   /* items of a record; 0: it need not be told */
	void (*put)(struct pf_buffer *out, const struct pf_record *record, uint32_t item);
	/* Reads COUNT items of RECORD.  What is wrong with them; NULL when nothing is. */
	const char *(*get)(struct pf_cursor *c, struct pf_profile *profile, struct pf_record *record, uint32_t count);
};

static uint32_t count_values(const struct pf_record *record)
{
	return record->value_count;
}

static void put_value(struct pf_buffer *out, const struct pf_record *record, uint32_t v)
{
	pf_buffer_u8(out, (uint8_t)(record->values[v].kind * PF_VALUE_PARTS + record->values[v].part));
	pf_buffer_sleb(out, record->values[v].value);
	pf_buffer_uleb(out, record->values[v].count);
}

static const char *get_values(struct pf_cursor *c, struct pf_profile *profile, struct pf_record *record, uint32_t count)
{
	record->values = pf_profile_reserve(profile, count * sizeof(struct pf_value));
	if (!record->values)
		return "values that need more memory than there is";
	for (uint32_t v = 0; v < count; v++) {
		struct pf_value *value = &record->values[v];
		uint8_t key = pf_cursor_u8(c);

		value->kind = key / PF_VALUE_PARTS;
		value->part = key % PF_VALUE_PARTS;
		value->value = pf_cursor_sleb(c);
		value->count = pf_cursor_uleb(c);
		if (!pf_value_kind_name(value->kind) || (value->part != PF_VALUE_ONE && value->value))
			return "a value of no kind";
	}
	record->value_count = pf_values_canonicalise(record->values, count);
	return NULL;
}

static uint32_t count_senses(const struct pf_record *record)
{
	for (uint32_t o = 0; o < record->outcome_count; o++) {
		if (record->outcomes[o].sense)
			return record->outcome_count;
	}
	return 0;
}

static void put_sense(struct pf_buffer *out, const struct pf_record *record, uint32_t o)
{
	pf_buffer_u8(out, record->outcomes[o].sense);
}

static const char *get_senses(struct pf_cursor *c, struct pf_profile *profile, struct pf_record *record, uint32_t count)
{
	(void)profile;
	if (count != record->outcome_count)
		return "senses of another number of outcomes than there are";
	for (uint32_t o = 0; o < count; o++) {
		record->outcomes[o].sense = pf_cursor_u8(c);
		if (record->outcomes[o].sense >= PF_SENSES)
			return "a sense that is none";
	}
	return NULL;
}

static const struct kind kinds[PF_PFDO_APART] = {
	{ PF_CHUNK_VALUES, "more functions with values than there is room for", "values of two functions in one place",
	  "values of a position that does not exist", "more values than there are bytes for",
	  "values that do not fill their place", "values that belong to no function", 3, count_values, put_value,
	  get_values },
	{ PF_CHUNK_SENSES, "more functions with senses than there is room for", "senses of two functions in one place",
	  "senses of a position that does not exist", "more senses than there are bytes for",
	  "senses that do not fill their place", "senses that belong to no function", 1, count_senses, put_sense,
	  get_senses },
};

static bool put_records(const struct kind *kind, struct pf_buffer *out, const struct pf_function *function)
{
	uint32_t previous = 0, records = 0;

	for (uint32_t r = 0; r < function->record_count; r++)
		records += kind->count(&function->records[r]) > 0;
	if (!records)
		return false;
	pf_buffer_uleb(out, records);
	for (uint32_t r = 0; r < function->record_count; r++) {
		uint32_t items = kind->count(&function->records[r]);

		if (!items)
			continue;
		pf_buffer_uleb(out, r - previous);
		pf_buffer_uleb(out, items);
		for (uint32_t i = 0; i < items; i++)
			kind->put(out, &function->records[r], i);
		previous = r;
	}
	return true;
}

void pf_pfdo_apart_add(struct pf_pfdo_apart *apart, const struct pf_function *function, uint64_t offset)
{
	for (unsigned k = 0; k < PF_PFDO_APART; k++) {
		struct pf_buffer *table = &apart->kinds[k].table, *payloads = &apart->kinds[k].payloads;
		uint64_t start = payloads->size;

		if (!put_records(&kinds[k], payloads, function))
			continue;
		pf_buffer_u64(table, offset);
		pf_buffer_u32(table, (uint32_t)start);
		pf_buffer_u32(table, (uint32_t)(payloads->size - start));
		/* Offsets have 32 bits: what lies behind is too much for any profile, and said to be. */
		table->failed |= payloads->size > UINT32_MAX;
		apart->kinds[k].count++;
	}
}

void pf_pfdo_apart_finish(struct pf_pfdo_apart *apart, struct pf_buffer chunks[PF_CHUNK_COUNT])
{
	for (unsigned k = 0; k < PF_PFDO_APART; k++) {
		struct pf_buffer *table = &apart->kinds[k].table, *payloads = &apart->kinds[k].payloads;
		struct pf_buffer *out = &chunks[kinds[k].chunk];

		if (apart->kinds[k].count) {
			pf_buffer_u32(out, apart->kinds[k].count);
			pf_buffer_u32(out, 0);
			pf_buffer_bytes(out, table->data, table->size);
			pf_buffer_bytes(out, payloads->data, payloads->size);
		}
		out->failed |= table->failed || payloads->failed;
		pf_buffer_fini(table);
		pf_buffer_fini(payloads);
	}
}

/* How many functions have some of it, as the file says. */
static int read_count(struct pf_pfdo *file, const struct kind *kind, uint32_t *count, struct pf_error *error)
{
	const struct pf_pfdo_part *part = &file->parts[kind->chunk];
	struct pf_cursor c;
	int status;

	*count = 0;
	if (!part->offset)
		return PF_OK;
	status = pf_pfdo_view(file, kind->chunk, 0, HEAD_SIZE, &c, error);
	if (status < 0)
		return status;
	*count = pf_cursor_u32(&c);
	if (*count > (part->size - HEAD_SIZE) / ENTRY_SIZE)
		return pf_pfdo_damaged(file->path, part->offset, kind->room, error);
	return PF_OK;
}

static int check_kind(struct pf_pfdo *file, const struct kind *kind, struct pf_error *error)
{
	uint64_t end = 0;
	struct pf_cursor c;
	uint32_t count;
	int status = read_count(file, kind, &count, error);

	if (status == PF_OK && count)
		status = pf_pfdo_view(file, kind->chunk, HEAD_SIZE, (uint64_t)count * ENTRY_SIZE, &c, error);
	for (uint32_t i = 0; status == PF_OK && i < count; i++) {
		uint64_t start;

		pf_cursor_u64(&c);
		start = pf_cursor_u32(&c);
		if (start < end)
			status = pf_pfdo_damaged(file->path, c.origin, kind->shared, error);
		end = start + pf_cursor_u32(&c);
	}
	return status;
}

int pf_pfdo_apart_check(struct pf_pfdo *file, struct pf_error *error)
{
	int status = PF_OK;

	for (unsigned k = 0; k < PF_PFDO_APART && status == PF_OK; k++)
		status = check_kind(file, &kinds[k], error);
	return status;
}

int pf_pfdo_apart_complete(struct pf_pfdo *file, const uint32_t found[PF_PFDO_APART], struct pf_error *error)
{
	int status = PF_OK;

	for (unsigned k = 0; k < PF_PFDO_APART && status == PF_OK; k++) {
		uint32_t count;

		status = read_count(file, &kinds[k], &count, error);
		if (status == PF_OK && count != found[k])
			return pf_pfdo_damaged(file->path, file->parts[kinds[k].chunk].offset, kinds[k].nobody, error);
	}
	return status;
}

/* The first entry of a function at OFFSET or behind it. */
static int find_entry(struct pf_pfdo *file, const struct kind *kind, uint32_t count, uint64_t offset, uint64_t *entry,
		      struct pf_error *error)
{
	struct pf_search search = pf_search_over(count);
	int status = PF_OK;

	while (pf_search_goes_on(&search) && status == PF_OK) {
		struct pf_cursor c;

		status = pf_pfdo_view(file, kind->chunk, HEAD_SIZE + search.middle * ENTRY_SIZE, 8, &c, error);
		pf_search_step(&search, status == PF_OK && pf_cursor_u64(&c) < offset);
	}
	*entry = search.low;
	return status;
}

/* What is wrong with the records under C; NULL when nothing is. */
static const char *get_records(const struct kind *kind, struct pf_cursor *c, struct pf_profile *profile,
			       struct pf_function *function)
{
	uint64_t records = pf_cursor_uleb(c), at = 0;

	if (records > pf_cursor_left(c) / (RECORD_BYTES + kind->item_bytes))
		return kind->items;
	for (uint64_t r = 0; r < records; r++) {
		uint64_t distance = pf_cursor_uleb(c), count = pf_cursor_uleb(c);
		const char *wrong;

		if (distance >= function->record_count - at || (r && !distance))
			return kind->place;
		if (count > pf_cursor_left(c) / kind->item_bytes)
			return kind->items;
		at += distance;
		wrong = kind->get(c, profile, &function->records[at], (uint32_t)count);
		if (wrong)
			return wrong;
	}
	return c->failed || pf_cursor_left(c) ? kind->fill : NULL;
}

static int get_kind(struct pf_pfdo *file, const struct kind *kind, uint64_t offset, struct pf_profile *profile,
		    struct pf_function *function, bool *found, struct pf_error *error)
{
	uint32_t count, start, size;
	uint64_t entry = 0, payloads;
	const char *wrong;
	struct pf_cursor c;
	int status = read_count(file, kind, &count, error);

	*found = false;
	if (status == PF_OK && count)
		status = find_entry(file, kind, count, offset, &entry, error);
	if (status < 0 || !count || entry == count)
		return status;
	status = pf_pfdo_view(file, kind->chunk, HEAD_SIZE + entry * ENTRY_SIZE, ENTRY_SIZE, &c, error);
	if (status < 0 || pf_cursor_u64(&c) != offset)
		return status;
	start = pf_cursor_u32(&c);
	size = pf_cursor_u32(&c);
	payloads = HEAD_SIZE + (uint64_t)count * ENTRY_SIZE;
	status = pf_pfdo_view(file, kind->chunk, payloads + start, size, &c, error);
	if (status < 0)
		return status;
	wrong = get_records(kind, &c, profile, function);
	*found = true;
	return wrong ? pf_pfdo_damaged(file->path, c.origin, wrong, error) : PF_OK;
}

int pf_pfdo_apart_get(struct pf_pfdo *file, uint64_t offset, struct pf_profile *profile, struct pf_function *function,
		      uint32_t found[PF_PFDO_APART], struct pf_error *error)
{
	int status = PF_OK;

	for (unsigned k = 0; k < PF_PFDO_APART && status == PF_OK; k++) {
		bool here;

		status = get_kind(file, &kinds[k], offset, profile, function, &here, error);
		if (found)
			found[k] += here;
	}
	return status;
}
