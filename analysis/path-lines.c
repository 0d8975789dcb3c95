/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See path-lines.h.  A line is a hash of its file's name, without folders, and its number; a set of lines a sorted list
 * of these and a hash of them all.  The hard case is a function with very many paths: sets are found by their hash, and
 * the nearest is looked for only where that matters. */
#include "analysis/path-lines.h"
#include "support/filename.h"
#include "support/search.h"

#include <string.h>

#define WORTH_A_SEARCH 1e-5 /* of all flow */
#define NO_SET UINT64_MAX

struct keys {
	PF_ARRAY(uint64_t) list;
};

struct set {
	uint64_t hash;
	size_t first, count; /* in the side's pool */
	double weight;
};

/* The sets of one function on one side. */
struct side {
	PF_ARRAY(struct set) sets;
	struct keys pool;
};

/* A function of either side. */
struct named {
	const char *name;
	size_t size;
	bool counted;
	uint32_t index;
};

struct comparison {
	struct pf_path_profile *estimate;
	const struct pf_counted *counted;
	PF_ARRAY(struct named) names;
	PF_ARRAY(struct pf_path_flow) flows; /* of the estimate, by function */
	struct pf_path_profile ours, exact;  /* flows of (group, set) */
	struct keys common;
	double equal;
	bool failed; /* out of memory */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t key_of(const char *file, uint32_t line)
{
	uint64_t hash = line;

	for (const char *at = pf_filename_base(file); *at; at++)
		hash = mix(hash, (unsigned char)*at);
	return hash;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void add_key(struct comparison *c, struct keys *k, uint64_t key)
{
	uint64_t *new = pf_array_push(&k->list);

	if (new)
		*new = key;
	else
		c->failed = true;
}

/* Sorts the keys from FROM on, and drops what is there twice. */
static void settle(struct keys *k, size_t from)
{
	size_t kept = from;

	if (k->list.count - from > 1)
		qsort(k->list.at + from, k->list.count - from, sizeof *k->list.at, compare_keys);
	for (size_t i = from; i < k->list.count; i++) {
		if (kept == from || k->list.at[kept - 1] != k->list.at[i])
			k->list.at[kept++] = k->list.at[i];
	}
	k->list.count = kept;
}

static bool has(const struct keys *k, uint64_t key)
{
	return k->list.count > 0 && bsearch(&key, k->list.at, k->list.count, sizeof key, compare_keys);
}

static void add_insns(struct comparison *c, struct keys *k, uint32_t index, const struct pf_code_block *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t line;
		const char *file = pf_subject_line(c->estimate->walk.subject, index, b->first + i, &line);

		if (line > 0)
			add_key(c, k, key_of(file, line));
	}
}

/* Makes the keys from FROM on, of which only common ones stay, a set of SIDE. */
static void add_set(struct comparison *c, struct side *side, size_t from, double weight)
{
	struct keys *pool = &side->pool;
	struct set *set = pf_array_push(&side->sets);
	size_t kept = from;

	for (size_t i = from; i < pool->list.count; i++) {
		if (has(&c->common, pool->list.at[i]))
			pool->list.at[kept++] = pool->list.at[i];
	}
	pool->list.count = kept;
	settle(pool, from);
	c->failed |= !set;
	if (!set)
		return;
	*set = (struct set) { 0, from, pool->list.count - from, weight };
	for (size_t i = from; i < pool->list.count; i++)
		set->hash = mix(set->hash, pool->list.at[i]);
}

static int compare_sets(const void *a, const void *b)
{
	const struct set *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void join_sets(struct side *side)
{
	size_t kept = 0;

	pf_array_sort(&side->sets, compare_sets);
	for (size_t i = 0; i < side->sets.count; i++) {
		if (kept > 0 && side->sets.at[kept - 1].hash == side->sets.at[i].hash)
			side->sets.at[kept - 1].weight += side->sets.at[i].weight;
		else
			side->sets.at[kept++] = side->sets.at[i];
	}
	side->sets.count = kept;
}

static void add_counted(struct comparison *c, struct side *side, const struct pf_counted_function *f)
{
	uint32_t *blocks = calloc((size_t)f->graph->block_count + 1, sizeof *blocks);

	c->failed |= !blocks;
	for (size_t i = 0; blocks && i < f->paths.count; i++) {
		uint32_t count = pf_counted_blocks(f, f->paths.at[i].number, blocks);
		size_t from = side->pool.list.count;

		for (uint32_t b = 0; b < count; b++) {
			for (uint32_t k = f->first_line[blocks[b]]; k < f->first_line[blocks[b] + 1]; k++)
				add_key(c, &side->pool, key_of(f->lines.at[k].file, f->lines.at[k].line));
		}
		add_set(c, side, from, (double)f->paths.at[i].count);
	}
	free(blocks);
}

static bool sort_flows(struct comparison *c)
{
	const struct pf_path_profile *p = c->estimate;

	if (!pf_array_reserve(&c->flows.at, 0, &c->flows.capacity, p->flows.count + 1, sizeof *c->flows.at))
		return false;
	if (p->flows.count > 0)
		memcpy(c->flows.at, p->flows.at, p->flows.count * sizeof *c->flows.at);
	c->flows.count = p->flows.count;
	pf_array_sort(&c->flows, pf_path_flow_compare);
	return true;
}

static void add_estimated(struct comparison *c, struct side *side, uint32_t index)
{
	const struct pf_codegraph *m = &c->estimate->walk.subject->functions.at[index].machine;
	uint32_t *blocks = calloc((size_t)m->graph->block_count + 1, sizeof *blocks);
	struct pf_search search = pf_search_over(c->flows.count);

	c->failed |= !blocks;
	while (pf_search_goes_on(&search))
		pf_search_step(&search, c->flows.at[search.middle].function < index);
	for (size_t i = search.low; blocks && i < c->flows.count && c->flows.at[i].function == index; i++) {
		size_t from = side->pool.list.count;
		uint32_t count = pf_path_blocks(c->estimate, &c->flows.at[i], blocks);

		for (uint32_t b = 0; b < count; b++)
			add_insns(c, &side->pool, index, &m->blocks[blocks[b]]);
		add_set(c, side, from, c->flows.at[i].weight);
	}
	free(blocks);
}

/* The share of the lines of both sets that both have. */
static double likeness(const struct side *a, const struct set *x, const struct side *b, const struct set *y)
{
	const uint64_t *p = a->pool.list.at + x->first, *q = b->pool.list.at + y->first;
	size_t i = 0, k = 0, both = 0;

	while (i < x->count && k < y->count) {
		both += p[i] == q[k];
		if (p[i] < q[k])
			i++;
		else if (p[i] > q[k])
			k++;
		else
			i++, k++;
	}
	return x->count + y->count > 0 ? (double)both / (double)(x->count + y->count - both) : 0;
}

/* The counted set that X of OURS is taken for; NO_SET if it has no line in common with any. */
static uint64_t match(struct comparison *c, const struct side *ours, const struct set *x, const struct side *exact)
{
	const struct set *same =
	    exact->sets.count > 0 ? bsearch(x, exact->sets.at, exact->sets.count, sizeof *x, compare_sets) : NULL;
	double best = 0;
	uint64_t found = NO_SET;

	if (same) {
		c->equal += x->weight;
		return same->hash;
	}
	for (size_t i = 0; i < exact->sets.count && x->weight >= WORTH_A_SEARCH * c->estimate->total; i++) {
		double alike = likeness(ours, x, exact, &exact->sets.at[i]);

		if (alike > best) {
			best = alike;
			found = exact->sets.at[i].hash;
		}
	}
	return found;
}

static void add_flow(struct comparison *c, struct pf_path_profile *to, uint32_t group, uint64_t number, double weight)
{
	struct pf_path_flow *new = pf_array_push(&to->flows);

	c->failed |= !new;
	if (new)
		*new = (struct pf_path_flow) { group, number, weight };
	to->total += weight;
}

static void compare_group(struct comparison *c, uint32_t group, const struct named *list, size_t count)
{
	struct side ours = { 0 }, exact = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (list[i].counted)
			add_counted(c, &exact, &c->counted->functions.at[list[i].index]);
		else
			add_estimated(c, &ours, list[i].index);
	}
	join_sets(&ours);
	join_sets(&exact);
	for (size_t i = 0; i < exact.sets.count; i++)
		add_flow(c, &c->exact, group, exact.sets.at[i].hash, exact.sets.at[i].weight);
	for (size_t i = 0; i < ours.sets.count; i++)
		add_flow(c, &c->ours, group, match(c, &ours, &ours.sets.at[i], &exact), ours.sets.at[i].weight);
	pf_array_fini(&ours.sets);
	pf_array_fini(&ours.pool.list);
	pf_array_fini(&exact.sets);
	pf_array_fini(&exact.pool.list);
}

/* Lines that both sides of the functions in LIST have. */
static void find_common(struct comparison *c, const struct named *list, size_t count)
{
	struct keys counted = { 0 };
	size_t kept = 0;

	c->common.list.count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct pf_subject_function *f;

		if (list[i].counted) {
			const struct pf_counted_function *g = &c->counted->functions.at[list[i].index];

			for (size_t k = 0; k < g->lines.count; k++)
				add_key(c, &counted, key_of(g->lines.at[k].file, g->lines.at[k].line));
			continue;
		}
		f = pf_subject_function(c->estimate->walk.subject, list[i].index);
		c->failed |= !f || !pf_walk_numbers(&c->estimate->walk, list[i].index);
		for (uint32_t b = 0; f && b < f->machine.block_count; b++)
			add_insns(c, &c->common, list[i].index, &f->machine.blocks[b]);
	}
	settle(&counted, 0);
	settle(&c->common, 0);
	for (size_t i = 0; i < c->common.list.count; i++) {
		if (has(&counted, c->common.list.at[i]))
			c->common.list.at[kept++] = c->common.list.at[i];
	}
	c->common.list.count = kept;
	pf_array_fini(&counted.list);
}

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	size_t size = x->size < y->size ? x->size : y->size;
	int by = memcmp(x->name, y->name, size);

	if (by == 0)
		by = (x->size > y->size) - (x->size < y->size);
	return by ? by : (int)x->counted - (int)y->counted;
}

