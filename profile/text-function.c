/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See text-function.h.  Hard case: places may name an inlined instance further down, so labels are resolved at the
 * function's end, and a label that is not there is still reported where it stands. */
#include "profile/text-function.h"

static int out_of_memory(const struct pf_text_lexer *lexer)
{
	return pf_fail(lexer->error, PF_ENOMEM, "%s: out of memory", lexer->name);
}

static int compare_label_numbers(const void *a, const void *b)
{
	uint32_t x = ((const struct pf_text_label *)a)->label, y = ((const struct pf_text_label *)b)->label;

	return (x > y) - (x < y);
}

static int compare_labels(const void *a, const void *b)
{
	int order = compare_label_numbers(a, b);
	uint32_t x = ((const struct pf_text_label *)a)->line, y = ((const struct pf_text_label *)b)->line;

	return order ? order : (x > y) - (x < y);
}

static int sort_labels(struct pf_text_function *f, struct pf_text_lexer *lexer)
{
	pf_array_sort(&f->labels, compare_labels);
	for (size_t i = 1; i < f->labels.count; i++) {
		const struct pf_text_label *label = &f->labels.at[i];

		if (label->label == label[-1].label) {
			lexer->line = label->line;
			return pf_text_fail(lexer, label->column, "function %.200s has two inlines @%u", f->head.name,
					    label->label);
		}
	}
	return PF_OK;
}

static int resolve_labels(struct pf_text_function *f, struct pf_text_lexer *lexer)
{
	for (size_t i = 0; i < f->references.count; i++) {
		const struct pf_text_reference *reference = &f->references.at[i];
		struct pf_place *place =
		    reference->in_path ? &f->places.at[reference->index] : &f->outcomes.at[reference->index].to;
		struct pf_text_label key = { .label = place->node }, *found = NULL;

		if (f->labels.count)
			found = bsearch(&key, f->labels.at, f->labels.count, sizeof key, compare_label_numbers);
		if (!found) {
			lexer->line = reference->line;
			return pf_text_fail(lexer, reference->column, "function %.200s has no inline @%u", f->head.name,
					    key.label);
		}
		place->node = found->node;
	}
	return PF_OK;
}

/* A copy of COUNT elements of SIZE in PROFILE; NULL when out of memory. */
static void *keep(struct pf_profile *profile, const void *from, size_t count, size_t size)
{
	void *copy = count <= UINT32_MAX ? pf_profile_reserve(profile, count * size) : NULL;

	if (copy && count)
		memcpy(copy, from, count * size);
	return copy;
}

#define KEEP(profile, array) keep(profile, (array).at, (array).count, sizeof *(array).at)

/* Gives each record and path its part of the arrays, which were filled in the same order. */
static bool move_arrays(const struct pf_text_function *f, struct pf_profile *profile, struct pf_function *to)
{
	struct pf_target *targets = KEEP(profile, f->targets);
	struct pf_outcome *outcomes = KEEP(profile, f->outcomes);
	struct pf_value *values = KEEP(profile, f->values);
	struct pf_place *places = KEEP(profile, f->places);

	to->nodes = KEEP(profile, f->nodes);
	to->records = KEEP(profile, f->records);
	to->paths = KEEP(profile, f->paths);
	if (!targets || !outcomes || !values || !places || !to->nodes || !to->records || !to->paths)
		return false;
	to->node_count = (uint32_t)f->nodes.count;
	to->record_count = (uint32_t)f->records.count;
	to->path_count = (uint32_t)f->paths.count;
	for (uint32_t r = 0; r < to->record_count; r++) {
		to->records[r].targets = targets;
		to->records[r].outcomes = outcomes;
		to->records[r].values = values;
		targets += to->records[r].target_count;
		outcomes += to->records[r].outcome_count;
		values += to->records[r].value_count;
	}
	for (uint32_t p = 0; p < to->path_count; p++) {
		to->paths[p].places = places;
		places += to->paths[p].place_count;
	}
	return true;
}

static void clear(struct pf_text_function *f)
{
	f->nodes.count = f->records.count = f->targets.count = f->outcomes.count = f->values.count = 0;
	f->paths.count = f->places.count = f->labels.count = f->references.count = 0;
}

int pf_text_function_finish(struct pf_text_function *f, struct pf_text_lexer *lexer, struct pf_profile *profile)
{
	struct pf_function *added;
	int status = sort_labels(f, lexer);

	if (status == PF_OK)
		status = resolve_labels(f, lexer);
	if (status < 0)
		return status;
	if (!move_arrays(f, profile, &f->head))
		return out_of_memory(lexer);
	added = pf_profile_add_function(profile);
	if (!added)
		return out_of_memory(lexer);
	*added = f->head;
	clear(f);
	return PF_OK;
}

void pf_text_function_fini(struct pf_text_function *f)
{
	pf_array_fini(&f->nodes);
	pf_array_fini(&f->records);
	pf_array_fini(&f->targets);
	pf_array_fini(&f->outcomes);
	pf_array_fini(&f->values);
	pf_array_fini(&f->paths);
	pf_array_fini(&f->places);
	pf_array_fini(&f->labels);
	pf_array_fini(&f->references);
}
