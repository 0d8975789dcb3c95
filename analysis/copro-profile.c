/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See copro-profile.h.  Groups and rows are in one table; what one is known by are the keys, or the group's number and
 * the labels.  Hard case: a program that makes a row of each sample, at which memory has a bound; and each row of a
 * group has a share of all others of it. */
#include "analysis/copro-profile.h"
#include "support/search.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_INDEX 1024u
#define MOST_OF_THE_REST 0.2

void pf_copro_profile_fini(struct pf_copro_profile *profile)
{
	pf_array_fini(&profile->entries);
	free(profile->index);
	*profile = (struct pf_copro_profile) { 0 };
}

/* Is field F part of what an entry of GROUP is known by? */
static bool identifies(const struct pf_copro_field *f, uint32_t group)
{
	return group == PF_NO_ENTRY ? f->key : f->label;
}

static size_t hash(const struct pf_copro_array *array, uint32_t number, uint32_t group, const uint64_t *values)
{
	uint64_t h = number + ((uint64_t)group << 32);

	for (uint8_t i = 0; i < array->field_count; i++) {
		if (identifies(&array->fields[i], group))
			h = (h ^ h >> 29 ^ values[i]) * 0x9e3779b97f4a7c15u;
	}
	return (size_t)(h >> 20);
}

static bool is_entry(const struct pf_copro_entry *entry, const struct pf_copro_array *array, uint32_t number,
		     uint32_t group, const uint64_t *values)
{
	if (entry->array != number || entry->group != group)
		return false;
	for (uint8_t i = 0; i < array->field_count; i++) {
		if (identifies(&array->fields[i], group) && entry->values[i] != values[i])
			return false;
	}
	return true;
}

static uint32_t *place_of(const struct pf_copro_profile *p, uint32_t number, uint32_t group, const uint64_t *values)
{
	const struct pf_copro_array *array = &p->program->arrays[number];
	size_t mask = p->index_size - 1, at = hash(array, number, group, values) & mask;

	while (p->index[at] && !is_entry(&p->entries.at[p->index[at] - 1], array, number, group, values))
		at = (at + 1) & mask;
	return &p->index[at];
}

static bool grow(struct pf_copro_profile *p)
{
	size_t wanted = p->index_size ? p->index_size * 2 : FIRST_INDEX;
	uint32_t *index;

	if (p->entries.count * 2 < p->index_size)
		return true;
	index = calloc(wanted, sizeof *index);
	if (!index)
		return false;
	free(p->index);
	p->index = index;
	p->index_size = wanted;
	for (size_t i = 0; i < p->entries.count; i++) {
		const struct pf_copro_entry *entry = &p->entries.at[i];

		*place_of(p, entry->array, entry->group, entry->values) = (uint32_t)i + 1;
	}
	return true;
}

/* The number of the entry, which is made if need be; *NEW tells. */
static bool entry_of(struct pf_copro_profile *p, uint32_t array, uint32_t group, const uint64_t *values,
		     uint32_t *number, bool *new)
{
	const struct pf_copro_array *a = &p->program->arrays[array];
	struct pf_copro_entry *entry;
	uint32_t *place;

	*new = false;
	if (!grow(p))
		return false;
	place = place_of(p, array, group, values);
	*number = *place ? *place - 1 : PF_NO_ENTRY;
	if (*place || p->entries.count == PF_COPRO_ENTRIES)
		return true;
	entry = pf_array_push(&p->entries);
	if (!entry)
		return false;
	*place = (uint32_t)p->entries.count;
	*number = *place - 1;
	*new = true;
	*entry = (struct pf_copro_entry) { .array = array, .group = group, .first = PF_NO_ENTRY, .next = PF_NO_ENTRY };
	for (uint8_t i = 0; i < a->field_count; i++) {
		if (a->fields[i].key || (group != PF_NO_ENTRY && a->fields[i].label))
			entry->values[i] = values[i];
	}
	return true;
}

bool pf_copro_profile_group(struct pf_copro_profile *p, uint32_t array, const uint64_t *values, uint32_t *group)
{
	bool new;

	if (!entry_of(p, array, PF_NO_ENTRY, values, group, &new))
		return false;
	if (*group == PF_NO_ENTRY)
		p->lost++;
	else
		p->entries.at[*group].times++;
	return true;
}

bool pf_copro_profile_add(struct pf_copro_profile *p, uint32_t group, const uint64_t *values)
{
	uint32_t array = p->entries.at[group].array, number;
	const struct pf_copro_array *a = &p->program->arrays[array];
	struct pf_copro_entry *row;
	bool new;

	if (!entry_of(p, array, group, values, &number, &new))
		return false;
	if (number == PF_NO_ENTRY) {
		p->lost++;
		return true;
	}
	row = &p->entries.at[number];
	row->times++;
	if (new) {
		row->next = p->entries.at[group].first;
		p->entries.at[group].first = number;
	}
	for (uint8_t i = 0; i < a->field_count; i++) {
		if (a->fields[i].sum)
			row->values[i] += values[i];
	}
	return true;
}

