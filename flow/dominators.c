/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001), which on
 * control-flow graphs is as fast as the subtler methods.  Post-dominators are the dominators of the reversed graph
 * under one virtual root; the hard case there is functions that end in several places or not at all. */
#include "flow/dominators.h"
#include "flow/order.h"

#include <stdlib.h>
#include <string.h>

void pf_dominators_fini(struct pf_dominators *tree)
{
	free(tree->parent);
	free(tree->enter);
	free(tree->leave);
	*tree = (struct pf_dominators) { 0 };
}

/* The nearest common ancestor of two blocks, both given and compared by their positions in reverse post-order. */
static uint32_t intersect(const uint32_t *parents, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = parents[a];
		while (b > a)
			b = parents[b];
	}
	return a;
}

/* One pass over all blocks; true if anything changed.  PARENTS is by position, as are its entries. */
static bool improve(const struct pf_graph *graph, const struct pf_order *order, uint32_t *parents)
{
	bool changed = false;

	for (uint32_t at = 1; at < order->count; at++) {
		uint32_t block = order->blocks[at], best = PF_NO_BLOCK;
		for (uint32_t i = graph->in_first[block]; i < graph->in_first[block + 1]; i++) {
			uint32_t from = order->position[graph->edges[graph->in_edges[i]].from];
			if (from == PF_ORDER_NONE || parents[from] == PF_NO_BLOCK)
				continue;
			best = best == PF_NO_BLOCK ? from : intersect(parents, from, best);
		}
		changed |= parents[at] != best;
		parents[at] = best;
	}
	return changed;
}

/* Preorder intervals.  Positions grow from parent to child, so sizes add up backward and starts forward. */
static void number_tree(struct pf_dominators *tree, const struct pf_order *order, const uint32_t *parents,
			uint32_t *size)
{
	for (uint32_t at = 0; at < order->count; at++)
		size[at] = 1;
	for (uint32_t at = order->count; at-- > 1;)
		size[parents[at]] += size[at];
	tree->enter[order->blocks[0]] = 1;
	tree->leave[order->blocks[0]] = 1 + size[0];
	/* From here on SIZE[parent] is the next free number below the parent. */
	size[0] = 2;
	for (uint32_t at = 1; at < order->count; at++) {
		uint32_t start = size[parents[at]], block = order->blocks[at];
		size[parents[at]] += size[at];
		tree->enter[block] = start;
		tree->leave[block] = start + size[at];
		tree->parent[block] = order->blocks[parents[at]];
		size[at] = start + 1;
	}
}

static int reserve(struct pf_dominators *tree, uint32_t count)
{
	tree->block_count = count;
	tree->parent = malloc(count * sizeof(*tree->parent));
	tree->enter = calloc(count, sizeof(*tree->enter));
	tree->leave = calloc(count, sizeof(*tree->leave));
	if (!tree->parent || !tree->enter || !tree->leave)
		return -1;
	memset(tree->parent, 0xff, count * sizeof(*tree->parent));
	return 0;
}

int pf_dominators_init(struct pf_dominators *tree, const struct pf_graph *graph)
{
	struct pf_order order = { 0 };
	uint32_t *parents = malloc(graph->block_count * sizeof(*parents));
	uint32_t *size = malloc(graph->block_count * sizeof(*size));
	int result = -1;

	*tree = (struct pf_dominators) { 0 };
	if (parents && size && reserve(tree, graph->block_count) == 0 &&
	    pf_order_init(&order, graph, graph->entry, false) == 0) {
		memset(parents, 0xff, graph->block_count * sizeof(*parents));
		parents[0] = 0;
		while (improve(graph, &order, parents))
			;
		number_tree(tree, &order, parents, size);
		result = 0;
	}
	free(parents);
	free(size);
	pf_order_fini(&order);
	if (result)
		pf_dominators_fini(tree);
	return result;
}

/* GRAPH backward, with a virtual entry (block_count) before every end; NULL when out of memory. */
static struct pf_graph *reverse(const struct pf_graph *graph)
{
	struct pf_graph *reversed = pf_graph_alloc(graph->block_count + 1, graph->block_count, graph->entry);
	struct pf_order order = { 0 };
	uint32_t *ends = malloc(graph->block_count * sizeof(*ends)), endless, count = PF_ORDER_NONE;
	bool failed = !reversed || !ends || pf_order_init(&order, graph, graph->entry, false);

	if (!failed)
		count = pf_order_ends(&order, graph, ends, &endless);
	failed |= count == PF_ORDER_NONE;
	for (uint32_t i = 0; !failed && i < count; i++)
		failed |= pf_graph_add_edge(reversed, graph->block_count, ends[i]) == UINT32_MAX;
	for (uint32_t e = 0; !failed && e < graph->edge_count; e++)
		failed |= order.position[graph->edges[e].from] != PF_ORDER_NONE &&
			  pf_graph_add_edge(reversed, graph->edges[e].to, graph->edges[e].from) == UINT32_MAX;
	if (failed || pf_graph_finish(reversed)) {
		pf_graph_free(reversed);
		reversed = NULL;
	}
	pf_order_fini(&order);
	free(ends);
	return reversed;
}

int pf_postdominators_init(struct pf_dominators *tree, const struct pf_graph *graph)
{
	struct pf_graph *reversed = reverse(graph);
	int result = reversed ? pf_dominators_init(tree, reversed) : -1;

	if (!reversed)
		*tree = (struct pf_dominators) { 0 };
	for (uint32_t b = 0; result == 0 && b < graph->block_count; b++)
		if (tree->parent[b] == graph->block_count)
			tree->parent[b] = PF_NO_BLOCK;
	tree->block_count = result == 0 ? graph->block_count : 0;
	pf_graph_free(reversed);
	return result;
}

bool pf_dominates(const struct pf_dominators *tree, uint32_t a, uint32_t b)
{
	return tree->enter[a] && tree->enter[b] && tree->enter[a] <= tree->enter[b] && tree->enter[b] < tree->leave[a];
}
