/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records, targets, outcomes, values and paths in canonical order, equal keys added up.  Hard case: records of one
 * place bring their own arrays; these are joined in the arena first and added up afterwards, as any other array is. */
#include "profile/canonical.h"
#include "profile/saturate.h"
#include "profile/value-list.h"

#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *a, const void *b);

static int compare_counts_descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_records(const void *a, const void *b)
{
	return pf_place_compare(&((const struct pf_record *)a)->place, &((const struct pf_record *)b)->place);
}

static int compare_target_names(const void *a, const void *b)
{
	return strcmp(((const struct pf_target *)a)->name, ((const struct pf_target *)b)->name);
}

static int compare_targets(const void *a, const void *b)
{
	int order =
	    compare_counts_descending(((const struct pf_target *)a)->count, ((const struct pf_target *)b)->count);

	return order ? order : compare_target_names(a, b);
}

static int compare_outcome_keys(const void *a, const void *b)
{
	const struct pf_outcome *x = a, *y = b;
	int order = pf_place_compare(&x->to, &y->to);

	if (!order)
		order = x->taken - y->taken;
	return order ? order : x->sense - y->sense;
}

static int compare_outcomes(const void *a, const void *b)
{
	int order =
	    compare_counts_descending(((const struct pf_outcome *)a)->count, ((const struct pf_outcome *)b)->count);

	return order ? order : compare_outcome_keys(a, b);
}

static int compare_path_places(const void *a, const void *b)
{
	const struct pf_path *x = a, *y = b;
	int order = (x->place_count > y->place_count) - (x->place_count < y->place_count);

	for (uint32_t i = 0; i < x->place_count && !order; i++)
		order = pf_place_compare(&x->places[i], &y->places[i]);
	return order;
}

static int compare_paths(const void *a, const void *b)
{
	int order = compare_counts_descending(((const struct pf_path *)a)->count, ((const struct pf_path *)b)->count);

	return order ? order : compare_path_places(a, b);
}

/* qsort that leaves an array alone that is in order already, as what comes from a file always is. */
static void sort(void *array, uint32_t count, size_t size, comparison *compare)
{
	const char *at = array;

	for (uint32_t i = 1; i < count; i++) {
		if (compare(at + (i - 1) * size, at + i * size) > 0) {
			qsort(array, count, size, compare);
			return;
		}
	}
}

static uint32_t add_up_targets(struct pf_target *targets, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (kept && compare_target_names(&targets[kept - 1], &targets[i]) == 0)
			targets[kept - 1].count = pf_count_add(targets[kept - 1].count, targets[i].count);
		else
			targets[kept++] = targets[i];
	}
	return kept;
}

static uint32_t add_up_outcomes(struct pf_outcome *outcomes, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (kept && compare_outcome_keys(&outcomes[kept - 1], &outcomes[i]) == 0)
			outcomes[kept - 1].count = pf_count_add(outcomes[kept - 1].count, outcomes[i].count);
		else
			outcomes[kept++] = outcomes[i];
	}
	return kept;
}

static uint32_t add_up_paths(struct pf_path *paths, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (kept && compare_path_places(&paths[kept - 1], &paths[i]) == 0)
			paths[kept - 1].count = pf_count_add(paths[kept - 1].count, paths[i].count);
		else
			paths[kept++] = paths[i];
	}
	return kept;
}

/* How many items some records have together. */
struct items {
	uint64_t targets, outcomes, values;
};

static struct items count_items(const struct pf_record *records, uint32_t count)
{
	struct items items = { 0 };

	for (uint32_t r = 0; r < count; r++) {
		items.targets += records[r].target_count;
		items.outcomes += records[r].outcome_count;
		items.values += records[r].value_count;
	}
	return items;
}

/* Room for COUNT items of SIZE bytes in *ROOM; false when out of memory. */
static bool make_room(struct pf_profile *profile, void *room, uint64_t count, size_t size)
{
	void *memory = count && count <= UINT32_MAX ? pf_profile_reserve(profile, count * size) : NULL;

	memcpy(room, &memory, sizeof memory);
	return memory || !count;
}

