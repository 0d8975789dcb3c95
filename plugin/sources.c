/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sources.h.  The hard case is the name that several functions have (overloads by their plain names, lambdas):
 * their lines tell them apart, but an edit above them changes these, and then nobody knows which is which. */
#include "plugin/sources.h"
#include "plugin/match.h"
#include "support/array.h"
#include "support/search.h"

struct pf_source_name {
	const char *name;
	uint64_t call; /* as an outline has it */
	uint32_t function;
};

struct pf_sources {
	PF_ARRAY(struct pf_source_function) functions;
	PF_ARRAY(struct pf_source_name) names;
	bool sorted;
};

struct pf_sources *pf_sources_alloc(void)
{
	return calloc(1, sizeof(struct pf_sources));
}

static bool set_names(struct pf_source_function *f, const char *const *names, unsigned name_count)
{
	for (unsigned i = 0; i < name_count && i < PF_SOURCE_NAMES; i++) {
		f->names[i] = strdup(names[i]);
		if (!f->names[i])
			return false;
	}
	return true;
}

static bool index_names(struct pf_sources *s, uint32_t function)
{
	for (unsigned i = 0; i < PF_SOURCE_NAMES && s->functions.at[function].names[i]; i++) {
		struct pf_source_name *new = pf_array_push(&s->names);

		if (!new)
			return false;
		*new = (struct pf_source_name) { s->functions.at[function].names[i],
						 pf_outline_call(s->functions.at[function].names[i]), function };
	}
	return true;
}

int pf_sources_add(struct pf_sources *s, const char *const *names, unsigned name_count, const char *file, uint32_t line,
		   struct pf_outline *outline)
{
	struct pf_source_function *f = pf_array_push(&s->functions);

	if (!f)
		return PF_ENOMEM;
	s->sorted = false;
	pf_outline_sort(outline);
	f->outline = *outline;
	*outline = (struct pf_outline) { 0 };
	f->file = strdup(file);
	f->line = line;
	if (!f->file || !set_names(f, names, name_count) || !index_names(s, (uint32_t)s->functions.count - 1))
		return PF_ENOMEM;
	return PF_OK;
}

void pf_sources_free(struct pf_sources *s)
{
	for (size_t i = 0; s && i < s->functions.count; i++) {
		for (unsigned k = 0; k < PF_SOURCE_NAMES; k++)
			free(s->functions.at[i].names[k]);
		free(s->functions.at[i].file);
		pf_outline_fini(&s->functions.at[i].outline);
	}
	if (s) {
		pf_array_fini(&s->functions);
		pf_array_fini(&s->names);
	}
	free(s);
}

static int compare_names(const void *left, const void *right)
{
	const struct pf_source_name *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

/* The first of the names that are NAME. */
static size_t first_of(struct pf_sources *s, const char *name)
{
	if (!s->sorted)
		pf_array_sort(&s->names, compare_names);
	s->sorted = true;
	struct pf_search search = pf_search_over(s->names.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, strcmp(s->names.at[search.middle].name, name) < 0);
	return search.low;
}

static bool is_name(const struct pf_sources *s, size_t i, const char *name)
{
	return i < s->names.count && strcmp(s->names.at[i].name, name) == 0;
}

const struct pf_source_function *pf_sources_find(struct pf_sources *s, const char *name, const char *file,
						 uint32_t line)
{
	const struct pf_source_function *found = NULL;
	bool several = false;

	for (size_t i = first_of(s, name); is_name(s, i, name); i++) {
		const struct pf_source_function *f = &s->functions.at[s->names.at[i].function];

		if (!pf_match_same_file(f->file, file))
			continue;
		if (f->line == line)
			return f;
		several = several || found;
		found = f;
	}
	return several ? NULL : found;
}

const struct pf_source_function *pf_sources_called(const struct pf_sources *s, uint64_t call)
{
	for (size_t i = 0; i < s->names.count; i++) {
		if (s->names.at[i].call == call)
			return &s->functions.at[s->names.at[i].function];
	}
	return NULL;
}

const struct pf_source_function *pf_sources_only(struct pf_sources *s, const char *name)
{
	size_t i = first_of(s, name);

	return is_name(s, i, name) && !is_name(s, i + 1, name) ? &s->functions.at[s->names.at[i].function] : NULL;
}
