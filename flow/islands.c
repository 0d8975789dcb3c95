/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joining islands: a loop whose body was measured while nothing on the way into it was is a perfectly conserving
 * circulation that no flow from ENTRY reaches, and compilers take it for dead code.  Each island gets one unit along
 * the most plausible way from ENTRY through it to an end.
 *
 * The hard case is a function with a thousand of them: the two trees of cheapest ways are computed once, and every
 * island only walks them. */
#include "flow/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define UNREACHED UINT64_MAX

struct entry {
	uint64_t distance;
	uint32_t block;
};

/* Cheapest ways from ENTRY to each block, or from each block to an end. */
struct tree {
	uint64_t *distance;
	uint32_t *element; /* the element to follow toward the tree's root; NONE at ENTRY */
};

struct islands {
	struct pf_network *network;
	struct tree from_entry, to_end;
	bool *reached;
	uint32_t *stack;
	struct entry *heap;
	uint32_t heap_size;
};

/* ---- a binary heap ---------------------------------------------------------------------------------------- */

static bool before(const struct entry *a, const struct entry *b)
{
	return a->distance != b->distance ? a->distance < b->distance : a->block < b->block;
}

static void heap_push(struct islands *s, uint64_t distance, uint32_t block)
{
	struct entry added = { distance, block };
	uint32_t at = s->heap_size++;

	for (; at && before(&added, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap[at] = s->heap[(at - 1) / 2];
	s->heap[at] = added;
}

static struct entry heap_pop(struct islands *s)
{
	struct entry top = s->heap[0], last = s->heap[--s->heap_size];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= s->heap_size)
			break;
		if (child + 1 < s->heap_size && before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!before(&s->heap[child], &last))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = last;
	return top;
}

/* ---- trees ------------------------------------------------------------------------------------------------ */

/* How implausible it is that one unit passes an element that has none: by evidence first, by guess second. */
static uint64_t price(const struct pf_element *element)
{
	if (element->flow)
		return 0;
	if (element->avoid || element->known == PF_CERTAIN)
		return (uint64_t)1 << 32;
	if (element->known == PF_MEASURED || element->endless)
		return (uint64_t)1 << 16;
	return 1 + (uint64_t)(-4 * log2(element->guess));
}

static void relax(struct islands *s, struct tree *tree, uint32_t block, uint64_t distance, uint32_t element)
{
	if (distance >= tree->distance[block])
		return;
	tree->distance[block] = distance;
	tree->element[block] = element;
	heap_push(s, distance, block);
}

/* Dijkstra's algorithm from what is in the heap. */
static void grow(struct islands *s, struct tree *tree, bool backward)
{
	const struct pf_graph *graph = s->network->graph;
	const struct pf_element *elements = s->network->elements;
	const uint32_t *first = backward ? graph->in_first : graph->out_first;
	const uint32_t *list = backward ? graph->in_edges : graph->out_edges;

	while (s->heap_size) {
		struct entry top = heap_pop(s);
		if (top.distance != tree->distance[top.block])
			continue;
		for (uint32_t i = first[top.block]; i < first[top.block + 1]; i++) {
			const struct pf_graph_edge *edge = &graph->edges[list[i]];
			uint32_t next = backward ? edge->from : edge->to, element = graph->block_count + list[i];
			relax(s, tree, next, top.distance + price(&elements[element]) + price(&elements[next]),
			      element);
		}
	}
}

static void grow_trees(struct islands *s)
{
	const struct pf_network *network = s->network;

	relax(s, &s->from_entry, network->graph->entry, 0, NONE);
	grow(s, &s->from_entry, false);
	for (uint32_t i = pf_network_return(network); i < network->element_count; i++)
		relax(s, &s->to_end, network->elements[i].from / 2, price(&network->elements[i]), i);
	grow(s, &s->to_end, true);
}

static void release(struct islands *s)
{
	free(s->from_entry.distance);
	free(s->from_entry.element);
	free(s->to_end.distance);
	free(s->to_end.element);
	free(s->reached);
	free(s->stack);
	free(s->heap);
}

static int reserve_tree(struct tree *tree, uint32_t count)
{
	tree->distance = malloc(count * sizeof(*tree->distance));
	tree->element = malloc(count * sizeof(*tree->element));
	if (!tree->distance || !tree->element)
		return -1;
	memset(tree->distance, 0xff, count * sizeof(*tree->distance));
	return 0;
}

static int reserve(struct islands *s)
{
	uint32_t count = s->network->graph->block_count;

	s->reached = calloc(count, sizeof(*s->reached));
	s->stack = malloc(count * sizeof(*s->stack));
	s->heap = malloc(((size_t)s->network->element_count + count + 1) * sizeof(*s->heap));
	if (!s->reached || !s->stack || !s->heap)
		return -1;
	return reserve_tree(&s->from_entry, count) || reserve_tree(&s->to_end, count) ? -1 : 0;
}

/* ---- islands ---------------------------------------------------------------------------------------------- */

/* Marks what positive flow reaches from BLOCK, and returns the block among it that is cheapest to join. */
static uint32_t visit(struct islands *s, uint32_t block)
{
	const struct pf_graph *graph = s->network->graph;
	uint32_t best = block, depth = 0;
	uint64_t lowest = UNREACHED;

	if (s->reached[block])
		return best;
	s->reached[block] = true;
	s->stack[depth++] = block;
	while (depth) {
		uint32_t at = s->stack[--depth];
		uint64_t distance = s->from_entry.distance[at] + s->to_end.distance[at];
		if (distance < lowest) {
			lowest = distance;
			best = at;
		}
		for (uint32_t i = graph->out_first[at]; i < graph->out_first[at + 1]; i++) {
			uint32_t edge = graph->out_edges[i], to = graph->edges[edge].to;
			if (s->network->elements[graph->block_count + edge].flow == 0 || s->reached[to])
				continue;
			s->reached[to] = true;
			s->stack[depth++] = to;
		}
	}
	return best;
}

/* One unit more for the whole way from ENTRY through BLOCK to an end; all on the way is reached by it. */
static void join(struct islands *s, uint32_t block)
{
	struct pf_element *elements = s->network->elements;
	uint32_t at = block, element;

	elements[block].flow++;
	for (; (element = s->from_entry.element[at]) != NONE; visit(s, at)) {
		at = elements[element].from / 2;
		elements[element].flow++;
		elements[at].flow++;
	}
	for (at = block; (element = s->to_end.element[at]) < pf_network_return(s->network); visit(s, at)) {
		at = elements[element].to / 2;
		elements[element].flow++;
		elements[at].flow++;
	}
	elements[element].flow++;
}

int pf_network_join_islands(struct pf_network *network, uint32_t *islands)
{
	struct islands s = { .network = network };
	bool grown = false;

	if (reserve(&s)) {
		release(&s);
		return -1;
	}
	visit(&s, network->graph->entry);
	for (uint32_t i = 0; i < network->order.count; i++) {
		uint32_t block = network->order.blocks[i];
		if (network->elements[block].flow == 0 || s.reached[block])
			continue;
		if (!grown)
			grow_trees(&s);
		grown = true;
		join(&s, visit(&s, block));
		++*islands;
	}
	release(&s);
	return 0;
}
