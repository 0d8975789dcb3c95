/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See merging.h.  A sum is the canonical form of everything together; all the rules of adding up are there.  Hard
 * case: thousands of profiles, so what was collected is added up whenever it has doubled, and copied into fresh
 * memory so that the memory of the parts is released. */
#include "profile/merging.h"
#include "profile/agreement.h"
#include "profile/compiled.h"
#include "profile/saturate.h"

#include <string.h>

#define COMPACT_AFTER 1024u /* functions, or source files, collected beyond twice what the sum had */

/* The copier's state: where to, and whether memory ran out, which is asked once at the end. */
struct copier {
	struct pf_profile *into;
	bool failed;
};

static void *copy_array(struct copier *copier, const void *array, size_t count, size_t size)
{
	void *copy;

	if (!count)
		return NULL;
	copy = pf_profile_reserve(copier->into, count * size);
	if (copy)
		memcpy(copy, array, count * size);
	else
		copier->failed = true;
	return copy;
}

static const char *copy_string(struct copier *copier, const char *string)
{
	const char *copy = pf_profile_intern(copier->into, string);

	copier->failed |= !copy;
	return copy;
}

static void copy_nodes(struct copier *copier, struct pf_function *function)
{
	function->nodes = copy_array(copier, function->nodes, function->node_count, sizeof *function->nodes);
	for (uint32_t n = 0; n < function->node_count && !copier->failed; n++) {
		function->nodes[n].name = copy_string(copier, function->nodes[n].name);
		function->nodes[n].file = copy_string(copier, function->nodes[n].file);
	}
}

static void copy_records(struct copier *copier, struct pf_function *function)
{
	function->records = copy_array(copier, function->records, function->record_count, sizeof *function->records);
	for (uint32_t r = 0; r < function->record_count && !copier->failed; r++) {
		struct pf_record *record = &function->records[r];

		record->outcomes =
		    copy_array(copier, record->outcomes, record->outcome_count, sizeof *record->outcomes);
		record->values = copy_array(copier, record->values, record->value_count, sizeof *record->values);
		record->targets = copy_array(copier, record->targets, record->target_count, sizeof *record->targets);
		for (uint32_t t = 0; t < record->target_count && !copier->failed; t++)
			record->targets[t].name = copy_string(copier, record->targets[t].name);
	}
}

static void copy_paths(struct copier *copier, struct pf_function *function)
{
	function->paths = copy_array(copier, function->paths, function->path_count, sizeof *function->paths);
	for (uint32_t p = 0; p < function->path_count && !copier->failed; p++)
		function->paths[p].places =
		    copy_array(copier, function->paths[p].places, function->paths[p].place_count,
			       sizeof *function->paths[p].places);
}

static void copy_function(struct copier *copier, const struct pf_function *from)
{
	struct pf_function *function = pf_profile_add_function(copier->into);

	if (!function) {
		copier->failed = true;
		return;
	}
	*function = *from;
	function->name = copy_string(copier, from->name);
	function->file = copy_string(copier, from->file);
	copy_nodes(copier, function);
	if (!copier->failed)
		copy_records(copier, function);
	if (!copier->failed)
		copy_paths(copier, function);
}

static void copy_provenance(struct copier *copier, const struct pf_provenance *from)
{
	struct pf_provenance *provenance = pf_profile_add_provenance(copier->into);

	if (!provenance) {
		copier->failed = true;
		return;
	}
	*provenance = *from;
	provenance->event = copy_string(copier, from->event);
	provenance->binary = copy_string(copier, from->binary);
	provenance->build_id = copy_string(copier, from->build_id);
	provenance->tool = copy_string(copier, from->tool);
}

static int out_of_memory(struct pf_error *error)
{
	return pf_fail(error, PF_ENOMEM, "out of memory while profiles were added up");
}

static int append_profile(struct pf_profile *into, const struct pf_profile *from, struct pf_error *error)
{
	struct copier copier = { .into = into };

	for (uint32_t f = 0; f < from->function_count && !copier.failed; f++)
		copy_function(&copier, &from->functions[f]);
	for (uint32_t p = 0; p < from->provenance_count && !copier.failed; p++)
		copy_provenance(&copier, &from->provenances[p]);
	for (uint32_t i = 0; i < from->compiled_count && !copier.failed; i++)
		copier.failed = pf_profile_add_compiled(into, from->compiled[i]) < 0;
	pf_agreement_add(&into->agreement, &from->agreement);
	return copier.failed ? out_of_memory(error) : PF_OK;
}

