/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathchords.h.  Kruskal's algorithm takes the edges inside of paths, the heaviest first, and joins sets of blocks
 * whose potentials are known relative to each other: with each block goes its difference to the one that stands for its
 * set.  The hard case is what remains open: each set's own potential, which is chosen so that its first start begins
 * with 0. */
#include "flow/pathchords.h"

#include <stdlib.h>

struct forest {
	uint32_t *above;  /* of each block: another one of its set, or itself */
	uint64_t *offset; /* its potential less that of the block above */
};

struct candidate {
	uint64_t weight;
	uint32_t edge;
};

/* The block that stands for the set of BLOCK, and in OFFSET the potential of BLOCK less its; halves the way up. */
static uint32_t find(struct forest *f, uint32_t block, uint64_t *offset)
{
	*offset = 0;
	while (f->above[block] != block) {
		uint32_t above = f->above[block];

		f->offset[block] += f->offset[above];
		f->above[block] = f->above[above];
		*offset += f->offset[block];
		block = f->above[block];
	}
	return block;
}

/* Lets EDGE add nothing, if the potentials of its ends are not bound to each other yet. */
static void join(struct forest *f, const struct pf_pathnumber *n, uint32_t edge)
{
	const struct pf_graph_edge *e = &n->graph->edges[edge];
	uint64_t from_offset, to_offset;
	uint32_t from = find(f, e->from, &from_offset), to = find(f, e->to, &to_offset);

	if (from == to)
		return;
	f->above[to] = from;
	f->offset[to] = from_offset + n->value[edge] - to_offset;
}

/* Heavier edges first, then as they stand, so that all machines make the same code. */
static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : (x->edge > y->edge) - (x->edge < y->edge);
}

/* What no start's set has is in no path. */
static void settle(struct forest *f, const struct pf_pathnumber *n, uint64_t *potential, bool *settled)
{
	uint64_t offset;

	for (uint32_t i = 0; i < n->start_count; i++) {
		uint32_t root = find(f, n->starts[i], &offset);

		if (!settled[root])
			potential[root] = n->first[n->starts[i]] - offset;
		settled[root] = true;
	}
	for (uint32_t b = 0; b < n->graph->block_count; b++) {
		uint32_t root = find(f, b, &offset);

		if (!settled[root])
			potential[b] = 0;
		else if (root != b)
			potential[b] = potential[root] + offset;
	}
}

int pf_pathchords(const struct pf_pathnumber *n, const uint64_t *weight, uint64_t *potential)
{
	const struct pf_graph *g = n->graph;
	struct forest f = { malloc(g->block_count * sizeof *f.above), calloc(g->block_count, sizeof *f.offset) };
	struct candidate *edges = malloc(((size_t)g->edge_count + 1) * sizeof *edges);
	bool *settled = calloc(g->block_count, sizeof *settled);
	size_t count = 0;
	int status = f.above && f.offset && edges && settled ? 0 : -1;

	if (status == 0) {
		for (uint32_t b = 0; b < g->block_count; b++)
			f.above[b] = b;
		for (uint32_t e = 0; e < g->edge_count; e++) {
			if (n->ends[g->edges[e].from] > 0 && !pf_pathnumber_is_end(n, e))
				edges[count++] = (struct candidate) { weight ? weight[e] : 0, e };
		}
		if (count > 1)
			qsort(edges, count, sizeof *edges, compare);
		for (size_t i = 0; i < count; i++)
			join(&f, n, edges[i].edge);
		settle(&f, n, potential, settled);
	}
	free(settled);
	free(edges);
	free(f.above);
	free(f.offset);
	return status;
}

uint64_t pf_pathchords_begin(const struct pf_pathnumber *n, const uint64_t *potential, uint32_t start)
{
	return n->first[start] - potential[start];
}

uint64_t pf_pathchords_add(const struct pf_pathnumber *n, const uint64_t *potential, uint32_t edge)
{
	const struct pf_graph_edge *e = &n->graph->edges[edge];
	uint64_t sum = potential[e->from] + n->value[edge];

	return pf_pathnumber_is_end(n, edge) ? sum : sum - potential[e->to];
}