/* Copies that the compiler has made of a function have its name and an ending behind a point. */
static void add_name(struct comparison *c, const char *name, size_t size, bool counted, uint32_t index)
{
	struct named *new = pf_array_push(&c->names);
	const char *point = memchr(name, '.', size);

	c->failed |= !new;
	if (new)
		*new = (struct named) { name, point && point > name ? (size_t)(point - name) : size, counted, index };
}

static void compare_groups(struct comparison *c)
{
	const struct pf_subject *s = c->estimate->walk.subject;
	size_t end;

	for (size_t i = 0; i < s->functions.count; i++)
		add_name(c, s->functions.at[i].name, s->functions.at[i].name_size, false, (uint32_t)i);
	for (size_t i = 0; i < c->counted->functions.count; i++)
		add_name(c, c->counted->functions.at[i].name, strlen(c->counted->functions.at[i].name), true,
			 (uint32_t)i);
	pf_array_sort(&c->names, compare_names);
	for (size_t i = 0; i < c->names.count && !c->failed; i = end) {
		const struct named *first = &c->names.at[i];

		for (end = i + 1; end < c->names.count && c->names.at[end].size == first->size &&
				  memcmp(c->names.at[end].name, first->name, first->size) == 0;)
			end++;
		if (first->counted || !c->names.at[end - 1].counted)
			continue;
		find_common(c, first, end - i);
		if (!c->failed && c->common.list.count > 0)
			compare_group(c, (uint32_t)i, first, end - i);
	}
}

