/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See copro-profile.h.  Groups and rows are in one table; what one is known by are the keys, or the group's number and
 * the labels.  Hard case: a program that makes a row of each sample, at which memory has a bound. */
#include "analysis/copro-profile.h"

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

/* How many of the misses of the value of OTHER were the value of VALUES: its share of the hits of all but OTHER, and no
 * more than it has among what is not OTHER by its own slots. */
static double claim(const struct pf_copro_array *a, const struct sums *s, const uint64_t *values, const uint64_t *other)
{
	double hits = (double)values[a->hit], rate = rate_of(a, values), left = 1 - rate_of(a, other);
	double share = hits / (s->hits - (double)other[a->hit]);

	return (double)other[a->miss] * (rate < share * left ? rate / left : share);
}

double pf_copro_profile_invariance(const struct pf_copro_profile *p, uint32_t row)
{
	const struct pf_copro_entry *entry = &p->entries.at[row];
	const struct pf_copro_array *a = &p->program->arrays[entry->array];
	double hits = (double)entry->values[a->hit], count = hits, rest;
	struct sums s;

	if (hits == 0)
		return 0;
	s = sums_of(p, a, entry->group);
	rest = s.total - s.hits - s.miss;
	if (s.total == 0)
		return 0;
	for (uint32_t i = p->entries.at[entry->group].first; i != PF_NO_ENTRY; i = p->entries.at[i].next) {
		/* Others' hits are at least this value's, so there is something to divide by. */
		if (i != row)
			count += claim(a, &s, entry->values, p->entries.at[i].values);
	}
	if (rest > 0)
		count += rest * (1 / s.with_hits < MOST_OF_THE_REST ? 1 / s.with_hits : MOST_OF_THE_REST);
	return count < s.total ? count / s.total : 1;
}
