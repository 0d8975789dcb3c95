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

/* All that are looked at, by load; of load L those from FIRST[L] on. */
static int list_points(const struct pf_copro_truth *t, struct pf_truth_points *points, size_t *first)
{
	for (size_t i = 0; i < t->loads.count; i++) {
		const struct pf_truth_load *load = &t->loads.at[i];

		first[i] = points->count;
		for (uint32_t k = 0; k < load->size; k++) {
			const struct pf_truth_value *value = &load->values[k];
			struct pf_truth_point *point;

			if (!is_looked_at(load, value))
				continue;
			point = pf_array_push(points);
			if (!point)
				return PF_ENOMEM;
			*point =
			    (struct pf_truth_point) { .pc = load->pc, .value = value->value, .count = value->count };
			point->share = (double)value->count / (double)load->total;
		}
	}
	first[t->loads.count] = points->count;
	return PF_OK;
}

/* The point of VALUE, which the load at PC loaded; NULL: it is not looked at. */
static struct pf_truth_point *point_of(const struct pf_copro_truth *t, const struct pf_truth_points *points,
				       const size_t *first, uint64_t pc, uint64_t value)
{
	uint32_t place = t->index_size ? *place_of(t, pc) : 0;

	for (size_t i = place ? first[place - 1] : 0; place && i < first[place]; i++) {
		if (points->at[i].value == value)
			return &points->at[i];
	}
	return NULL;
}

int pf_copro_truth_points(const struct pf_copro_truth *t, const struct pf_copro *m, struct pf_truth_points *points)
{
	uint32_t array = estimated(m);
	size_t *first;
	int status;

	if (array == PF_COPRO_ARRAYS)
		return PF_EINVAL;
	first = malloc((t->loads.count + 1) * sizeof *first);
	status = first ? list_points(t, points, first) : PF_ENOMEM;
	for (uint32_t i = 0; status == PF_OK && i < m->profile.entries.count; i++) {
		const struct pf_copro_entry *row = &m->profile.entries.at[i];
		struct pf_truth_point *point = NULL;

		if (row->array == array && row->group != PF_NO_ENTRY)
			point =
			    point_of(t, points, first, row->values[0], row->values[m->program->arrays[array].value]);
		if (!point)
			continue;
		point->estimate = row->invariance;
		point->seen = true;
	}
	free(first);
	return status;
}

int pf_copro_truth_score(const struct pf_copro_truth *t, const struct pf_copro *m, struct pf_copro_score *score)
{
	struct pf_truth_points points = { 0 };
	double sum = 0, weights = 0;
	int status = pf_copro_truth_points(t, m, &points);

	*score = (struct pf_copro_score) { .loads = t->loads.count, .values = points.count };
	for (size_t i = 0; i < points.count; i++) {
		const struct pf_truth_point *point = &points.at[i];
		double error = point->estimate - point->share;

		sum += (double)point->count * error * error;
		weights += (double)point->count;
		score->seen += point->seen;
	}
	score->rms = weights > 0 ? sqrt(sum / weights) : 0;
	pf_array_fini(&points);
	return status;
}

int pf_copro_truth_step(const struct pf_copro_truth *t, struct pf_copro *m, uint64_t loads,
			struct pf_truth_course *course)
{
	struct pf_copro_score score;
	struct pf_truth_step *step;
	int status = pf_copro_profile_weigh(&m->profile) ? pf_copro_truth_score(t, m, &score) : PF_ENOMEM;

	if (status != PF_OK)
		return status;
	step = pf_array_push(course);
	if (step)
		*step = (struct pf_truth_step) { loads, m->counts.saved, score.rms };
	return step ? PF_OK : PF_ENOMEM;
}
