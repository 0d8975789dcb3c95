/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycle equivalence (Johnson, Pearson and Pingali 1994): in a graph where the end leads back to the entry, two arcs lie
 * on the same cycles exactly if removing both cuts the undirected graph in two.
 *
 * Blocks are made arcs by splitting them.  Each arc outside of a spanning tree gets a 64-bit number, and each tree arc
 * the exclusive or of the numbers of the arcs that bridge it; arcs with equal numbers are equivalent.  The numbers are
 * a fixed mixing of the arc's index, so the result is deterministic; that two classes of a function of a million blocks
 * fall together by accident has a probability of about 10^-7.  Dominance alone does not do: the hard case is two loops
 * that share a header, one of which passes a block that the other leaves out. */
#include "flow/equivalence.h"
#include "flow/order.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct arc {
	uint32_t a, b;
};

struct classes {
	const struct pf_graph *graph;
	struct pf_order order;
	uint32_t node_count, arc_count;
	struct arc *arcs;          /* block b is arc b */
	uint32_t *first, *list;    /* the arcs of each node */
	uint32_t *queue, *through; /* breadth first; the tree arc by which a node was found */
	uint64_t *sum;             /* one a node, then of its subtree */
	uint64_t *number;          /* one an arc */
};

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static void release(struct classes *c)
{
	pf_order_fini(&c->order);
	free(c->arcs);
	free(c->first);
	free(c->list);
	free(c->queue);
	free(c->through);
	free(c->sum);
	free(c->number);
}

static int reserve(struct classes *c)
{
	size_t nodes = 2 * (size_t)c->graph->block_count;
	size_t arcs = nodes + c->graph->edge_count; /* blocks, edges, ends */

	c->node_count = (uint32_t)nodes;
	c->arcs = malloc(arcs * sizeof(*c->arcs));
	c->first = calloc(nodes + 2, sizeof(*c->first));
	c->list = malloc(2 * arcs * sizeof(*c->list));
	c->queue = malloc(nodes * sizeof(*c->queue));
	c->through = malloc(nodes * sizeof(*c->through));
	c->sum = calloc(nodes, sizeof(*c->sum));
	c->number = calloc(arcs, sizeof(*c->number));
	return c->arcs && c->first && c->list && c->queue && c->through && c->sum && c->number ? 0 : -1;
}

static int add_arcs(struct classes *c)
{
	const struct pf_graph *graph = c->graph;
	uint32_t *ends = malloc(graph->block_count * sizeof(*ends)), endless;
	uint32_t count = ends ? pf_order_ends(&c->order, graph, ends, &endless) : PF_ORDER_NONE;

	if (count == PF_ORDER_NONE) {
		free(ends);
		return -1;
	}
	for (uint32_t b = 0; b < graph->block_count; b++)
		c->arcs[c->arc_count++] = (struct arc) { 2 * b, 2 * b + 1 };
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (c->order.position[graph->edges[e].from] != PF_ORDER_NONE)
			c->arcs[c->arc_count++] = (struct arc) { 2 * graph->edges[e].from + 1, 2 * graph->edges[e].to };
	for (uint32_t i = 0; i < count; i++)
		c->arcs[c->arc_count++] = (struct arc) { 2 * ends[i] + 1, 2 * graph->entry };
	free(ends);
	return 0;
}

static void index_arcs(struct classes *c)
{
	for (uint32_t i = 0; i < c->arc_count; i++) {
		c->first[c->arcs[i].a + 1]++;
		c->first[c->arcs[i].b + 1]++;
	}
	for (uint32_t v = 0; v < c->node_count; v++)
		c->first[v + 1] += c->first[v];
	for (uint32_t i = c->arc_count; i-- > 0;) { /* filled from the ends, which leaves the starts one too high */
		c->list[--c->first[c->arcs[i].a + 1]] = i;
		c->list[--c->first[c->arcs[i].b + 1]] = i;
	}
}

static uint32_t begin_of(const struct classes *c, uint32_t node)
{
	return c->first[node + 1];
}

static uint32_t end_of(const struct classes *c, uint32_t node)
{
	return node + 1 < c->node_count ? c->first[node + 2] : 2 * c->arc_count;
}

static uint32_t other_end(const struct arc *arc, uint32_t node)
{
	return arc->a == node ? arc->b : arc->a;
}

/* A spanning tree of what hangs together with ENTRY, breadth first.  Returns its number of nodes. */
static uint32_t span(struct classes *c)
{
	uint32_t root = 2 * c->graph->entry, length = 1;

	for (uint32_t v = 0; v < c->node_count; v++)
		c->through[v] = NONE;
	c->queue[0] = root;
	for (uint32_t at = 0; at < length; at++) {
		uint32_t node = c->queue[at];
		for (uint32_t i = begin_of(c, node); i < end_of(c, node); i++) {
			uint32_t next = other_end(&c->arcs[c->list[i]], node);
			if (next == root || c->through[next] != NONE)
				continue;
			c->through[next] = c->list[i];
			c->queue[length++] = next;
		}
	}
	return length;
}

/* Numbers all arcs: those outside of the tree by themselves, those of it by what bridges them. */
static void number_arcs(struct classes *c, uint32_t length)
{
	for (uint32_t i = 0; i < c->arc_count; i++)
		c->number[i] = mix(i);
	for (uint32_t v = 0; v < c->node_count; v++)
		if (c->through[v] != NONE)
			c->number[c->through[v]] = 0;
	for (uint32_t i = 0; i < c->arc_count; i++) {
		c->sum[c->arcs[i].a] ^= c->number[i];
		c->sum[c->arcs[i].b] ^= c->number[i];
	}
	for (uint32_t at = length; at-- > 1;) {
		uint32_t node = c->queue[at], arc = c->through[node];
		c->number[arc] = c->sum[node];
		c->sum[other_end(&c->arcs[arc], node)] ^= c->sum[node];
	}
}

struct numbered {
	uint64_t number;
	uint32_t block;
};

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

static int group_blocks(const struct classes *c, uint32_t *classes)
{
	struct numbered *list = malloc(c->order.count * sizeof(*list));

	if (!list)
		return -1;
	for (uint32_t b = 0; b < c->graph->block_count; b++)
		classes[b] = b;
	for (uint32_t i = 0; i < c->order.count; i++)
		list[i] = (struct numbered) { c->number[c->order.blocks[i]], c->order.blocks[i] };
	qsort(list, c->order.count, sizeof(*list), by_number);
	for (uint32_t i = 1; i < c->order.count; i++)
		if (list[i].number == list[i - 1].number)
			classes[list[i].block] = classes[list[i - 1].block];
	free(list);
	return 0;
}

int pf_equivalence(const struct pf_graph *graph, uint32_t *classes)
{
	struct classes c = { .graph = graph };
	int result = -1;

	if (pf_order_init(&c.order, graph, graph->entry, false) == 0 && reserve(&c) == 0 && add_arcs(&c) == 0) {
		index_arcs(&c);
		number_arcs(&c, span(&c));
		result = group_blocks(&c, classes);
	}
	release(&c);
	return result;
}
