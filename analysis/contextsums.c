/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts trees together (contexts.h), and measures the whole.  Nodes are the same when their parents are, their functions
 * and their call sites; parents come first, so that one pass with a table of nodes finds all.
 *
 * The hard case is a child of fork, which goes on with the tree of its parent, where it counts from zero: contexts that
 * it was never in are left out, but for those that lead to one. */
#include "analysis/contexts.h"
#include "profile/saturate.h"

#include <string.h>

/* Of nodes, by parent, function and site: open addressing, for twice as many. */
struct table {
	uint32_t *slots;
	size_t capacity; /* a power of two */
};

static int compare_functions(const struct pf_contexts *c, uint32_t left, uint32_t right)
{
	const struct pf_context_function *a = &c->functions.at[left], *b = &c->functions.at[right];
	int names = strcmp(a->name, b->name), files = names ? names : strcmp(a->file, b->file), sites;

	if (files)
		return files;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->site_count != b->site_count)
		return a->site_count < b->site_count ? -1 : 1;
	sites = a->site_count > 0 ? memcmp(&c->sites.at[a->first_site], &c->sites.at[b->first_site],
					   a->site_count * sizeof *c->sites.at)
				  : 0;
	if (sites || !a->paths || !b->paths)
		return sites ? sites : (a->paths != NULL) - (b->paths != NULL);
	return pf_counted_compare_graphs(a->paths, b->paths);
}

