/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts by line.  A line has many positions (the three parts of a `for`), and a function many instances: within an
 * instance the hottest position says how often the line ran, and instances add up.  The hard case is a line whose
 * records are in several instances of one function, one in the other (recursion): each is an instance of its own. */
#include "cli/line-heat.h"
#include "cli/source-age.h"
#include "profile/saturate.h"
#include "support/array.h"
#include "support/infile.h"
#include "support/outfile.h"
#include "support/search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct pf_node *node, const char *name, const char *file, uint32_t line)
{
	return node->file == file && (!name || (node->line == line && node->name == name));
}

/* Positions may be before the declaration that they are counted from, in a macro say. */
static uint32_t line_of(const struct pf_node *node, const struct pf_position *position)
{
	int64_t line = (int64_t)node->line + position->line;

	return line < 1 ? 1 : line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
}

static bool add_line(struct pf_heat *heat, const struct pf_heat_line *line)
{
	if (!pf_array_reserve(&heat->lines, heat->line_count, &heat->line_room, 1, sizeof *heat->lines))
		return false;
	heat->lines[heat->line_count++] = *line;
	return true;
}

static bool add_inline(struct pf_heat *heat, const struct pf_heat_inline *instance)
{
	if (!pf_array_reserve(&heat->inlines, heat->inline_count, &heat->inline_room, 1, sizeof *heat->inlines))
		return false;
	heat->inlines[heat->inline_count++] = *instance;
	return true;
}

/* The records of FUNCTION from *R on that are of one line of one instance, as one line. */
static struct pf_heat_line take_line(struct pf_heat *heat, const struct pf_function *function, uint32_t *r)
{
	uint32_t node = function->records[*r].place.node;
	struct pf_heat_line line = { .line = line_of(&function->nodes[node], &function->records[*r].place.position) };

	for (; *r < function->record_count; ++*r) {
		const struct pf_record *record = &function->records[*r];

		if (record->place.node != node || line_of(&function->nodes[node], &record->place.position) != line.line)
			break;
		if (record->count > line.count)
			line.count = record->count;
		heat->total = pf_count_add(heat->total, record->count);
		for (uint32_t o = 0; o < record->outcome_count; o++) {
			uint64_t *side = record->outcomes[o].taken ? &line.taken : &line.fell;

			*side = pf_count_add(*side, record->outcomes[o].count);
		}
	}
	return line;
}

/* Is NODE wanted, or inlined into one that is? */
static bool is_below(const struct pf_function *function, uint32_t node, const char *name, const char *file,
		     uint32_t line)
{
	while (node && !is_wanted(&function->nodes[node], name, file, line))
		node = function->nodes[node].parent;
	return is_wanted(&function->nodes[node], name, file, line);
}

static bool add_function(struct pf_heat *heat, const struct pf_function *function, const char *name, const char *file,
			 uint32_t line)
{
	for (uint32_t r = 0; name && r < function->record_count; r++)
		if (is_below(function, function->records[r].place.node, name, file, line))
			heat->below = pf_count_add(heat->below, function->records[r].count);
	for (uint32_t r = 0; r < function->record_count;) {
		struct pf_heat_line found;

		if (!is_wanted(&function->nodes[function->records[r].place.node], name, file, line)) {
			r++;
			continue;
		}
		found = take_line(heat, function, &r);
		if (!add_line(heat, &found))
			return false;
	}
	for (uint32_t n = 0; n < function->node_count; n++) {
		const struct pf_node *node = &function->nodes[n], *parent = &function->nodes[node->parent];

		if (n && node->entries && is_wanted(parent, name, file, line) &&
		    !add_inline(heat,
				&(struct pf_heat_inline) { line_of(parent, &node->site), node->name, node->entries }))
			return false;
		if (name && is_wanted(node, name, file, line)) {
			heat->instances += n > 0;
			heat->entries = pf_count_add(heat->entries, n ? node->entries : function->head);
		}
	}
	return true;
}

