/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sources.h.  The hard case is the name that several functions have (overloads by their plain names, lambdas):
 * their lines tell them apart, but an edit above them changes these.  Then it is where they stand among the functions
 * of other names. */
#include "plugin/sources.h"
#include "plugin/landmarks.h"
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

/* What a template is made for has parts of it each: the profile's instances go by one name.  What there is no memory
 * for is missing. */
static void complete(struct pf_sources *s, struct pf_source_function *f)
{
	for (unsigned n = 0; n < PF_SOURCE_NAMES && f->names[n]; n++) {
		for (size_t i = first_of(s, f->names[n]); is_name(s, i, f->names[n]); i++) {
			const struct pf_source_function *other = &s->functions.at[s->names.at[i].function];

			if (other != f && other->line == f->line && strcmp(other->file, f->file) == 0)
				pf_outline_add_all(&f->outline, &other->outline);
		}
	}
	pf_outline_sort(&f->outline);
	f->is_whole = true;
}

/* The likeliest function so far.  What a template is made for are several functions of one line, and any will do. */
struct choice {
	struct pf_source_function *best;
	uint32_t distance, next; /* of the best one, and of the next one of another line */
};

static void choose(struct choice *c, struct pf_source_function *f, uint32_t distance)
{
	if (c->best && c->best->line == f->line)
		return;
	if (!c->best || distance < c->distance) {
		c->next = c->best ? c->distance : UINT32_MAX;
		c->best = f;
		c->distance = distance;
	} else if (distance < c->next) {
		c->next = distance;
	}
}

static bool is_close(const struct choice *c)
{
	return c->distance == c->next || c->distance > c->next - c->distance;
}

const struct pf_source_function *pf_sources_find(struct pf_sources *s, const char *name, const char *file,
						 uint32_t line, struct pf_landmarks *landmarks)
{
	struct choice c = { NULL, UINT32_MAX, UINT32_MAX };
	bool several = false;

	for (size_t i = first_of(s, name); is_name(s, i, name); i++) {
		struct pf_source_function *f = &s->functions.at[s->names.at[i].function];

		if (!pf_match_same_file(f->file, file))
			continue;
		several = several || (c.best && c.best->line != f->line);
		choose(&c, f, pf_landmarks_distance(landmarks, line, f->line));
	}
	if (several && is_close(&c))
		return NULL;
	if (c.best && !c.best->is_whole)
		complete(s, c.best);
	return c.best;
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
