/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical form of a profile: checks what a producer built, joins functions of one name, file and line, and puts
 * everything into the order that model.h states.  Hard case: the joined function's parts refer to each other by
 * index, so the second part's nodes move behind the first's, and all but its root keep a place of their own. */
#include "profile/canonical.h"
#include "profile/compiled.h"
#include "profile/saturate.h"
#include "profile/model-internal.h"
#include "profile/value-list.h"

#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct pf_error *error)
{
	return pf_fail(error, PF_ENOMEM, "out of memory while a profile was put in order");
}

static int intern_string(const char **string, void *closure)
{
	*string = pf_profile_intern(closure, *string ? *string : "");
	return *string ? 0 : -1;
}

static int bad_index(const struct pf_function *function, const char *what, uint32_t index, struct pf_error *error)
{
	return pf_fail(
	    error, PF_EINVAL,
	    "function %s: %s %u refers to an inlined instance that does not exist; the producer of the profile "
	    "has a bug",
	    function->name, what, index);
}

static int check_record(const struct pf_function *function, uint32_t index, struct pf_error *error)
{
	const struct pf_record *record = &function->records[index];

	if (record->place.node >= function->node_count)
		return bad_index(function, "record", index, error);
	for (uint32_t o = 0; o < record->outcome_count; o++) {
		if (record->outcomes[o].to.node >= function->node_count)
			return bad_index(function, "an outcome of record", index, error);
	}
	for (uint32_t v = 0; v < record->value_count; v++) {
		if (!pf_value_kind_name(record->values[v].kind) || record->values[v].part >= PF_VALUE_PARTS)
			return pf_fail(error, PF_EINVAL,
				       "function %s: record %u has a value of no kind; the producer of the profile has "
				       "a bug",
				       function->name, index);
	}
	return PF_OK;
}

static int check_path(const struct pf_function *function, uint32_t index, struct pf_error *error)
{
	const struct pf_path *path = &function->paths[index];

	if (!path->place_count)
		return pf_fail(error, PF_EINVAL,
			       "function %s: path %u has no positions; the producer of the profile has a bug",
			       function->name, index);
	for (uint32_t i = 0; i < path->place_count; i++) {
		if (path->places[i].node >= function->node_count)
			return bad_index(function, "path", index, error);
	}
	return PF_OK;
}

static int check_depth(const struct pf_function *function, struct pf_error *error)
{
	uint16_t *depth = calloc(function->node_count, sizeof *depth);
	int status = depth ? PF_OK : out_of_memory(error);

	for (uint32_t n = 1; n < function->node_count && status == PF_OK; n++) {
		uint32_t parent = function->nodes[n].parent;

		if (parent >= n)
			status = bad_index(function, "the parent of inlined instance", n, error);
		else if (depth[parent] == PF_MAX_INLINE_DEPTH)
			status = pf_fail(error, PF_ELIMIT, "function %s: inlined more than %u deep", function->name,
					 PF_MAX_INLINE_DEPTH);
		else
			depth[n] = depth[parent] + 1;
	}
	free(depth);
	return status;
}

/* Makes node 0 the function itself, whatever the producer left there, and checks all indices. */
static int check_function(struct pf_profile *profile, struct pf_function *function, struct pf_error *error)
{
	int status;

	if (!function->node_count) {
		function->nodes = pf_profile_reserve(profile, sizeof *function->nodes);
		if (!function->nodes)
			return out_of_memory(error);
		function->node_count = 1;
	}
	function->nodes[0] = (struct pf_node) { .name = function->name,
						.file = function->file,
						.line = function->line,
						.entries = function->nodes[0].entries };
	status = check_depth(function, error);
	for (uint32_t r = 0; r < function->record_count && status == PF_OK; r++)
		status = check_record(function, r, error);
	for (uint32_t p = 0; p < function->path_count && status == PF_OK; p++)
		status = check_path(function, p, error);
	return status;
}

/* The sizes of what functions [FIRST, END) become together. */
struct sizes {
	uint64_t nodes, records, paths;
};

static struct sizes joined_sizes(const struct pf_function *functions, uint32_t count)
{
	struct sizes sizes = { .nodes = 1 };

	for (uint32_t f = 0; f < count; f++) {
		sizes.nodes += functions[f].node_count - 1;
		sizes.records += functions[f].record_count;
		sizes.paths += functions[f].path_count;
	}
	return sizes;
}

static void move_place(struct pf_place *place, uint32_t shift)
{
	if (place->node)
		place->node += shift;
}

/* Appends MORE to SUM, whose arrays have room for it. */
static void append_function(struct pf_function *sum, const struct pf_function *more)
{
	uint32_t shift = sum->node_count - 1;

	sum->nodes[0].entries = pf_count_add(sum->nodes[0].entries, more->nodes[0].entries);
	for (uint32_t n = 1; n < more->node_count; n++) {
		struct pf_node *node = &sum->nodes[sum->node_count++];

		*node = more->nodes[n];
		node->parent = node->parent ? node->parent + shift : 0;
	}
	for (uint32_t r = 0; r < more->record_count; r++) {
		struct pf_record *record = &sum->records[sum->record_count++];

		*record = more->records[r];
		move_place(&record->place, shift);
		for (uint32_t o = 0; o < record->outcome_count; o++)
			move_place(&record->outcomes[o].to, shift);
	}
	for (uint32_t p = 0; p < more->path_count; p++) {
		struct pf_path *path = &sum->paths[sum->path_count++];

		*path = more->paths[p];
		for (uint32_t i = 0; i < path->place_count; i++)
			move_place(&path->places[i], shift);
	}
	sum->head = pf_count_add(sum->head, more->head);
	sum->dropped_paths = pf_count_add(sum->dropped_paths, more->dropped_paths);
	sum->dropped_path_count = pf_count_add(sum->dropped_path_count, more->dropped_path_count);
}