static int by_line(const void *a, const void *b)
{
	const struct pf_heat_line *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

static int by_line_and_name(const void *a, const void *b)
{
	const struct pf_heat_inline *x = a, *y = b;

	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : strcmp(x->name, y->name);
}

static int by_line_and_entries(const void *a, const void *b)
{
	const struct pf_heat_inline *x = a, *y = b;

	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	return x->entries != y->entries ? (x->entries < y->entries) - (x->entries > y->entries)
					: strcmp(x->name, y->name);
}

static void merge(struct pf_heat *heat)
{
	size_t kept = 0;

	for (size_t i = 0; i < heat->line_count; i++) {
		struct pf_heat_line *line = &heat->lines[i], *last = kept ? &heat->lines[kept - 1] : NULL;

		if (last && last->line == line->line) {
			last->count = pf_count_add(last->count, line->count);
			last->taken = pf_count_add(last->taken, line->taken);
			last->fell = pf_count_add(last->fell, line->fell);
		} else {
			heat->lines[kept++] = *line;
		}
	}
	heat->line_count = kept;
	for (size_t i = 0; i < kept; i++)
		heat->maximum = heat->lines[i].count > heat->maximum ? heat->lines[i].count : heat->maximum;
	kept = 0;
	for (size_t i = 0; i < heat->inline_count; i++) {
		struct pf_heat_inline *last = kept ? &heat->inlines[kept - 1] : NULL;

		if (last && last->line == heat->inlines[i].line && strcmp(last->name, heat->inlines[i].name) == 0)
			last->entries = pf_count_add(last->entries, heat->inlines[i].entries);
		else
			heat->inlines[kept++] = heat->inlines[i];
	}
	heat->inline_count = kept;
}

/* An instance of NAME, of FILE and LINE, in the profile's FUNCTION. */
struct pf_heat_place {
	const char *name, *file;
	uint32_t line, function;
};

static int compare_places(const struct pf_heat_place *x, const struct pf_heat_place *y)
{
	uintptr_t names[] = { (uintptr_t)x->name, (uintptr_t)y->name };
	uintptr_t files[] = { (uintptr_t)x->file, (uintptr_t)y->file };

	if (names[0] != names[1])
		return names[0] < names[1] ? -1 : 1;
	if (files[0] != files[1])
		return files[0] < files[1] ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_place(const void *a, const void *b)
{
	const struct pf_heat_place *x = a, *y = b;
	int order = compare_places(x, y);

	return order ? order : (x->function > y->function) - (x->function < y->function);
}

int pf_heat_index_init(struct pf_heat_index *index, const struct pf_profile *profile, struct pf_error *error)
{
	size_t room = 0, count = 0;

	for (uint32_t f = 0; f < profile->function_count; f++)
		room += profile->functions[f].node_count;
	*index = (struct pf_heat_index) { .profile = profile, .places = calloc(room + 1, sizeof *index->places) };
	if (!index->places)
		return pf_fail(error, PF_ENOMEM, "out of memory for the places of %zu functions", room);
	for (uint32_t f = 0; f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t n = 0; n < function->node_count; n++) {
			const struct pf_node *node = &function->nodes[n];

			index->places[count++] = (struct pf_heat_place) { node->name, node->file, node->line, f };
		}
	}
	index->count = count;
	qsort(index->places, count, sizeof *index->places, by_place);
	return PF_OK;
}

void pf_heat_index_fini(struct pf_heat_index *index)
{
	free(index->places);
	*index = (struct pf_heat_index) { 0 };
}

size_t pf_heat_index_find(const struct pf_heat_index *index, const char *name, const char *file, uint32_t line)
{
	struct pf_heat_place wanted = { name, file, line, 0 };
	struct pf_search search = pf_search_over(index->count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_places(&index->places[search.middle], &wanted) < 0);
	return search.low;
}

/* Of the functions with instances of it, each once. */
static bool add_instances(struct pf_heat *heat, const struct pf_heat_index *index, const char *name, const char *file,
			  uint32_t line)
{
	struct pf_heat_place wanted = { name, file, line, 0 };
	uint32_t last = UINT32_MAX;

	for (size_t i = pf_heat_index_find(index, name, file, line); i < index->count; i++) {
		uint32_t function = index->places[i].function;

		if (compare_places(&index->places[i], &wanted) != 0)
			break;
		if (function != last && !add_function(heat, &index->profile->functions[function], name, file, line))
			return false;
		last = function;
	}
	return true;
}

static bool add_file(struct pf_heat *heat, const struct pf_profile *profile, const char *file)
{
	for (uint32_t f = 0; f < profile->function_count; f++) {
		if (!add_function(heat, &profile->functions[f], NULL, file, 0))
			return false;
	}
	return true;
}

int pf_heat_of(const struct pf_heat_index *index, const char *name, const char *file, uint32_t line,
	       struct pf_heat *heat, struct pf_error *error)
{
	bool enough;

	*heat = (struct pf_heat) { .file = file, .first = name ? line : 1 };
	enough = name ? add_instances(heat, index, name, file, line) : add_file(heat, index->profile, file);
	if (!enough) {
		pf_heat_fini(heat);
		return pf_fail(error, PF_ENOMEM, "%s: out of memory for its lines", file);
	}
	if (heat->line_count)
		qsort(heat->lines, heat->line_count, sizeof *heat->lines, by_line);
	if (heat->inline_count)
		qsort(heat->inlines, heat->inline_count, sizeof *heat->inlines, by_line_and_name);
	merge(heat);
	if (heat->inline_count)
		qsort(heat->inlines, heat->inline_count, sizeof *heat->inlines, by_line_and_entries);
	return PF_OK;
}

void pf_heat_fini(struct pf_heat *heat)
{
	free(heat->lines);
	free(heat->inlines);
	*heat = (struct pf_heat) { 0 };
}

/* What a profile names can be anything: the name "-" is a file's. */
static FILE *open_source(const char *path, struct pf_heat_sources *sources)
{
	FILE *stream = NULL;

	if (strcmp(path, "-") != 0)
		pf_infile_stream(path, &stream, NULL);
	sources->newer =
	    stream && sources->made.tv_sec && pf_source_age_is_later(pf_source_age_of_file(path), sources->made);
	if (stream && pf_outfile_spares(sources->output, path, NULL) < 0)
		sources->is_output = true;
	return stream;
}

FILE *pf_heat_open(const char *file, struct pf_heat_sources *sources)
{
	const char *const *folders = sources->folders;
	FILE *source = open_source(file, sources);
	char joined[PATH_MAX];

	for (const char *end = file; !source && end; end = strchr(end, '/')) {
		end += *end == '/';
		for (size_t i = 0; !source && folders[i]; i++) {
			if (*end && snprintf(joined, sizeof joined, "%s/%s", folders[i], end) < (int)sizeof joined)
				source = open_source(joined, sources);
		}
	}
	return source;
}

int pf_heat_spare(const struct pf_heat_sources *sources, struct pf_error *error)
{
	if (!sources->is_output)
		return PF_OK;
	return pf_fail(error, PF_EINVAL,
		       "%s: is a source that is shown, which would be lost; give the output another name",
		       sources->output);
}