/* Appends the COUNT items of SIZE bytes at FROM to those at TO, where there is room, and of which there are *SO_FAR. */
static void append(void *to, uint32_t *so_far, const void *from, uint32_t count, size_t size)
{
	if (count)
		memcpy((char *)to + *so_far * size, from, count * size);
	*so_far += count;
}

static void add_record(struct pf_record *sum, const struct pf_record *more)
{
	append(sum->targets, &sum->target_count, more->targets, more->target_count, sizeof *sum->targets);
	append(sum->outcomes, &sum->outcome_count, more->outcomes, more->outcome_count, sizeof *sum->outcomes);
	append(sum->values, &sum->value_count, more->values, more->value_count, sizeof *sum->values);
	sum->count = pf_count_add(sum->count, more->count);
	sum->max = pf_count_add(sum->max, more->max);
	/* The same binary, seen twice, has no more instructions than seen once. */
	if (more->instructions > sum->instructions)
		sum->instructions = more->instructions;
}

/* Makes records[0] the sum of COUNT records of one place, items behind each other; -1 when out of memory.  Room is made
 * once for all of them, or a fleet's would be copied as often as there are machines. */
static int join_records(struct pf_profile *profile, struct pf_record *records, uint32_t count)
{
	struct pf_record sum = { .place = records[0].place };
	struct items items;

	if (count == 1)
		return 0;
	items = count_items(records, count);
	if (!make_room(profile, &sum.targets, items.targets, sizeof *sum.targets) ||
	    !make_room(profile, &sum.outcomes, items.outcomes, sizeof *sum.outcomes) ||
	    !make_room(profile, &sum.values, items.values, sizeof *sum.values))
		return -1;
	for (uint32_t r = 0; r < count; r++)
		add_record(&sum, &records[r]);
	records[0] = sum;
	return 0;
}

static void finish_record(struct pf_record *record)
{
	sort(record->targets, record->target_count, sizeof *record->targets, compare_target_names);
	record->target_count = add_up_targets(record->targets, record->target_count);
	sort(record->targets, record->target_count, sizeof *record->targets, compare_targets);
	sort(record->outcomes, record->outcome_count, sizeof *record->outcomes, compare_outcome_keys);
	record->outcome_count = add_up_outcomes(record->outcomes, record->outcome_count);
	sort(record->outcomes, record->outcome_count, sizeof *record->outcomes, compare_outcomes);
	record->value_count = pf_values_canonicalise(record->values, record->value_count);
}

static void renumber(struct pf_function *function, const uint32_t *map)
{
	for (uint32_t r = 0; r < function->record_count; r++) {
		struct pf_record *record = &function->records[r];

		record->place.node = map[record->place.node];
		for (uint32_t o = 0; o < record->outcome_count; o++)
			record->outcomes[o].to.node = map[record->outcomes[o].to.node];
	}
	for (uint32_t p = 0; p < function->path_count; p++) {
		struct pf_path *path = &function->paths[p];

		for (uint32_t i = 0; i < path->place_count; i++)
			path->places[i].node = map[path->places[i].node];
	}
}

int pf_canonical_places(struct pf_profile *profile, struct pf_function *function, const uint32_t *map)
{
	struct pf_record *records = function->records;
	uint32_t kept = 0;

	renumber(function, map);
	sort(records, function->record_count, sizeof *records, compare_records);
	for (uint32_t first = 0, end; first < function->record_count; first = end) {
		end = first + 1;
		while (end < function->record_count && compare_records(&records[first], &records[end]) == 0)
			end++;
		if (join_records(profile, &records[first], end - first) < 0)
			return -1;
		records[kept++] = records[first];
	}
	function->record_count = kept;
	function->total = 0;
	for (uint32_t r = 0; r < kept; r++) {
		finish_record(&records[r]);
		function->total = pf_count_add(function->total, records[r].count);
	}
	sort(function->paths, function->path_count, sizeof *function->paths, compare_path_places);
	function->path_count = add_up_paths(function->paths, function->path_count);
	sort(function->paths, function->path_count, sizeof *function->paths, compare_paths);
	return 0;
}
