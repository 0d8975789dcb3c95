/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See copro-truth.h.  Hard case: a load that loads ever new values.  Its table is kept small by the method of Misra and
 * Gries (Finding repeated elements, 1982): where there is no room each value is counted one less, and what is at 0
 * goes. A value loses no more than the load's executions divided by the table's size. */
#include "analysis/copro-truth.h"

#include <math.h>

#define FIRST_SIZE 8u
#define FIRST_INDEX 1024u

static size_t hash(uint64_t value)
{
	return (size_t)((value ^ value >> 32) * 0x9e3779b97f4a7c15u >> 24);
}

void pf_copro_truth_fini(struct pf_copro_truth *t)
{
	for (size_t i = 0; i < t->loads.count; i++)
		free(t->loads.at[i].values);
	pf_array_fini(&t->loads);
	free(t->index);
	*t = (struct pf_copro_truth) { 0 };
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

static uint32_t *place_of(const struct pf_copro_truth *t, uint64_t pc)
{
	size_t mask = t->index_size - 1, at = hash(pc) & mask;

	while (t->index[at] && t->loads.at[t->index[at] - 1].pc != pc)
		at = (at + 1) & mask;
	return &t->index[at];
}

static bool grow_index(struct pf_copro_truth *t)
{
	size_t wanted = t->index_size ? t->index_size * 2 : FIRST_INDEX;
	uint32_t *index;

	if (t->loads.count * 2 < t->index_size)
		return true;
	index = calloc(wanted, sizeof *index);
	if (!index)
		return false;
	free(t->index);
	t->index = index;
	t->index_size = wanted;
	for (size_t i = 0; i < t->loads.count; i++)
		*place_of(t, t->loads.at[i].pc) = (uint32_t)i + 1;
	return true;
}

static struct pf_truth_load *load_of(struct pf_copro_truth *t, uint64_t pc)
{
	struct pf_truth_load *load;
	uint32_t *place;

	if (!grow_index(t))
		return NULL;
	place = place_of(t, pc);
	if (*place)
		return &t->loads.at[*place - 1];
	load = pf_array_push(&t->loads);
	if (load)
		*place = (uint32_t)t->loads.count;
	if (load)
		load->pc = pc;
	return load;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static struct pf_truth_value *value_of(const struct pf_truth_load *load, uint64_t value)
{
	size_t mask = load->size - 1, at = hash(value) & mask;

	while (load->values[at].count && load->values[at].value != value)
		at = (at + 1) & mask;
	return &load->values[at];
}

/* Puts all values into a new table of SIZE, each counted LESS. */
static bool move(struct pf_truth_load *load, uint32_t size, uint64_t less)
{
	struct pf_truth_load new = *load;

	new.values = calloc(size, sizeof *new.values);
	if (!new.values)
		return false;
	new.size = size;
	new.used = 0;
	for (uint32_t i = 0; i < load->size; i++) {
		struct pf_truth_value value = load->values[i];

		if (value.count <= less)
			continue;
		value.count -= less;
		*value_of(&new, value.value) = value;
		new.used++;
	}
	free(load->values);
	*load = new;
	return true;
}

static bool has_room(struct pf_truth_load *load)
{
	if (load->used < load->size / 2)
		return true;
	if (load->size < 2 * PF_TRUTH_VALUES)
		return move(load, load->size ? load->size * 2 : FIRST_SIZE, 0);
	return move(load, load->size, 1);
}

bool pf_copro_truth_add(struct pf_copro_truth *t, uint64_t pc, uint64_t value)
{
	struct pf_truth_load *load = load_of(t, pc);
	struct pf_truth_value *place;

	if (!load)
		return false;
	load->total++;
	if (load->size) {
		place = value_of(load, value);
		if (place->count) {
			place->count++;
			return true;
		}
	}
	if (!has_room(load))
		return false;
	if (load->used >= load->size / 2)
		return true; /* all are common: this one is what was counted less */
	*value_of(load, value) = (struct pf_truth_value) { value, 1 };
	load->used++;
	return true;
}

/* --- the score ---------------------------------------------------------------------------------------------------- */

static bool is_looked_at(const struct pf_truth_load *load, const struct pf_truth_value *value)
{
	return value->count >= PF_TRUTH_LEAST && (double)value->count >= PF_TRUTH_SHARE * (double)load->total;
}

/* The array of M that has estimates; PF_COPRO_ARRAYS: none. */
static uint32_t estimated(const struct pf_copro *m)
{
	for (uint32_t i = 0; i < m->program->array_count; i++) {
		if (m->program->arrays[i].value != PF_NO_FIELD && m->program->arrays[i].key_count)
			return i;
	}
	return PF_COPRO_ARRAYS;
}

/* Sums of errors as if nothing had an estimate; those that have one are put right then. */
static double all_missed(const struct pf_copro_truth *t, struct pf_copro_score *score, double *weights)
{
	double sum = 0;

	for (size_t i = 0; i < t->loads.count; i++) {
		const struct pf_truth_load *load = &t->loads.at[i];

		for (uint32_t k = 0; k < load->size; k++) {
			double share = (double)load->values[k].count / (double)load->total;

			if (!is_looked_at(load, &load->values[k]))
				continue;
			score->values++;
			sum += (double)load->values[k].count * share * share;
			*weights += (double)load->values[k].count;
		}
	}
	return sum;
}

int pf_copro_truth_score(const struct pf_copro_truth *t, const struct pf_copro *m, struct pf_copro_score *score)
{
	uint32_t array = estimated(m);
	double sum, weights = 0;

	*score = (struct pf_copro_score) { .loads = t->loads.count };
	if (array == PF_COPRO_ARRAYS)
		return PF_EINVAL;
	sum = all_missed(t, score, &weights);
	for (uint32_t i = 0; t->index_size && i < m->profile.entries.count; i++) {
		const struct pf_copro_entry *row = &m->profile.entries.at[i];
		uint32_t place = row->array == array && row->group != PF_NO_ENTRY ? *place_of(t, row->values[0]) : 0;
		const struct pf_truth_load *load = place ? &t->loads.at[place - 1] : NULL;
		const struct pf_truth_value *value = NULL;
		double share, error;

		if (load)
			value = value_of(load, row->values[m->program->arrays[array].value]);
		if (!value || !is_looked_at(load, value))
			continue;
		share = (double)value->count / (double)load->total;
		error = pf_copro_profile_invariance(&m->profile, i) - share;
		sum += (double)value->count * (error * error - share * share);
		score->seen++;
	}
	score->rms = weights > 0 ? sqrt(sum > 0 ? sum / weights : 0) : 0;
	return PF_OK;
}