static int compare_indices(const void *left, const void *right, void *of)
{
	return compare_functions(of, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* One of those that are the same for each function, in an array that is the caller's; NULL without memory. */
static uint32_t *same_functions(struct pf_contexts *c)
{
	size_t count = c->functions.count;
	uint32_t *sorted = calloc(count + 1, sizeof *sorted), *same = calloc(count + 1, sizeof *same);

	if (!sorted || !same) {
		free(sorted);
		free(same);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	if (count > 1)
		qsort_r(sorted, count, sizeof *sorted, compare_indices, c);
	for (size_t i = 0; i < count; i++) {
		bool is_new = i == 0 || compare_functions(c, sorted[i - 1], sorted[i]) != 0;

		same[sorted[i]] = is_new ? sorted[i] : same[sorted[i - 1]];
	}
	free(sorted);
	return same;
}

static bool is_same(const struct pf_context_node *a, const struct pf_context_node *b)
{
	return a->parent == b->parent && a->function == b->function && a->site == b->site;
}

/* The slot of TABLE where N is, or may be put. */
static uint32_t *find(const struct table *table, const struct pf_contexts *c, const struct pf_context_node *n)
{
	uint64_t key =
	    ((uint64_t)n->parent << 32 ^ (uint64_t)n->site << 20 ^ n->function) * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t at = key >> 20;; at++) {
		uint32_t *slot = &table->slots[at & (table->capacity - 1)];

		if (*slot == PF_CONTEXT_NOTHING || is_same(&c->nodes.at[*slot], n))
			return slot;
	}
}

/* The nodes, each once, in the places of the first ones; MOVED gets where each is. */
static void join(struct pf_contexts *c, const uint32_t *same, struct table *table, uint32_t *moved, bool by_site)
{
	uint32_t kept = 1;

	moved[0] = 0;
	for (uint32_t i = 1; i < c->nodes.count; i++) {
		struct pf_context_node n = c->nodes.at[i];
		bool is_record = n.leads == i;
		uint32_t *slot;

		n.parent = moved[n.parent];
		n.function = same[n.function];
		n.site = by_site || n.parent == 0 ? n.site : 0;
		slot = find(table, c, &n);
		moved[i] = *slot == PF_CONTEXT_NOTHING ? kept : *slot;
		if (*slot == PF_CONTEXT_NOTHING) {
			*slot = kept++;
			n.leads = is_record ? *slot : moved[n.leads];
			c->nodes.at[*slot] = n;
		} else {
			c->nodes.at[*slot].count = pf_count_add(c->nodes.at[*slot].count, n.count);
			c->nodes.at[*slot].took = pf_count_add(c->nodes.at[*slot].took, n.took);
		}
	}
	c->nodes.count = kept;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct pf_context_path *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_counts(const void *left, const void *right)
{
	const struct pf_context_path *a = left, *b = right;

	if (a->node == b->node && a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return compare_numbers(a, b);
}

/* Paths of nodes that were MOVED, each once. */
static void join_paths(struct pf_contexts *c, const uint32_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->paths.count; i++)
		c->paths.at[i].node = moved[c->paths.at[i].node];
	pf_array_sort(&c->paths, compare_numbers);
	for (size_t i = 0; i < c->paths.count; i++) {
		struct pf_context_path path = c->paths.at[i], *last = kept > 0 ? &c->paths.at[kept - 1] : NULL;
		struct pf_context_node *n = &c->nodes.at[path.node];

		n->ran = pf_count_add(n->ran, path.count);
		if (path.count == 0)
			continue;
		if (last && compare_numbers(last, &path) == 0) {
			last->count = pf_count_add(last->count, path.count);
			last->took = pf_count_add(last->took, path.took);
		} else {
			c->paths.at[kept++] = path;
		}
	}
	c->paths.count = kept;
}

static void link_paths(struct pf_contexts *c, const uint32_t *moved)
{
	for (size_t i = 0; i < c->paths.count; i++)
		c->paths.at[i].node = moved[c->paths.at[i].node];
	pf_array_sort(&c->paths, compare_counts);
	for (uint32_t i = 0; i < c->paths.count; i++) {
		struct pf_context_node *n = &c->nodes.at[c->paths.at[i].node];

		n->first_path = n->path_count++ ? n->first_path : i;
	}
}

static void find_own_calls(struct pf_contexts *c)
{
	for (size_t i = 0; i < c->nodes.count; i++)
		c->nodes.at[i].own = c->nodes.at[i].count;
}

/* What all calls that lead to a node took of the metric, less what its own calls took.  A call that was left by
 * longjmp or an exception has none, so that its callees may have more. */
static void find_own(struct pf_contexts *c)
{
	for (size_t i = 0; i < c->nodes.count; i++)
		c->nodes.at[i].own = 0;
	for (size_t i = 1; i < c->nodes.count; i++) {
		struct pf_context_node *to = &c->nodes.at[c->nodes.at[i].leads];

		to->own = pf_count_add(to->own, c->nodes.at[i].took);
	}
	for (size_t i = 1; i < c->nodes.count; i++) {
		struct pf_context_node *from = &c->nodes.at[c->nodes.at[i].parent];

		from->own -= from->own < c->nodes.at[i].took ? from->own : c->nodes.at[i].took;
	}
}

static void sum_up(struct pf_contexts *c)
{
	for (size_t i = 0; i < c->nodes.count; i++)
		c->nodes.at[i].below = c->nodes.at[i].own;
	for (size_t i = c->nodes.count; i-- > 1;) {
		struct pf_context_node *n = &c->nodes.at[i], *parent = &c->nodes.at[n->parent];

		parent->below = pf_count_add(parent->below, n->below);
	}
}

/* What a recursive call leads to is kept with it: an ancestor; and what ended a path was come to before a fork. */
static void drop_uncalled(struct pf_contexts *c, uint32_t *moved)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < c->nodes.count; i++)
		c->nodes.at[i].own = pf_count_add(c->nodes.at[i].count, c->nodes.at[i].ran);
	sum_up(c);
	for (uint32_t i = 0; i < c->nodes.count; i++) {
		struct pf_context_node n = c->nodes.at[i];

		if (i > 0 && n.below == 0)
			continue;
		moved[i] = kept;
		n.parent = moved[n.parent];
		n.leads = n.leads == i ? kept : moved[n.leads];
		n.depth = i > 0 ? c->nodes.at[n.parent].depth + 1 : 0;
		c->nodes.at[kept++] = n;
	}
	c->nodes.count = kept;
}

static int compare_nodes(const void *left, const void *right, void *of)
{
	const struct pf_contexts *c = of;
	const struct pf_context_node *a = &c->nodes.at[*(const uint32_t *)left],
				     *b = &c->nodes.at[*(const uint32_t *)right];
	int functions;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->below != b->below)
		return a->below > b->below ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	functions = compare_functions(c, a->function, b->function);
	return functions ? functions : (a > b) - (a < b);
}

/* Links children, in ORDER. */
static void link_children(struct pf_contexts *c, uint32_t *order)
{
	for (uint32_t i = 0; i < c->nodes.count; i++) {
		c->nodes.at[i].first = c->nodes.at[i].next = PF_CONTEXT_NOTHING;
		order[i] = i;
	}
	if (c->nodes.count < 2)
		return;
	qsort_r(order + 1, c->nodes.count - 1, sizeof *order, compare_nodes, c);
	for (size_t i = c->nodes.count; i-- > 1;) {
		struct pf_context_node *n = &c->nodes.at[order[i]], *parent = &c->nodes.at[n->parent];

		n->next = parent->first;
		parent->first = order[i];
	}
}