/* Makes functions[0] the sum of COUNT functions of one key. */
static int join_functions(struct pf_profile *profile, struct pf_function *functions, uint32_t count,
			  struct pf_error *error)
{
	struct sizes sizes = joined_sizes(functions, count);
	struct pf_function sum = { .name = functions[0].name, .file = functions[0].file, .line = functions[0].line };

	if (sizes.nodes > UINT32_MAX || sizes.records > UINT32_MAX || sizes.paths > UINT32_MAX)
		return pf_fail(error, PF_ELIMIT, "function %s: more than 2^32 positions or paths", sum.name);
	sum.nodes = pf_profile_reserve(profile, sizes.nodes * sizeof *sum.nodes);
	sum.records = pf_profile_reserve(profile, sizes.records * sizeof *sum.records);
	sum.paths = pf_profile_reserve(profile, sizes.paths * sizeof *sum.paths);
	if (!sum.nodes || !sum.records || !sum.paths)
		return out_of_memory(error);
	sum.nodes[0] = functions[0].nodes[0];
	sum.nodes[0].entries = 0;
	sum.node_count = 1;
	for (uint32_t f = 0; f < count; f++)
		append_function(&sum, &functions[f]);
	functions[0] = sum;
	return PF_OK;
}

static int compare_functions(const void *a, const void *b)
{
	return pf_function_compare(a, b);
}

static int join_equal_functions(struct pf_profile *profile, struct pf_error *error)
{
	struct pf_function *functions = profile->functions;
	uint32_t kept = 0;

	if (profile->function_count)
		qsort(functions, profile->function_count, sizeof *functions, compare_functions);
	for (uint32_t first = 0, end; first < profile->function_count; first = end) {
		end = first + 1;
		while (end < profile->function_count && !pf_function_compare(&functions[first], &functions[end]))
			end++;
		if (end - first > 1) {
			int status = join_functions(profile, &functions[first], end - first, error);

			if (status < 0)
				return status;
		}
		functions[kept++] = functions[first];
	}
	profile->function_count = kept;
	return PF_OK;
}

static int finish_function(struct pf_profile *profile, struct pf_function *function, struct pf_error *error)
{
	uint32_t *map = calloc(function->node_count, sizeof *map);
	int status = PF_OK;

	if (!map || pf_canonical_tree(function, map) < 0 || pf_canonical_places(profile, function, map) < 0)
		status = out_of_memory(error);
	free(map);
	return status;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_provenances(const void *a, const void *b)
{
	const struct pf_provenance *x = a, *y = b;
	int order = strcmp(x->binary, y->binary);

	order = order ? order : strcmp(x->build_id, y->build_id);
	order = order ? order : (x->kind > y->kind) - (x->kind < y->kind);
	order = order ? order : strcmp(x->event, y->event);
	order = order ? order : compare_u64(x->first_ns, y->first_ns);
	order = order ? order : compare_u64(x->last_ns, y->last_ns);
	order = order ? order : compare_u64(x->period, y->period);
	order = order ? order : compare_u64(x->samples, y->samples);
	order = order ? order : compare_u64(x->lost, y->lost);
	return order ? order : strcmp(x->tool, y->tool);
}

int pf_profile_canonicalise(struct pf_profile *profile, struct pf_error *error)
{
	int status = PF_OK;

	if (profile->unit != PF_UNIT_EXECUTIONS && profile->unit != PF_UNIT_SAMPLES)
		return pf_fail(error, PF_EINVAL, "a profile without a unit; the producer of the profile has a bug");
	if (pf_profile_visit_strings(profile, intern_string, profile) < 0)
		return out_of_memory(error);
	for (uint32_t p = 0; p < profile->provenance_count; p++) {
		if (profile->provenances[p].kind < PF_SOURCE_LBR || profile->provenances[p].kind > PF_SOURCE_OTHER)
			return pf_fail(error, PF_EINVAL,
				       "provenance %u has no kind of source; the producer of the profile has a bug", p);
	}
	for (uint32_t f = 0; f < profile->function_count && status == PF_OK; f++)
		status = check_function(profile, &profile->functions[f], error);
	if (status == PF_OK)
		status = join_equal_functions(profile, error);
	for (uint32_t f = 0; f < profile->function_count && status == PF_OK; f++)
		status = finish_function(profile, &profile->functions[f], error);
	if (profile->provenance_count)
		qsort(profile->provenances, profile->provenance_count, sizeof *profile->provenances,
		      compare_provenances);
	pf_compiled_sort(profile);
	return status;
}