/* --- invariance --------------------------------------------------------------------------------------------------- */

struct sums {
	double hits, miss, total, with_hits;
};

static struct sums sums_of(const struct pf_copro_profile *p, const struct pf_copro_array *a, uint32_t group)
{
	struct sums s = { 0 };

	for (uint32_t i = p->entries.at[group].first; i != PF_NO_ENTRY; i = p->entries.at[i].next) {
		const uint64_t *values = p->entries.at[i].values;

		s.hits += (double)values[a->hit];
		s.miss += (double)values[a->miss];
		s.total += (double)values[a->total];
		s.with_hits += values[a->hit] > 0;
	}
	return s;
}

/* The share of its slots' samples that the value of VALUES had while it was the active one. */
static double rate_of(const struct pf_copro_array *a, const uint64_t *values)
{
	double hits = (double)values[a->hit];

	return hits > 0 ? hits / (hits + (double)values[a->miss]) : 0;
}

/* The misses of a row, of which each other row of its group claims either its own rate among what was not this row's
 * value, or its share of the hits of all but this row: the lesser, which is the first while the claimer's
 * rate / hits is below the bound. */
struct misses {
	double bound, by_rate, by_share; /* for each 1 of the rate, and of the hits */
};

static struct misses misses_of(const struct pf_copro_array *a, const struct sums *s, const uint64_t *values)
{
	double miss = (double)values[a->miss], own = (double)values[a->hit] + miss;
	double others = s->hits - (double)values[a->hit];

	/* Where no other has hits there is none that claims. */
	if (others <= 0)
		return (struct misses) { INFINITY, own, 0 };
	return (struct misses) { miss / own / others, own, miss / others };
}

static int compare_misses(const void *a, const void *b)
{
	const struct misses *x = a, *y = b;

	return (x->bound > y->bound) - (x->bound < y->bound);
}

/* Those of the rows of GROUP that have some, by their bounds, to LIST, which has room for all: of each by_share is the
 * sum up to it, and by_rate that from it on.  Their number. */
static size_t list_misses(const struct pf_copro_profile *p, const struct pf_copro_array *a, const struct sums *s,
			  uint32_t group, struct misses *list)
{
	size_t count = 0;

	for (uint32_t i = p->entries.at[group].first; i != PF_NO_ENTRY; i = p->entries.at[i].next) {
		if (p->entries.at[i].values[a->miss])
			list[count++] = misses_of(a, s, p->entries.at[i].values);
	}
	if (count)
		qsort(list, count, sizeof *list, compare_misses);
	for (size_t i = 1; i < count; i++) {
		list[i].by_share += list[i - 1].by_share;
		list[count - 1 - i].by_rate += list[count - i].by_rate;
	}
	return count;
}

/* How many of the misses of the others were the value of VALUES. */
static double claim(const struct pf_copro_array *a, const struct sums *s, const uint64_t *values,
		    const struct misses *list, size_t count)
{
	double hits = (double)values[a->hit], rate = rate_of(a, values), sum = 0;
	struct pf_search search = pf_search_over(count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, list[search.middle].bound <= rate / hits);
	if (search.low > 0)
		sum += hits * list[search.low - 1].by_share;
	if (search.low < count)
		sum += rate * list[search.low].by_rate;
	if (values[a->miss]) {
		struct misses own = misses_of(a, s, values);

		sum -= own.bound <= rate / hits ? hits * own.by_share : rate * own.by_rate;
	}
	return sum;
}

static void weigh_group(struct pf_copro_profile *p, uint32_t group, struct misses *list)
{
	const struct pf_copro_array *a = &p->program->arrays[p->entries.at[group].array];
	struct sums s = sums_of(p, a, group);
	size_t count = list_misses(p, a, &s, group, list);
	double rest = s.total - s.hits - s.miss;

	for (uint32_t i = p->entries.at[group].first; i != PF_NO_ENTRY; i = p->entries.at[i].next) {
		struct pf_copro_entry *row = &p->entries.at[i];
		double seen = (double)row->values[a->hit];

		row->invariance = 0;
		if (seen == 0 || s.total == 0)
			continue;
		seen += claim(a, &s, row->values, list, count);
		if (rest > 0)
			seen += rest * (1 / s.with_hits < MOST_OF_THE_REST ? 1 / s.with_hits : MOST_OF_THE_REST);
		row->invariance = seen < s.total ? seen / s.total : 1;
	}
}

bool pf_copro_profile_weigh(struct pf_copro_profile *p)
{
	struct misses *list = calloc(p->entries.count + 1, sizeof *list);

	for (uint32_t i = 0; list && i < p->entries.count; i++) {
		const struct pf_copro_entry *entry = &p->entries.at[i];

		if (entry->group == PF_NO_ENTRY && p->program->arrays[entry->array].value != PF_NO_FIELD)
			weigh_group(p, i, list);
	}
	free(list);
	return list != NULL;
}
