/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copying a subtree into another profile.  The hard case is what points out of it: outcomes in the code around an
 * instance are left behind, and paths begin where they come into it.
 *
 * Trees are in preorder and records sorted by node, so that a subtree is a range of both: of thousands of instances in
 * one function each is copied for what it is itself.
 *
 * And what only seems to be in it.  Where partial redundancies go, what the compiler computes early in the instance
 * has the place of the host's statement that needs it, and the test of a vectorised loop behind it that of the loop;
 * in a function of its own that would be code on lines that it does not have, and it would look as if its source had
 * been edited. */
#include "plugin/graft.h"
#include "plugin/match.h"
#include "support/search.h"

#include <string.h>

struct graft {
	const struct pf_function *from;
	uint32_t root, end; /* nodes [root, end) are the subtree; root is node 0 of the copy, and so on */
	struct pf_profile *to;
	bool failed;
};

static const char *intern(struct graft *g, const char *string)
{
	const char *copy = pf_profile_intern(g->to, string ? string : "");

	g->failed |= !copy;
	return copy;
}

static void *reserve(struct graft *g, size_t count, size_t size)
{
	void *memory = count ? pf_profile_reserve(g->to, count * size) : NULL;

	g->failed |= count && !memory;
	return memory;
}

static bool has_node(const struct graft *g, uint32_t node)
{
	return node >= g->root && node < g->end;
}

/* The node behind the subtree of ROOT. */
static uint32_t end_of_subtree(const struct pf_function *f, uint32_t root)
{
	uint32_t end = root + 1;

	while (end < f->node_count && f->nodes[end].parent >= root && f->nodes[end].parent < end)
		end++;
	return end;
}

static void copy_nodes(struct graft *g, struct pf_function *f)
{
	f->nodes = reserve(g, g->end - g->root, sizeof *f->nodes);
	if (g->failed)
		return;
	f->node_count = g->end - g->root;
	for (uint32_t i = g->root; i < g->end; i++) {
		const struct pf_node *node = &g->from->nodes[i];
		struct pf_node *copy = &f->nodes[i - g->root];

		*copy = *node;
		copy->name = intern(g, node->name);
		copy->file = intern(g, node->file);
		copy->parent = i == g->root ? 0 : node->parent - g->root;
		if (i == g->root)
			copy->site = (struct pf_position) { 0, 0, 0 };
	}
}

static void copy_outcomes(struct graft *g, struct pf_record *copy, const struct pf_record *record)
{
	copy->outcomes = reserve(g, record->outcome_count, sizeof *copy->outcomes);
	copy->outcome_count = 0;
	for (uint32_t i = 0; i < record->outcome_count && !g->failed; i++) {
		uint32_t node = record->outcomes[i].to.node;

		if (!has_node(g, node))
			continue;
		copy->outcomes[copy->outcome_count] = record->outcomes[i];
		copy->outcomes[copy->outcome_count++].to.node = node - g->root;
	}
}

static void copy_record(struct graft *g, struct pf_record *copy, const struct pf_record *record)
{
	*copy = *record;
	copy->place.node = record->place.node - g->root;
	copy->targets = reserve(g, record->target_count, sizeof *copy->targets);
	for (uint32_t i = 0; i < record->target_count && !g->failed; i++) {
		copy->targets[i].name = intern(g, record->targets[i].name);
		copy->targets[i].count = record->targets[i].count;
	}
	copy->values = reserve(g, record->value_count, sizeof *copy->values);
	for (uint32_t i = 0; i < record->value_count && !g->failed; i++)
		copy->values[i] = record->values[i];
	copy_outcomes(g, copy, record);
}

/* The end of PATH that lies in the subtree, if its last decision does. */
static void copy_path(struct graft *g, struct pf_function *f, const struct pf_path *path)
{
	struct pf_path *copy = &f->paths[f->path_count];
	uint32_t first = path->place_count;

	while (first > 0 && has_node(g, path->places[first - 1].node))
		first--;
	first += (path->place_count - first) % 2;
	if (first == path->place_count)
		return;
	copy->count = path->count;
	copy->place_count = path->place_count - first;
	copy->places = reserve(g, copy->place_count, sizeof *copy->places);
	for (uint32_t i = 0; i < copy->place_count && !g->failed; i++) {
		copy->places[i] = path->places[first + i];
		copy->places[i].node -= g->root;
	}
	f->path_count++;
}

