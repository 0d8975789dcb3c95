/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow graph: growing edge array, then adjacency by counting sort.  The order of a block's edges is the order in
 * which they were added, which is what makes every algorithm on top deterministic. */
#include "flow/graph.h"
#include "support/array.h"

#define MOST_EDGES (UINT32_MAX / 8)

struct pf_graph *pf_graph_alloc(uint32_t block_count, uint32_t entry, uint32_t exit)
{
	if (block_count == 0 || block_count > UINT32_MAX / 4 || entry >= block_count || exit >= block_count)
		return NULL;
	struct pf_graph *graph = calloc(1, sizeof(*graph));
	if (!graph)
		return NULL;
	graph->blocks = calloc(block_count, sizeof(*graph->blocks));
	if (!graph->blocks) {
		free(graph);
		return NULL;
	}
	graph->block_count = block_count;
	graph->entry = entry;
	graph->exit = exit;
	return graph;
}

void pf_graph_free(struct pf_graph *graph)
{
	if (!graph)
		return;
	free(graph->blocks);
	free(graph->edges);
	free(graph->out_first);
	free(graph->out_edges);
	free(graph->in_first);
	free(graph->in_edges);
	free(graph);
}

uint32_t pf_graph_add_edge(struct pf_graph *graph, uint32_t from, uint32_t to)
{
	if (from >= graph->block_count || to >= graph->block_count)
		return UINT32_MAX;
	if (graph->edge_count >= MOST_EDGES ||
	    !pf_array_reserve(&graph->edges, graph->edge_count, &graph->edge_capacity, 1, sizeof *graph->edges))
		return UINT32_MAX;
	graph->edges[graph->edge_count] = (struct pf_graph_edge) { .from = from, .to = to, .guess = -1 };
	return graph->edge_count++;
}

static uint32_t edge_end(const struct pf_graph_edge *edge, bool out)
{
	return out ? edge->from : edge->to;
}

/* Counting sort of the edge indices by one of their ends; stable. */
static int index_edges(const struct pf_graph *graph, bool out, uint32_t **first, uint32_t **list)
{
	free(*first);
	free(*list);
	*first = calloc((size_t)graph->block_count + 2, sizeof(**first));
	*list = malloc(((size_t)graph->edge_count + 1) * sizeof(**list));
	if (!*first || !*list)
		return -1;
	uint32_t *next = *first + 1; /* shifted by one, so that the fill below leaves the starts in place */
	for (uint32_t e = 0; e < graph->edge_count; e++)
		next[edge_end(&graph->edges[e], out) + 1]++;
	for (uint32_t b = 0; b < graph->block_count; b++)
		next[b + 1] += next[b];
	for (uint32_t e = 0; e < graph->edge_count; e++)
		(*list)[next[edge_end(&graph->edges[e], out)]++] = e;
	return 0;
}

int pf_graph_finish(struct pf_graph *graph)
{
	if (index_edges(graph, true, &graph->out_first, &graph->out_edges))
		return -1;
	return index_edges(graph, false, &graph->in_first, &graph->in_edges);
}