static int compact(struct pf_merge *merge, struct pf_error *error)
{
	struct pf_profile *fresh;
	int status = pf_profile_canonicalise(merge->sum, error);

	if (status < 0)
		return status;
	fresh = pf_profile_alloc(merge->sum->unit);
	status = fresh ? append_profile(fresh, merge->sum, error) : out_of_memory(error);
	if (status < 0) {
		pf_profile_free(fresh);
		return status;
	}
	pf_profile_free(merge->sum);
	merge->sum = fresh;
	merge->compacted = fresh->function_count;
	return PF_OK;
}

int pf_merge_add(struct pf_merge *merge, const struct pf_profile *profile, struct pf_error *error)
{
	int status;

	if (!merge->sum)
		merge->sum = pf_profile_alloc(profile->unit);
	if (!merge->sum)
		return out_of_memory(error);
	if (merge->sum->unit != profile->unit)
		return pf_fail(error, PF_EMISMATCH,
			       "executions and samples cannot be added up as they are; scale one to the other's total");
	status = append_profile(merge->sum, profile, error);
	if (status == PF_OK && merge->sum->function_count > 2 * merge->compacted + COMPACT_AFTER)
		status = compact(merge, error);
	if (merge->sum->compiled_count > 2 * merge->sorted + COMPACT_AFTER) {
		pf_compiled_sort(merge->sum);
		merge->sorted = merge->sum->compiled_count;
	}
	return status;
}

int pf_merge_finish(struct pf_merge *merge, struct pf_profile **sum, struct pf_error *error)
{
	int status;

	*sum = NULL;
	if (!merge->sum)
		return pf_fail(error, PF_EEMPTY, "there are no profiles to add up");
	status = pf_profile_canonicalise(merge->sum, error);
	if (status == PF_OK) {
		*sum = merge->sum;
		merge->sum = NULL;
	}
	pf_merge_fini(merge);
	return status;
}

void pf_merge_fini(struct pf_merge *merge)
{
	pf_profile_free(merge->sum);
	*merge = (struct pf_merge) { 0 };
}

typedef void count_visitor(uint64_t *count, void *closure);

static void visit_record_counts(struct pf_record *record, count_visitor *visit, void *closure)
{
	visit(&record->count, closure);
	visit(&record->max, closure);
	for (uint32_t t = 0; t < record->target_count; t++)
		visit(&record->targets[t].count, closure);
	for (uint32_t o = 0; o < record->outcome_count; o++)
		visit(&record->outcomes[o].count, closure);
}

/* Visits every count that is not the sum of others; numbers of things (instructions, paths dropped) are none, nor are
 * the sightings of values. */
static void visit_counts(const struct pf_profile *profile, count_visitor *visit, void *closure)
{
	for (uint32_t f = 0; f < profile->function_count; f++) {
		struct pf_function *function = &profile->functions[f];

		visit(&function->head, closure);
		visit(&function->dropped_path_count, closure);
		for (uint32_t n = 0; n < function->node_count; n++)
			visit(&function->nodes[n].entries, closure);
		for (uint32_t r = 0; r < function->record_count; r++)
			visit_record_counts(&function->records[r], visit, closure);
		for (uint32_t p = 0; p < function->path_count; p++)
			visit(&function->paths[p].count, closure);
	}
}

struct ratio {
	uint64_t numerator, denominator;
};

static void scale_count(uint64_t *count, void *closure)
{
	const struct ratio *ratio = closure;

	*count = pf_count_scale(*count, ratio->numerator, ratio->denominator);
}

void pf_profile_scale(struct pf_profile *profile, uint64_t numerator, uint64_t denominator)
{
	struct ratio ratio = { numerator, denominator };

	visit_counts(profile, scale_count, &ratio);
	for (uint32_t f = 0; f < profile->function_count; f++) {
		struct pf_function *function = &profile->functions[f];

		function->total = 0;
		for (uint32_t r = 0; r < function->record_count; r++)
			function->total = pf_count_add(function->total, function->records[r].count);
	}
}

static void see_saturated(uint64_t *count, void *closure)
{
	*(uint64_t *)closure += *count == PF_COUNT_SATURATED;
}

uint64_t pf_profile_saturated(const struct pf_profile *profile)
{
	uint64_t saturated = 0;

	visit_counts(profile, see_saturated, &saturated);
	for (uint32_t f = 0; f < profile->function_count; f++)
		see_saturated(&profile->functions[f].total, &saturated);
	return saturated;
}
