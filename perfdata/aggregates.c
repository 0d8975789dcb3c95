/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See aggregates.h.  The hard case is a word that means two things: in a trace, a place that is all ones says that
 * there is no branch or no straight code. */
#include "perfdata/aggregates.h"
#include "perfdata/perf-script.h"
#include "perfdata/script-words.h"

#include <inttypes.h>

#define NOWHERE ((uint64_t)-3) /* from there on; what an address is not */
#define SHOWN 40               /* characters of a line in a message */

static bool same_id(const struct pf_aggregate_object *a, const struct pf_aggregate_object *b)
{
	return a->id_size == b->id_size && memcmp(a->id, b->id, a->id_size) == 0;
}

/* The index of OBJECT, which is added unless it is the one before; PF_AGGREGATE_UNKNOWN when out of memory.  So a text
 * in which every line names another costs no search. */
static uint32_t object_of(struct pf_aggregates *a, const struct pf_aggregate_object *object)
{
	struct pf_aggregate_object *new;

	if (a->objects.count > 0 && same_id(&a->objects.at[a->objects.count - 1], object))
		return (uint32_t)(a->objects.count - 1);
	new = pf_array_push(&a->objects);
	if (!new)
		return PF_AGGREGATE_UNKNOWN;
	*new = *object;
	return (uint32_t)(a->objects.count - 1);
}

/* An entry as it stands in its line. */
struct entry {
	char type;
	struct pf_aggregate_place places[3];
	unsigned place_count;
	uint64_t count, missed;
	struct pf_words event;
};

/* 1; 0 if WORD is no place, PF_ENOMEM. */
static int read_place(struct pf_aggregates *a, struct pf_words word, struct pf_aggregate_place *place)
{
	struct pf_words offset = word, id;
	struct pf_aggregate_object object = { 0 };
	bool known = true;

	if (pf_words_find(&offset, ":")) {
		id = (struct pf_words) { word.at, offset.at };
		offset.at++;
		known = !(id.end - id.at == 1 && *id.at == 'X');
		if (known && !pf_words_is_id(id, object.id, &object.id_size))
			return 0;
	}
	if (offset.end - offset.at == 2 && pf_words_skip(&offset, "-") && *offset.at >= '1' && *offset.at <= '3')
		place->address = (uint64_t)0 - (uint64_t)(*offset.at - '0');
	else if (!pf_words_is_hex(offset, &place->address))
		return 0;
	place->object = known ? object_of(a, &object) : PF_AGGREGATE_UNKNOWN;
	return known && place->object == PF_AGGREGATE_UNKNOWN ? PF_ENOMEM : 1;
}

static unsigned places_of(char type)
{
	if (type == 'S')
		return 1;
	return strchr("TR", type) ? 3 : 2;
}

static bool read_number(struct pf_words *line, uint64_t *number)
{
	struct pf_words word = pf_words_next(line);

	return pf_words_decimal(&word, number) && pf_words_empty(word);
}

/* 1; 0 if LINE is no entry, PF_ENOMEM. */
static int read_entry(struct pf_aggregates *a, struct pf_words line, struct entry *e)
{
	struct pf_words type = pf_words_next(&line), rest;
	int status = 1;

	*e = (struct entry) { 0 };
	if (type.end - type.at != 1 || !*type.at || !strchr("BFfrTRSE", *type.at))
		return 0;
	e->type = *type.at;
	if (e->type == 'E') {
		e->event = pf_words_next(&line);
		return !pf_words_empty(e->event);
	}
	for (e->place_count = 0; status > 0 && e->place_count < places_of(e->type); e->place_count++)
		status = read_place(a, pf_words_next(&line), &e->places[e->place_count]);
	if (status <= 0)
		return status;
	if (!read_number(&line, &e->count))
		return 0;
	rest = line;
	if (e->type == 'B' && !pf_words_empty(pf_words_next(&rest)) && !read_number(&line, &e->missed))
		return 0;
	return pf_words_empty(pf_words_next(&line)) && e->missed <= e->count;
}

static bool add(struct pf_aggregates *a, enum pf_aggregate_kind kind, const struct pf_aggregate_place *places,
		const struct entry *e)
{
	struct pf_aggregate *new;

	if (kind != PF_AGGREGATE_SAMPLE && (places[0].address >= NOWHERE || places[1].address >= NOWHERE))
		return true;
	new = pf_array_push(&a->list);
	if (!new)
		return false;
	*new = (struct pf_aggregate) { .kind = kind, .from = places[0], .count = e->count, .missed = e->missed };
	if (kind != PF_AGGREGATE_SAMPLE)
		new->to = places[1];
	return true;
}

static bool take(struct pf_aggregates *a, const struct entry *e)
{
	switch (e->type) {
	case 'E':
		free(a->event);
		a->event = strndup(e->event.at, (size_t)(e->event.end - e->event.at));
		return a->event != NULL;
	case 'S':
		return add(a, PF_AGGREGATE_SAMPLE, e->places, e);
	case 'B':
		return add(a, PF_AGGREGATE_BRANCH, e->places, e);
	case 'T':
	case 'R':
		return add(a, PF_AGGREGATE_BRANCH, e->places, e) && add(a, PF_AGGREGATE_RUN, e->places + 1, e);
	default:
		return add(a, PF_AGGREGATE_RUN, e->places, e);
	}
}

bool pf_aggregates_begin(struct pf_perf_file *file)
{
	struct pf_aggregates a = { 0 };
	uint64_t offset, next = file->next;
	struct pf_words line;
	struct entry e;
	bool begins = pf_script_line(file, &line, &offset, NULL) > 0 && read_entry(&a, line, &e) > 0;

	file->next = next;
	pf_aggregates_fini(&a);
	return begins;
}

static int refuse(const struct pf_perf_file *file, struct pf_words line, uint64_t number, uint64_t offset,
		  struct pf_error *error)
{
	char shown[SHOWN + 1];
	size_t size = (size_t)(line.end - line.at) < SHOWN ? (size_t)(line.end - line.at) : SHOWN;

	for (size_t i = 0; i < size; i++)
		shown[i] = line.at[i] >= ' ' && line.at[i] < 127 ? line.at[i] : '?';
	shown[size] = 0;
	return pf_fail(
	    error, PF_EFORMAT,
	    "%s: line %" PRIu64 " at offset %" PRIu64
	    ", '%s', is no entry of pre-aggregated text as perf2bolt -pa reads it, such as B 4b196f 4b19e0 2 "
	    "0 or F 41be50 41be90 3; correct or remove it",
	    file->input.path, number, offset, shown);
}

int pf_aggregates_read(struct pf_aggregates *a, struct pf_perf_file *file, struct pf_error *error)
{
	struct pf_words line, rest;
	uint64_t offset, number = 0;
	int status;

	while ((status = pf_script_line(file, &line, &offset, error)) > 0) {
		struct entry e;

		number++;
		rest = line;
		if (pf_words_empty(pf_words_next(&rest)))
			continue;
		status = read_entry(a, line, &e);
		if (status == 0)
			return refuse(file, line, number, offset, error);
		if (status < 0 || !take(a, &e))
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
	}
	return status;
}

void pf_aggregates_fini(struct pf_aggregates *a)
{
	pf_array_fini(&a->objects);
	pf_array_fini(&a->list);
	free(a->event);
	a->event = NULL;
}
