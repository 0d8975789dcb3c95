/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathnumber.h.  Blocks are visited against depth-first order, so that what a block leads to is numbered first; the
 * paths over its first edge get the lowest numbers.  The hard case is a graph with more paths than numbers: a block
 * with too many ways on becomes a start of its own, and what leads to it ends there. */
#include "flow/pathnumber.h"
#include "flow/order.h"
#include "support/search.h"

#include <stdlib.h>
#include <string.h>

void pf_pathnumber_fini(struct pf_pathnumber *n)
{
	free(n->ends);
	free(n->ways);
	free(n->value);
	free(n->cut);
	free(n->first);
	free(n->starts);
	*n = (struct pf_pathnumber) { 0 };
}

bool pf_pathnumber_is_end(const struct pf_pathnumber *n, uint32_t edge)
{
	return n->cut[edge] || n->graph->edges[edge].to == n->graph->exit;
}

static int reserve(struct pf_pathnumber *n)
{
	size_t blocks = n->graph->block_count, edges = (size_t)n->graph->edge_count + 1;

	n->ends = calloc(blocks, sizeof *n->ends);
	n->ways = calloc(blocks, sizeof *n->ways);
	n->value = calloc(edges, sizeof *n->value);
	n->cut = calloc(edges, sizeof *n->cut);
	n->first = malloc(blocks * sizeof *n->first);
	n->starts = calloc(blocks, sizeof *n->starts);
	if (n->first)
		memset(n->first, 0xff, blocks * sizeof *n->first);
	return n->ends && n->ways && n->value && n->cut && n->first && n->starts ? 0 : -1;
}

/* Cuts the edges that go back or stay, and counts the ways on from each block. */
static void count_ends(struct pf_pathnumber *n, const struct pf_order *order, uint64_t limit)
{
	const struct pf_graph *g = n->graph;

	for (uint32_t at = order->count; at-- > 0;) {
		uint32_t block = order->blocks[at];
		uint64_t sum = 0;

		for (uint32_t i = g->out_first[block]; i < g->out_first[block + 1]; i++) {
			uint32_t edge = g->out_edges[i], to = g->edges[edge].to;

			n->cut[edge] |= order->position[to] <= at;
			n->value[edge] = sum;
			sum += pf_pathnumber_is_end(n, edge) ? 1 : n->ends[to];
		}
		n->ends[block] = sum > 0 ? sum : 1;
		for (uint32_t i = g->in_first[block]; n->ends[block] > limit && i < g->in_first[block + 1]; i++)
			n->cut[g->in_edges[i]] = true;
	}
}

/* Gives the blocks at which paths start their numbers: the entry, and where edges that are cut lead. */
static void number_starts(struct pf_pathnumber *n, const struct pf_order *order)
{
	const struct pf_graph *g = n->graph;

	for (uint32_t at = 0; at < order->count; at++) {
		uint32_t block = order->blocks[at];
		bool start = at == 0;

		for (uint32_t i = g->in_first[block]; i < g->in_first[block + 1]; i++)
			start |=
			    n->cut[g->in_edges[i]] && order->position[g->edges[g->in_edges[i]].from] != PF_ORDER_NONE;
		if (!start)
			continue;
		n->first[block] = n->count;
		n->count += n->ends[block];
		n->starts[n->start_count++] = block;
	}
}

static void count_ways(struct pf_pathnumber *n, const struct pf_order *order)
{
	const struct pf_graph *g = n->graph;

	for (uint32_t at = 0; at < order->count; at++) {
		uint32_t block = order->blocks[at];
		uint64_t sum = n->first[block] != UINT64_MAX;

		for (uint32_t i = g->in_first[block]; i < g->in_first[block + 1]; i++) {
			uint32_t edge = g->in_edges[i];
			uint64_t more = n->cut[edge] ? 0 : n->ways[g->edges[edge].from];

			sum = sum + more < sum ? UINT64_MAX : sum + more;
		}
		n->ways[block] = sum;
	}
}

int pf_pathnumber_init(struct pf_pathnumber *n, const struct pf_graph *graph, const bool *cut, uint64_t limit)
{
	struct pf_order order = { 0 };

	*n = (struct pf_pathnumber) { .graph = graph };
	if (reserve(n) || pf_order_init(&order, graph, graph->entry, false)) {
		pf_pathnumber_fini(n);
		return -1;
	}
	if (cut)
		memcpy(n->cut, cut, graph->edge_count * sizeof *cut);
	count_ends(n, &order, limit);
	number_starts(n, &order);
	count_ways(n, &order);
	pf_order_fini(&order);
	return 0;
}

uint64_t pf_pathnumber_of(const struct pf_pathnumber *n, uint32_t start, const uint32_t *edges, size_t count)
{
	uint64_t number = n->first[start];

	for (size_t i = 0; i < count; i++)
		number += n->value[edges[i]];
	return number;
}

/* The edge out of BLOCK over which the path of the REST-th of its ways goes: the last whose value is not above. */
static uint32_t edge_of(const struct pf_pathnumber *n, uint32_t block, uint64_t rest)
{
	const struct pf_graph *g = n->graph;
	const uint32_t *edges = g->out_edges + g->out_first[block];
	struct pf_search search = pf_search_over(g->out_first[block + 1] - g->out_first[block]);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, n->value[edges[search.middle]] <= rest);
	return edges[search.low - 1];
}

uint32_t pf_pathnumber_path(const struct pf_pathnumber *n, uint64_t number, uint32_t *start, uint32_t *edges)
{
	struct pf_search search = pf_search_over(n->start_count);
	uint32_t count = 0, block;
	uint64_t rest;

	while (pf_search_goes_on(&search))
		pf_search_step(&search, n->first[n->starts[search.middle]] <= number);
	block = *start = n->starts[search.low > 0 ? search.low - 1 : 0];
	rest = number - n->first[block];
	while (n->graph->out_first[block] < n->graph->out_first[block + 1]) {
		uint32_t edge = edge_of(n, block, rest);

		rest -= n->value[edge];
		edges[count++] = edge;
		if (pf_pathnumber_is_end(n, edge))
			break;
		block = n->graph->edges[edge].to;
	}
	return count;
}