static void copy_paths(struct graft *g, struct pf_function *f)
{
	f->paths = reserve(g, g->from->path_count, sizeof *f->paths);
	for (uint32_t i = 0; i < g->from->path_count && !g->failed; i++)
		copy_path(g, f, &g->from->paths[i]);
}

/* Whether F has a record of this LINE in NODE. */
static bool has_line(const struct pf_function *f, uint32_t node, int64_t line)
{
	struct pf_search search = pf_search_over(f->record_count);

	while (pf_search_goes_on(&search)) {
		const struct pf_place *at = &f->records[search.middle].place;

		pf_search_step(&search, at->node < node || (at->node == node && at->position.line < line));
	}
	if (search.low == f->record_count)
		return false;
	const struct pf_place *found = &f->records[search.low].place;
	return found->node == node && found->position.line == line;
}

/* Whether PLACE in the subtree is on a line of what is around it.  Both have the line, as the compiler may also lose
 * the scope of what was inlined; it is of the one whose declaration is the last above it. */
static bool is_hosts(const struct graft *g, const struct pf_place *place)
{
	const struct pf_node *own = &g->from->nodes[place->node];
	int64_t line = (int64_t)own->line + place->position.line;

	for (uint32_t i = g->root; i > 0;) {
		i = g->from->nodes[i].parent;
		const struct pf_node *host = &g->from->nodes[i];

		if (host->line <= line && (host->line > own->line || own->line > line) &&
		    strcmp(host->file, own->file) == 0 && has_line(g->from, i, line - host->line))
			return true;
	}
	return false;
}

static bool is_inside(const struct graft *g, const struct pf_place *place)
{
	return has_node(g, place->node) && !is_hosts(g, place);
}

/* The first of FROM's records in NODE, or behind it. */
static uint32_t first_record(const struct pf_function *from, uint32_t node)
{
	struct pf_search search = pf_search_over(from->record_count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, from->records[search.middle].place.node < node);
	return (uint32_t)search.low;
}

static void copy_records(struct graft *g, struct pf_function *f)
{
	uint32_t first = first_record(g->from, g->root), end = first_record(g->from, g->end), count = 0;

	for (uint32_t i = first; i < end; i++)
		count += is_inside(g, &g->from->records[i].place);
	f->records = reserve(g, count, sizeof *f->records);
	for (uint32_t i = first; i < end && !g->failed; i++) {
		if (is_inside(g, &g->from->records[i].place))
			copy_record(g, &f->records[f->record_count++], &g->from->records[i]);
	}
}

int pf_graft_subtree(struct pf_profile *to, const struct pf_function *from, uint32_t root, uint64_t head)
{
	struct graft g = { .from = from, .root = root, .end = end_of_subtree(from, root), .to = to };
	struct pf_function *f = pf_profile_add_function(to);

	if (f) {
		f->name = intern(&g, from->nodes[root].name);
		f->file = intern(&g, from->nodes[root].file);
		f->line = from->nodes[root].line;
		f->head = head;
		f->rank = from->rank;
		copy_nodes(&g, f);
		if (!g.failed)
			copy_records(&g, f);
		if (!g.failed)
			copy_paths(&g, f);
	}
	return f && !g.failed ? PF_OK : PF_ENOMEM;
}

bool pf_graft_ran(const struct pf_function *from, uint32_t root)
{
	uint32_t end = end_of_subtree(from, root);

	for (uint32_t i = 0; i < from->record_count; i++) {
		const struct pf_record *record = &from->records[i];

		if (record->place.node >= root && record->place.node < end && record->count)
			return true;
	}
	return false;
}

void pf_graft_adopt_discriminators(struct pf_profile *profile)
{
	const struct pf_function *own = &profile->functions[0];

	for (uint32_t i = 1; i < profile->function_count; i++) {
		struct pf_function *f = &profile->functions[i];

		for (uint32_t r = 0; r < f->record_count && f->records[r].place.node == 0; r++) {
			struct pf_match match;

			if (f->records[r].place.position.discriminator)
				continue;
			match = pf_match_record(own, &f->records[r].place);
			if (match.kind == PF_MATCH_COLUMN)
				f->records[r].place.position = match.record->place.position;
		}
	}
}
