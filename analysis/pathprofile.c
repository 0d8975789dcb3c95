/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathprofile.h.  Equal observations are one entry of a hash table (the thesis's branch vector hash table, after
 * the cut into paths), so that memory grows with what is different and not with what was recorded. */
#include "analysis/pathprofile.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static int grow(struct pf_path_index *index)
{
	size_t capacity = index->capacity ? 2 * index->capacity : 1024;
	uint32_t *slots;

	if (capacity > SIZE_MAX / sizeof *slots)
		return PF_ENOMEM;
	slots = calloc(capacity, sizeof *slots);
	if (!slots)
		return PF_ENOMEM;
	free(index->slots);
	*index = (struct pf_path_index) { .slots = slots, .capacity = capacity };
	return PF_OK;
}

static uint64_t hash_whole(uint32_t function, uint64_t number)
{
	return mix(mix(0, function), number);
}

static void place(struct pf_path_index *index, uint64_t hash, uint32_t entry)
{
	size_t slot = hash & (index->capacity - 1);

	while (index->slots[slot])
		slot = (slot + 1) & (index->capacity - 1);
	index->slots[slot] = entry + 1;
	index->used++;
}

static struct pf_path_whole *find_whole(struct pf_path_profile *p, uint32_t function, uint64_t number)
{
	struct pf_path_index *index = &p->whole_index;
	struct pf_path_whole *new;

	if (2 * index->used >= index->capacity) {
		if (grow(index) < 0)
			return NULL;
		for (uint32_t i = 0; i < p->wholes.count; i++)
			place(index, hash_whole(p->wholes.at[i].function, p->wholes.at[i].number), i);
	}
	for (size_t slot = hash_whole(function, number) & (index->capacity - 1); index->slots[slot];
	     slot = (slot + 1) & (index->capacity - 1)) {
		struct pf_path_whole *whole = &p->wholes.at[index->slots[slot] - 1];

		if (whole->function == function && whole->number == number)
			return whole;
	}
	new = pf_array_push(&p->wholes);
	if (!new)
		return NULL;
	*new = (struct pf_path_whole) { .function = function, .number = number };
	place(index, hash_whole(function, number), (uint32_t)p->wholes.count - 1);
	return new;
}

static uint64_t hash_partial(const struct pf_path_partial *partial, const uint32_t *edges)
{
	uint64_t hash = mix(mix(mix(0, partial->function), partial->start), partial->head * 2u + partial->tail);

	hash = mix(hash, partial->seen);
	for (uint32_t i = 0; i < partial->count; i++)
		hash = mix(hash, edges[i]);
	return hash;
}

static bool is_same(const struct pf_path_profile *p, const struct pf_path_partial *a, const struct pf_path_partial *b,
		    const uint32_t *edges)
{
	return a->function == b->function && a->start == b->start && a->count == b->count && a->seen == b->seen &&
	       a->head == b->head && a->tail == b->tail &&
	       (a->count == 0 || memcmp(p->pool.at + a->first, edges, a->count * sizeof *edges) == 0);
}

static int add_partial(struct pf_path_profile *p, struct pf_path_partial partial, const uint32_t *edges)
{
	struct pf_path_index *index = &p->partial_index;
	uint64_t hash = hash_partial(&partial, edges);
	struct pf_path_partial *new;

	if (2 * index->used >= index->capacity) {
		if (grow(index) < 0)
			return PF_ENOMEM;
		for (uint32_t i = 0; i < p->partials.count; i++)
			place(index, hash_partial(&p->partials.at[i], p->pool.at + p->partials.at[i].first), i);
	}
	for (size_t slot = hash & (index->capacity - 1); index->slots[slot];
	     slot = (slot + 1) & (index->capacity - 1)) {
		struct pf_path_partial *known = &p->partials.at[index->slots[slot] - 1];

		if (is_same(p, known, &partial, edges)) {
			known->weight += partial.weight;
			return PF_OK;
		}
	}
	partial.first = p->pool.count;
	for (uint32_t i = 0; i < partial.count; i++) {
		uint32_t *edge = pf_array_push(&p->pool);

		if (!edge)
			return PF_ENOMEM;
		*edge = edges[i];
	}
	new = pf_array_push(&p->partials);
	if (!new)
		return PF_ENOMEM;
	*new = partial;
	place(index, hash, (uint32_t)p->partials.count - 1);
	return PF_OK;
}

static uint64_t hash_link(const struct pf_path_link *l)
{
	return mix(mix(mix(mix(l->kind, l->before_function), l->before), l->function), l->number);
}

