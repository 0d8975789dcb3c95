/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See model.h: the profile's memory, its appends, and the order of positions.  Hard case: functions are appended by
 * producers that hold no pointer across appends, so their array may move; all that they point to may not. */
#include "profile/arena.h"
#include "profile/model-internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pf_profile_arena {
	struct pf_arena memory;
	size_t function_capacity, provenance_capacity, compiled_capacity;
};

/* Paths that repeat themselves are packed a thousand to one, so that a small file could ask for more memory than there
 * is; then it is better that this fails than that the kernel picks a process to end. */
static size_t memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : 0;
}

struct pf_profile *pf_profile_alloc(enum pf_count_unit unit)
{
	struct pf_profile *profile = calloc(1, sizeof *profile);

	if (!profile)
		return NULL;
	profile->unit = unit;
	profile->arena = calloc(1, sizeof *profile->arena);
	if (!profile->arena) {
		free(profile);
		return NULL;
	}
	profile->arena->memory.limit = memory_limit();
	return profile;
}

void pf_profile_free(struct pf_profile *profile)
{
	if (!profile)
		return;
	pf_arena_fini(&profile->arena->memory);
	free(profile->arena);
	free(profile->functions);
	free(profile->provenances);
	free(profile->compiled);
	free(profile);
}

const char *pf_profile_intern(struct pf_profile *profile, const char *string)
{
	return pf_arena_intern(&profile->arena->memory, string);
}

void *pf_profile_reserve(struct pf_profile *profile, size_t size)
{
	return pf_arena_reserve(&profile->arena->memory, size);
}

/* Appends a zeroed element of SIZE bytes to an array of COUNT; returns the array, or NULL with all as it was. */
static void *append(void *array, uint32_t *count, size_t *capacity, size_t size)
{
	if (*count == UINT32_MAX)
		return NULL;
	if (*count == *capacity) {
		size_t wanted = *capacity ? *capacity * 2 : 16;

		array = reallocarray(array, wanted, size);
		if (!array)
			return NULL;
		*capacity = wanted;
	}
	memset((char *)array + *count * size, 0, size);
	++*count;
	return array;
}

struct pf_function *pf_profile_add_function(struct pf_profile *profile)
{
	struct pf_function *functions =
	    append(profile->functions, &profile->function_count, &profile->arena->function_capacity, sizeof *functions);

	if (!functions)
		return NULL;
	profile->functions = functions;
	return &functions[profile->function_count - 1];
}

struct pf_provenance *pf_profile_add_provenance(struct pf_profile *profile)
{
	struct pf_provenance *provenances = append(profile->provenances, &profile->provenance_count,
						   &profile->arena->provenance_capacity, sizeof *provenances);

	if (!provenances)
		return NULL;
	profile->provenances = provenances;
	return &provenances[profile->provenance_count - 1];
}

int pf_profile_add_compiled(struct pf_profile *profile, const char *name)
{
	const char *own, **compiled = NULL;

	if (strlen(name) > PF_MAX_COMPILED_NAME)
		return PF_ELIMIT;
	own = pf_profile_intern(profile, name);
	if (own)
		compiled = append(profile->compiled, &profile->compiled_count, &profile->arena->compiled_capacity,
				  sizeof *compiled);
	if (!compiled)
		return PF_ENOMEM;
	profile->compiled = compiled;
	compiled[profile->compiled_count - 1] = own;
	return PF_OK;
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

int pf_position_compare(const struct pf_position *a, const struct pf_position *b)
{
	int order = (a->line > b->line) - (a->line < b->line);

	if (!order)
		order = compare_u32(a->column, b->column);
	return order ? order : compare_u32(a->discriminator, b->discriminator);
}

int pf_place_compare(const struct pf_place *a, const struct pf_place *b)
{
	int order = compare_u32(a->node, b->node);

	return order ? order : pf_position_compare(&a->position, &b->position);
}

int pf_function_compare(const struct pf_function *a, const struct pf_function *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : compare_u32(a->line, b->line);
}

static int visit_record_strings(struct pf_record *record, pf_string_visitor *visit, void *closure)
{
	int status = 0;

	for (uint32_t t = 0; t < record->target_count && !status; t++)
		status = visit(&record->targets[t].name, closure);
	return status;
}

static int visit_function_strings(struct pf_function *function, pf_string_visitor *visit, void *closure)
{
	int status = visit(&function->name, closure);

	if (!status)
		status = visit(&function->file, closure);
	for (uint32_t n = 0; n < function->node_count && !status; n++) {
		status = visit(&function->nodes[n].name, closure);
		if (!status)
			status = visit(&function->nodes[n].file, closure);
	}
	for (uint32_t r = 0; r < function->record_count && !status; r++)
		status = visit_record_strings(&function->records[r], visit, closure);
	return status;
}

static int visit_provenance_strings(struct pf_provenance *provenance, pf_string_visitor *visit, void *closure)
{
	const char **strings[] = { &provenance->event, &provenance->binary, &provenance->build_id, &provenance->tool };
	int status = 0;

	for (size_t i = 0; i < sizeof strings / sizeof *strings && !status; i++)
		status = visit(strings[i], closure);
	return status;
}

int pf_profile_visit_strings(struct pf_profile *profile, pf_string_visitor *visit, void *closure)
{
	int status = 0;

	for (uint32_t f = 0; f < profile->function_count && !status; f++)
		status = visit_function_strings(&profile->functions[f], visit, closure);
	for (uint32_t p = 0; p < profile->provenance_count && !status; p++)
		status = visit_provenance_strings(&profile->provenances[p], visit, closure);
	for (uint32_t i = 0; i < profile->compiled_count && !status; i++)
		status = visit(&profile->compiled[i], closure);
	return status;
}

const char *pf_sense_name(enum pf_sense sense)
{
	static const char *const names[PF_SENSES] = { NULL, "equal", "different", "less", "greater" };

	return names[sense];
}

enum pf_sense pf_sense_opposite(enum pf_sense sense)
{
	static const enum pf_sense opposites[PF_SENSES] = {
		[PF_SENSE_EQUAL] = PF_SENSE_DIFFERENT, [PF_SENSE_DIFFERENT] = PF_SENSE_EQUAL,
		[PF_SENSE_LESS] = PF_SENSE_GREATER,    [PF_SENSE_GREATER] = PF_SENSE_LESS,
	};

	return opposites[sense];
}
