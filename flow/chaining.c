/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See chaining.h.  Links between chains stand in a heap by what their joins gain.  A join moves the arcs, links and
 * nodes of one chain to the other, and judges anew the links of the result, as these alone have changed.  The hard case
 * is a node that everything is connected with (the dispatcher of an interpreter, an allocator): its links are judged
 * with each of its joins, so that objectives limit the length of the chains that they join. */
#include "flow/chaining.h"
#include "support/array.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_GAIN 1e-9

static bool goes_before(const struct pf_chaining *c, uint32_t x, uint32_t y)
{
	double p = c->links[x].join.gain, q = c->links[y].join.gain;

	return p > q || (p == q && x < y);
}

static void put(struct pf_chaining *c, uint32_t at, uint32_t link)
{
	c->heap[at] = link;
	c->links[link].heap_at = at;
}

static void sift_up(struct pf_chaining *c, uint32_t at)
{
	uint32_t link = c->heap[at];

	while (at > 0 && goes_before(c, link, c->heap[(at - 1) / 2])) {
		put(c, at, c->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(c, at, link);
}

static void sift_down(struct pf_chaining *c, uint32_t at)
{
	uint32_t link = c->heap[at];

	for (uint32_t child; (child = at * 2 + 1) < c->heap_count; at = child) {
		if (child + 1 < c->heap_count && goes_before(c, c->heap[child + 1], c->heap[child]))
			child++;
		if (!goes_before(c, c->heap[child], link))
			break;
		put(c, at, c->heap[child]);
	}
	put(c, at, link);
}

static void settle(struct pf_chaining *c, uint32_t at)
{
	uint32_t link = c->heap[at];

	sift_up(c, at);
	sift_down(c, c->links[link].heap_at);
}

static void leave_heap(struct pf_chaining *c, uint32_t link)
{
	uint32_t at = c->links[link].heap_at, last = c->heap[--c->heap_count];

	if (last != link) {
		put(c, at, last);
		settle(c, at);
	}
}

static void judge(struct pf_chaining *c, uint32_t link)
{
	struct pf_chain_link *l = &c->links[link];

	l->join = c->judge(c, l->a, l->b, l->first_arc);
}

static void append_arcs(struct pf_chaining *c, uint32_t *first, uint32_t *last, uint32_t more, uint32_t more_last)
{
	if (more == PF_CHAINING_NONE)
		return;
	if (*first == PF_CHAINING_NONE)
		*first = more;
	else
		c->next_arc[*last] = more;
	*last = more_last;
}

static int add_link(struct pf_chain *chain, uint32_t link)
{
	if (!pf_array_reserve(&chain->links, chain->link_count, &chain->link_capacity, 1, sizeof *chain->links))
		return -1;
	chain->links[chain->link_count++] = link;
	return 0;
}

static void drop_link(struct pf_chain *chain, uint32_t link)
{
	for (uint32_t i = 0; i < chain->link_count; i++) {
		if (chain->links[i] == link) {
			chain->links[i] = chain->links[--chain->link_count];
			return;
		}
	}
}

struct endpoints {
	uint32_t low, high, arc;
};

static int compare_endpoints(const void *a, const void *b)
{
	const struct endpoints *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return (x->arc > y->arc) - (x->arc < y->arc);
}

/* A link for each pair of nodes that arcs connect; arcs of a node to itself say nothing. */
static int make_links(struct pf_chaining *c)
{
	struct endpoints *ends = calloc((size_t)c->arc_count + 1, sizeof *ends);
	uint32_t count = 0;
	int status = ends ? 0 : -1;

	for (uint32_t i = 0; ends && i < c->arc_count; i++) {
		uint32_t from = c->arcs[i].from, to = c->arcs[i].to;

		if (from != to && c->arcs[i].count > 0)
			ends[count++] = (struct endpoints) { from < to ? from : to, from < to ? to : from, i };
	}
	if (count)
		qsort(ends, count, sizeof *ends, compare_endpoints);
	for (uint32_t i = 0; status == 0 && i < count; i++) {
		struct pf_chain_link *link = c->link_count ? &c->links[c->link_count - 1] : NULL;

		if (!link || link->a != ends[i].low || link->b != ends[i].high) {
			link = &c->links[c->link_count++];
			*link = (struct pf_chain_link) { .a = ends[i].low,
							 .b = ends[i].high,
							 .first_arc = PF_CHAINING_NONE };
			status = add_link(&c->chains[link->a], c->link_count - 1) |
				 add_link(&c->chains[link->b], c->link_count - 1);
		}
		append_arcs(c, &link->first_arc, &link->last_arc, ends[i].arc, ends[i].arc);
	}
	free(ends);
	return status;
}

static int make_chains(struct pf_chaining *c, const uint64_t *weights)
{
	for (uint32_t i = 0; i < c->node_count; i++) {
		struct pf_chain *chain = &c->chains[i];

		chain->nodes = malloc(sizeof *chain->nodes);
		if (!chain->nodes)
			return -1;
		chain->nodes[0] = i;
		chain->count = 1;
		chain->size = c->sizes[i];
		chain->weight = weights ? weights[i] : 0;
		chain->first_arc = PF_CHAINING_NONE;
		c->chain_of[i] = i;
		c->link_with[i] = PF_CHAINING_NONE;
	}
	for (uint32_t i = 0; i < c->arc_count; i++)
		c->next_arc[i] = PF_CHAINING_NONE;
	return 0;
}

int pf_chaining_init(struct pf_chaining *c, uint32_t node_count, const uint64_t *sizes, const uint64_t *weights,
		     const struct pf_arc *arcs, uint32_t arc_count)
{
	size_t nodes = (size_t)node_count + 1, links = (size_t)arc_count + 1;

	*c = (struct pf_chaining) { .node_count = node_count, .arc_count = arc_count, .sizes = sizes, .arcs = arcs };
	c->chains = calloc(nodes, sizeof *c->chains);
	c->chain_of = calloc(nodes, sizeof *c->chain_of);
	c->address = calloc(nodes, sizeof *c->address);
	c->link_with = calloc(nodes, sizeof *c->link_with);
	c->next_arc = calloc(links, sizeof *c->next_arc);
	c->links = calloc(links, sizeof *c->links);
	c->heap = calloc(links, sizeof *c->heap);
	if (c->chains && c->chain_of && c->address && c->link_with && c->next_arc && c->links && c->heap &&
	    make_chains(c, weights) == 0 && make_links(c) == 0)
		return 0;
	pf_chaining_fini(c);
	return -1;
}

void pf_chaining_fini(struct pf_chaining *c)
{
	for (uint32_t i = 0; c->chains && i < c->node_count; i++) {
		free(c->chains[i].nodes);
		free(c->chains[i].links);
	}
	free(c->chains);
	free(c->chain_of);
	free(c->address);
	free(c->link_with);
	free(c->next_arc);
	free(c->links);
	free(c->heap);
	*c = (struct pf_chaining) { 0 };
}

/* The nodes of the joined chain, allocated; NULL when out of memory. */
static uint32_t *joined_nodes(const struct pf_join *join, const struct pf_chain *x, const struct pf_chain *y)
{
	uint32_t *nodes = malloc(((size_t)x->count + y->count) * sizeof *nodes), *end = nodes;
	uint32_t split = join->how == PF_JOINT_X_Y ? x->count : join->split;
	/* X1, X2 and Y are parts 0, 1 and 2. */
	static const int orders[][3] = { [PF_JOINT_X_Y] = { 0, 1, 2 },
					 [PF_JOINT_X1_Y_X2] = { 0, 2, 1 },
					 [PF_JOINT_Y_X2_X1] = { 2, 1, 0 },
					 [PF_JOINT_X2_X1_Y] = { 1, 0, 2 } };
	const uint32_t *parts[] = { x->nodes, x->nodes + split, y->nodes };
	uint32_t counts[] = { split, x->count - split, y->count };

	for (int i = 0; nodes && i < 3; i++) {
		int part = orders[join->how][i];

		memcpy(end, parts[part], counts[part] * sizeof *end);
		end += counts[part];
	}
	return nodes;
}

/* Gives the links of chain FROM to chain TO; where TO has one with the same third chain, that takes the arcs. */
static int move_links(struct pf_chaining *c, uint32_t to, uint32_t from)
{
	struct pf_chain *into = &c->chains[to], *out = &c->chains[from];
	int status = 0;

	for (uint32_t i = 0; i < into->link_count; i++) {
		const struct pf_chain_link *l = &c->links[into->links[i]];
		c->link_with[l->a == to ? l->b : l->a] = into->links[i];
	}
	for (uint32_t i = 0; i < out->link_count && status == 0; i++) {
		uint32_t link = out->links[i];
		struct pf_chain_link *l = &c->links[link];
		uint32_t third = l->a == from ? l->b : l->a, other = c->link_with[third];

		if (other == PF_CHAINING_NONE) {
			*(l->a == from ? &l->a : &l->b) = to;
			status = add_link(into, link);
		} else {
			append_arcs(c, &c->links[other].first_arc, &c->links[other].last_arc, l->first_arc,
				    l->last_arc);
			leave_heap(c, link);
			drop_link(&c->chains[third], link);
		}
	}
	for (uint32_t i = 0; i < into->link_count; i++) {
		const struct pf_chain_link *l = &c->links[into->links[i]];
		c->link_with[l->a == to ? l->b : l->a] = PF_CHAINING_NONE;
	}
	out->link_count = 0;
	return status;
}

/* The chain with more links stays, as moving links is what costs. */
static int join_chains(struct pf_chaining *c, uint32_t link)
{
	struct pf_chain_link *l = &c->links[link];
	const struct pf_join *join = &l->join;
	bool a_stays = c->chains[l->a].link_count >= c->chains[l->b].link_count;
	uint32_t to = a_stays ? l->a : l->b, from = a_stays ? l->b : l->a;
	struct pf_chain *into = &c->chains[to], *out = &c->chains[from];
	uint32_t *nodes = joined_nodes(join, &c->chains[join->x], &c->chains[join->y]);

	if (!nodes)
		return -1;
	for (uint32_t i = 0; i < out->count; i++)
		c->chain_of[out->nodes[i]] = to;
	free(into->nodes);
	free(out->nodes);
	into->nodes = nodes;
	out->nodes = NULL;
	into->count += out->count;
	into->size += out->size;
	into->weight += out->weight;
	append_arcs(c, &into->first_arc, &into->last_arc, out->first_arc, out->last_arc);
	append_arcs(c, &into->first_arc, &into->last_arc, l->first_arc, l->last_arc);
	leave_heap(c, link);
	drop_link(into, link);
	drop_link(out, link);
	if (move_links(c, to, from) < 0)
		return -1;
	for (uint32_t i = 0; i < into->link_count; i++) {
		judge(c, into->links[i]);
		settle(c, c->links[into->links[i]].heap_at);
	}
	return 0;
}

int pf_chaining_run(struct pf_chaining *c)
{
	int status = 0;

	for (uint32_t link = 0; link < c->link_count; link++) {
		judge(c, link);
		c->heap_count++;
		put(c, link, link);
		sift_up(c, link);
	}
	while (status == 0 && c->heap_count && c->links[c->heap[0]].join.gain > LEAST_GAIN)
		status = join_chains(c, c->heap[0]);
	return status;
}

uint64_t pf_chaining_place(struct pf_chaining *c, const uint32_t *nodes, uint32_t first, uint32_t end, uint64_t address)
{
	for (uint32_t i = first; i < end; i++) {
		c->address[nodes[i]] = address;
		address += c->sizes[nodes[i]];
	}
	return address;
}

struct dense {
	const struct pf_chain *chain;
	bool first;
	double density;
};

static int compare_dense(const void *a, const void *b)
{
	const struct dense *x = a, *y = b;

	if (x->first != y->first)
		return x->first ? -1 : 1;
	if (x->density != y->density)
		return x->density > y->density ? -1 : 1;
	return (x->chain->nodes[0] > y->chain->nodes[0]) - (x->chain->nodes[0] < y->chain->nodes[0]);
}

int pf_chaining_order(const struct pf_chaining *c, uint32_t head, uint32_t *order)
{
	struct dense *dense = calloc((size_t)c->node_count + 1, sizeof *dense);
	uint32_t count = 0;

	if (!dense)
		return -1;
	for (uint32_t i = 0; i < c->node_count; i++) {
		const struct pf_chain *chain = &c->chains[i];

		if (chain->nodes)
			dense[count++] =
			    (struct dense) { chain, head < c->node_count && c->chain_of[head] == i,
					     (double)chain->weight / (double)(chain->size ? chain->size : 1) };
	}
	qsort(dense, count, sizeof *dense, compare_dense);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(order, dense[i].chain->nodes, dense[i].chain->count * sizeof *order);
		order += dense[i].chain->count;
	}
	free(dense);
	return 0;
}

uint64_t *pf_chaining_addresses(uint32_t node_count, const uint64_t *sizes, const uint32_t *order)
{
	uint64_t *address = calloc((size_t)node_count + 1, sizeof *address), at = 0;

	for (uint32_t i = 0; address && i < node_count; i++) {
		address[order[i]] = at;
		at += sizes[order[i]];
	}
	return address;
}