static int add_link(struct pf_path_profile *p, const struct pf_path_link *link)
{
	struct pf_path_index *index = &p->link_index;
	struct pf_path_link *new;

	if (2 * index->used >= index->capacity) {
		if (grow(index) < 0)
			return PF_ENOMEM;
		for (uint32_t i = 0; i < p->links.count; i++)
			place(index, hash_link(&p->links.at[i]), i);
	}
	for (size_t slot = hash_link(link) & (index->capacity - 1); index->slots[slot];
	     slot = (slot + 1) & (index->capacity - 1)) {
		struct pf_path_link *known = &p->links.at[index->slots[slot] - 1];

		if (known->kind == link->kind && known->before_function == link->before_function &&
		    known->before == link->before && known->function == link->function &&
		    known->number == link->number) {
			known->weight += link->weight;
			return PF_OK;
		}
	}
	new = pf_array_push(&p->links);
	if (!new)
		return PF_ENOMEM;
	*new = *link;
	place(index, hash_link(link), (uint32_t)p->links.count - 1);
	return PF_OK;
}

int pf_path_flow_compare(const void *a, const void *b)
{
	const struct pf_path_flow *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_weights(const void *a, const void *b)
{
	const struct pf_path_flow *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return pf_path_flow_compare(a, b);
}

void pf_path_profile_settle(struct pf_path_profile *p)
{
	size_t kept = 0;

	pf_array_sort(&p->flows, pf_path_flow_compare);
	p->total = 0;
	for (size_t i = 0; i < p->flows.count; i++) {
		struct pf_path_flow *f = &p->flows.at[i];

		p->total += f->weight;
		if (kept > 0 && pf_path_flow_compare(&p->flows.at[kept - 1], f) == 0)
			p->flows.at[kept - 1].weight += f->weight;
		else
			p->flows.at[kept++] = *f;
	}
	p->flows.count = kept;
	pf_array_sort(&p->flows, compare_weights);
}

uint32_t pf_path_length(const struct pf_pathnumber *n, const uint32_t *edges, uint32_t count)
{
	return count > 0 && pf_pathnumber_is_end(n, edges[count - 1]) ? count : count + 1;
}

static int take(void *context, const struct pf_walk_path *path)
{
	struct pf_path_profile *p = context;
	const struct pf_pathnumber *n = &p->walk.numbers[path->function];
	double weight = (double)path->weight / PF_WEIGHT_ONE;
	uint32_t length = pf_path_length(n, path->edges, path->count);
	struct pf_path_whole *whole;
	struct pf_path_link link = { .kind = path->link,
				     .before_function = path->before_function,
				     .function = path->function,
				     .before = path->before,
				     .weight = weight };

	if (!path->head || !path->tail)
		return add_partial(p,
				   (struct pf_path_partial) { .function = path->function,
							      .start = path->start,
							      .count = path->count,
							      .seen = path->seen,
							      .head = path->head,
							      .tail = path->tail,
							      .weight = weight },
				   path->edges);
	link.number = pf_pathnumber_of(n, path->start, path->edges, path->count);
	whole = find_whole(p, path->function, link.number);
	if (!whole)
		return PF_ENOMEM;
	whole->whole += path->seen == length ? weight : 0;
	whole->touches += path->seen == length ? 0 : weight;
	whole->shares += path->seen == length ? 0 : weight * path->seen / length;
	return link.kind == PF_LINK_NONE || path->seen < length ? PF_OK : add_link(p, &link);
}

int pf_path_profile_init(struct pf_path_profile *p, struct pf_subject *subject)
{
	*p = (struct pf_path_profile) { 0 };
	return pf_walk_init(&p->walk, subject, take, p);
}

void pf_path_profile_fini(struct pf_path_profile *p)
{
	if (p->walk.subject)
		pf_walk_fini(&p->walk);
	pf_array_fini(&p->wholes);
	pf_array_fini(&p->partials);
	pf_array_fini(&p->pool);
	pf_array_fini(&p->flows);
	pf_array_fini(&p->links);
	free(p->whole_index.slots);
	free(p->partial_index.slots);
	free(p->link_index.slots);
}

int pf_path_profile_count(struct pf_path_profile *p, uint32_t function, uint64_t number, double weight)
{
	struct pf_path_whole *whole = find_whole(p, function, number);

	if (!whole)
		return PF_ENOMEM;
	whole->whole += weight;
	return PF_OK;
}

uint32_t pf_path_blocks(const struct pf_path_profile *p, const struct pf_path_flow *flow, uint32_t *blocks)
{
	const struct pf_pathnumber *n = &p->walk.numbers[flow->function];
	const struct pf_codegraph *m = &p->walk.subject->functions.at[flow->function].machine;
	uint32_t start, all = pf_pathnumber_path(n, flow->number, &start, blocks), block = start, kept = 0;

	for (uint32_t i = 0; i <= all; i++) {
		uint32_t edge = i < all ? blocks[i] : UINT32_MAX;

		/* A block takes the place of an edge in front of it, which was read. */
		if (block < m->block_count)
			blocks[kept++] = block;
		if (edge == UINT32_MAX || pf_pathnumber_is_end(n, edge))
			break;
		block = n->graph->edges[edge].to;
	}
	return kept;
}