int pf_path_lines_compare(struct pf_path_profile *estimate, const struct pf_counted *counted, double threshold,
			  struct pf_path_lines *result, struct pf_error *error)
{
	struct comparison c = { .estimate = estimate, .counted = counted };
	int status = PF_OK;

	c.failed = !sort_flows(&c);
	if (!c.failed)
		compare_groups(&c);
	if (c.failed)
		status = pf_fail(error, PF_ENOMEM, "out of memory for the lines of paths");
	else if (c.exact.total <= 0 || c.ours.total <= 0)
		status = pf_fail(
		    error, PF_EMISMATCH,
		    "%s: no function that was recorded has both name and lines of one that counted its paths; name "
		    "the counts of the same program",
		    counted->module);
	if (status == PF_OK) {
		pf_path_profile_settle(&c.ours);
		pf_path_profile_settle(&c.exact);
		status = pf_path_compare(&c.ours, &c.exact, threshold, &result->accuracy);
		result->sets = c.exact.flows.count;
		result->total = c.exact.total;
		result->comparable = c.exact.total / (double)counted->total;
		result->equal = c.equal / c.ours.total;
	}
	pf_array_fini(&c.names);
	pf_array_fini(&c.flows);
	pf_array_fini(&c.common.list);
	pf_array_fini(&c.ours.flows);
	pf_array_fini(&c.exact.flows);
	return status;
}
