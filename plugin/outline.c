/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outline.h.  Discriminators have no part in it: they number the blocks of a line, so that an edit changes them
 * only where it changes the line.  The hard case is the indirect call, whose targets are no names in the source: a
 * profile's spot of a call is one beside that of its position, and an outline without the name still has the position.
 */
#include "plugin/outline.h"
#include "support/array.h"
#include "support/search.h"

uint64_t pf_outline_call(const char *name)
{
	uint64_t hash = 14695981039346656037u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 1099511628211u;
	return hash > PF_CONDITION ? hash : PF_CONDITION + 1;
}

static bool add(struct pf_outline *outline, const struct pf_position *position, uint64_t call)
{
	struct pf_spot *new = pf_array_push(outline);

	if (new)
		*new = (struct pf_spot) { position->line, position->column, call };
	return new;
}

bool pf_outline_add(struct pf_outline *outline, const struct pf_position *position, const char *name)
{
	return add(outline, position, 0) && (!name || add(outline, position, pf_outline_call(name)));
}

bool pf_outline_add_condition(struct pf_outline *outline, const struct pf_position *position)
{
	return add(outline, position, PF_CONDITION);
}

static bool add_record(struct pf_outline *outline, const struct pf_record *record)
{
	bool good = pf_outline_add(outline, &record->place.position, NULL);

	for (uint32_t i = 0; i < record->target_count && good; i++)
		good = pf_outline_add(outline, &record->place.position, record->targets[i].name);
	if (record->outcome_count > 0)
		good = good && pf_outline_add_condition(outline, &record->place.position);
	return good;
}

bool pf_outline_add_nodes(struct pf_outline *const *outlines, const struct pf_function *f)
{
	bool good = true;

	for (uint32_t i = 0; i < f->record_count && good; i++) {
		if (outlines[f->records[i].place.node])
			good = add_record(outlines[f->records[i].place.node], &f->records[i]);
	}
	for (uint32_t i = 1; i < f->node_count && good; i++) {
		if (outlines[f->nodes[i].parent])
			good = pf_outline_add(outlines[f->nodes[i].parent], &f->nodes[i].site, f->nodes[i].name);
	}
	return good;
}

bool pf_outline_add_all(struct pf_outline *outline, const struct pf_outline *another)
{
	if (another->count == 0)
		return true;
	if (!pf_array_reserve(&outline->at, outline->count, &outline->capacity, another->count, sizeof *outline->at))
		return false;
	memcpy(outline->at + outline->count, another->at, another->count * sizeof *another->at);
	outline->count += another->count;
	return true;
}

static int compare_spots(const void *left, const void *right)
{
	const struct pf_spot *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return a->call < b->call ? -1 : a->call > b->call;
}

void pf_outline_sort(struct pf_outline *outline)
{
	size_t kept = 0;

	pf_array_sort(outline, compare_spots);
	for (size_t i = 0; i < outline->count; i++) {
		if (kept == 0 || compare_spots(&outline->at[kept - 1], &outline->at[i]) != 0)
			outline->at[kept++] = outline->at[i];
	}
	outline->count = kept;
}

void pf_outline_fini(struct pf_outline *outline)
{
	pf_array_fini(outline);
}

static uint32_t first_from(const struct pf_outline *outline, const struct pf_spot *wanted)
{
	struct pf_search search = pf_search_over(outline->count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_spots(&outline->at[search.middle], wanted) < 0);
	return (uint32_t)search.low;
}

bool pf_outline_has(const struct pf_outline *outline, int32_t line, uint32_t column, uint64_t call)
{
	struct pf_spot wanted = { line, column, call };
	uint32_t at = first_from(outline, &wanted);

	return at < outline->count && compare_spots(&outline->at[at], &wanted) == 0;
}

uint32_t pf_outline_first(const struct pf_outline *outline, int32_t line)
{
	return first_from(outline, &(struct pf_spot) { line, 0, 0 });
}