int pf_contexts_finish(struct pf_contexts *c, bool by_site, bool by_metric, struct pf_error *error)
{
	struct table table = { .capacity = 16 };
	uint32_t *same = same_functions(c), *moved = calloc(c->nodes.count + 1, sizeof *moved);
	bool good;

	while (table.capacity < 2 * c->nodes.count)
		table.capacity *= 2;
	table.slots = malloc(table.capacity * sizeof *table.slots);
	good = table.slots && same && moved;
	c->by_site = by_site;
	c->by_metric = by_metric;
	if (good && c->nodes.count > 0) {
		memset(table.slots, 0xff, table.capacity * sizeof *table.slots);
		join(c, same, &table, moved, by_site);
		join_paths(c, moved);
		drop_uncalled(c, moved);
		link_paths(c, moved);
		if (by_metric)
			find_own(c);
		else
			find_own_calls(c);
		sum_up(c);
		link_children(c, moved);
	}
	free(table.slots);
	free(same);
	free(moved);
	return good ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory for the sums of calling contexts");
}

/* Moves the windows, so that names stay. */
static int take_windows(struct pf_contexts *c, struct pf_counted *counted, const char *path, struct pf_error *error)
{
	int status = c->metric ? pf_counted_metric_add(&counted->metric, c->metric, path, error) : PF_OK;

	counted->plain |= c->plain;
	if (status == PF_OK)
		status = pf_counted_metric_check(counted->metric, counted->plain, path, error);
	for (size_t i = 0; i < c->windows.count; i++) {
		uint8_t **window = pf_array_push(&counted->windows);

		if (!window)
			return pf_fail(error, PF_ENOMEM, "out of memory for the paths of calling contexts");
		*window = c->windows.at[i];
		c->windows.at[i] = NULL;
	}
	counted->module = c->module;
	counted->lost = pf_count_add(counted->lost, c->lost);
	return status;
}

static bool add_up(struct pf_contexts *c)
{
	for (size_t i = 1; i < c->nodes.count; i++) {
		struct pf_counted_function *f = c->functions.at[c->nodes.at[i].function].paths;

		if (f)
			f->entries = pf_count_add(f->entries, c->nodes.at[i].count);
	}
	for (size_t i = 0; i < c->paths.count; i++) {
		const struct pf_context_path *path = &c->paths.at[i];
		struct pf_counted_function *f = c->functions.at[c->nodes.at[path->node].function].paths;
		struct pf_counted_path *new = pf_array_push(&f->paths);

		if (!new)
			return false;
		*new = (struct pf_counted_path) { path->number, path->count, path->took };
	}
	return true;
}

int pf_contexts_take_paths(struct pf_contexts *c, struct pf_counted *counted, const char *path, struct pf_error *error)
{
	bool good = add_up(c), any = false;

	for (size_t i = 0; i < c->functions.count && good; i++) {
		struct pf_context_function *f = &c->functions.at[i];
		struct pf_counted_function *new = f->paths ? pf_array_push(&counted->functions) : NULL;

		good = new || !f->paths;
		if (!new)
			continue;
		*new = *f->paths;
		free(f->paths);
		f->paths = NULL;
		any = true;
	}
	if (!good)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (!any)
		return pf_fail(error, PF_EMISMATCH,
			       "%s: paths were not counted with these contexts; compile the program with the flags of "
			       "`pathfdo cflags --instrument=paths,context`, and run it again",
			       path);
	return take_windows(c, counted, path, error);
}

uint32_t pf_contexts_next(const struct pf_contexts *c, uint32_t node)
{
	if (c->nodes.at[node].first != PF_CONTEXT_NOTHING)
		return c->nodes.at[node].first;
	while (node != 0 && c->nodes.at[node].next == PF_CONTEXT_NOTHING)
		node = c->nodes.at[node].parent;
	return node == 0 ? PF_CONTEXT_NOTHING : c->nodes.at[node].next;
}

uint32_t pf_contexts_line(const struct pf_contexts *c, uint32_t node)
{
	const struct pf_context_node *n = &c->nodes.at[node];
	const struct pf_context_function *f;

	if (!c->by_site || node == 0 || n->parent == 0)
		return 0;
	f = &c->functions.at[c->nodes.at[n->parent].function];
	return c->sites.at[f->first_site + n->site];
}
