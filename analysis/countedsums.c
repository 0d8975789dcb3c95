/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of counted paths (countedpaths.h): over units and files, and over the blocks and edges of a graph.
 *
 * The hard case is a path that was begun and never ended, of which no count tells.  Where it began tells: all that is
 * led there by edges that end paths, less all that ended behind it. */
#include "analysis/countedpaths.h"
#include "profile/saturate.h"

#include <inttypes.h>
#include <string.h>

/* A path is worth a byte or more of a file and can have all blocks of a function, so that hostile files are as much
 * work as the square of their size.  What paths of real programs add up to is far from this. */
#define MOST_BLOCKS (UINT64_C(1) << 28)

int pf_counted_compare_graphs(const struct pf_counted_function *a, const struct pf_counted_function *b)
{
	const struct pf_graph *x = a->graph, *y = b->graph;

	if (x->block_count != y->block_count)
		return x->block_count < y->block_count ? -1 : 1;
	if (x->edge_count != y->edge_count)
		return x->edge_count < y->edge_count ? -1 : 1;
	for (uint32_t e = 0; e < x->edge_count; e++) {
		if (x->edges[e].from != y->edges[e].from)
			return x->edges[e].from < y->edges[e].from ? -1 : 1;
		if (x->edges[e].to != y->edges[e].to)
			return x->edges[e].to < y->edges[e].to ? -1 : 1;
		if (a->cut[e] != b->cut[e])
			return a->cut[e] ? -1 : 1;
	}
	return 0;
}

/* Functions of one name, place and graph are one function. */
static int compare_identity(const void *left, const void *right)
{
	const struct pf_counted_function *a = left, *b = right;
	int by = strcmp(a->name, b->name);

	if (by == 0)
		by = strcmp(a->where.file, b->where.file);
	if (by == 0)
		by = (a->where.line > b->where.line) - (a->where.line < b->where.line);
	return by ? by : pf_counted_compare_graphs(a, b);
}

static int compare_total(const void *left, const void *right)
{
	const struct pf_counted_function *a = left, *b = right;

	return a->total != b->total ? (a->total > b->total ? -1 : 1) : compare_identity(a, b);
}

static int compare_number(const void *left, const void *right)
{
	const struct pf_counted_path *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static int compare_count(const void *left, const void *right)
{
	const struct pf_counted_path *a = left, *b = right;

	return a->count != b->count ? (a->count > b->count ? -1 : 1) : compare_number(a, b);
}

/* Adds B's counts to A, which is the same function. */
static bool take_over(struct pf_counted_function *a, const struct pf_counted_function *b)
{
	if (!pf_array_reserve(&a->paths.at, a->paths.count, &a->paths.capacity, b->paths.count, sizeof *a->paths.at))
		return false;
	if (b->paths.count > 0)
		memcpy(a->paths.at + a->paths.count, b->paths.at, b->paths.count * sizeof *a->paths.at);
	a->paths.count += b->paths.count;
	a->entries = pf_count_add(a->entries, b->entries);
	return true;
}

static void add_same_paths(struct pf_counted_function *f)
{
	size_t kept = 0;

	pf_array_sort(&f->paths, compare_number);
	for (size_t i = 0; i < f->paths.count; i++) {
		struct pf_counted_path *last = kept > 0 ? &f->paths.at[kept - 1] : NULL;

		if (last && last->number == f->paths.at[i].number) {
			last->count = pf_count_add(last->count, f->paths.at[i].count);
			last->took = pf_count_add(last->took, f->paths.at[i].took);
		} else {
			f->paths.at[kept++] = f->paths.at[i];
		}
	}
	f->paths.count = kept;
}

/* Counts of blocks and edges; BEGUN gets how many paths began in each block.  Ends when *BLOCKS, those of all paths,
 * are too many. */
static void project(struct pf_counted_function *f, uint64_t *begun, uint32_t *edges, uint64_t *blocks)
{
	struct pf_graph *g = f->graph;

	for (size_t i = 0; i < f->paths.count && *blocks <= MOST_BLOCKS; i++) {
		uint64_t count = f->paths.at[i].count;
		uint32_t start, length = pf_pathnumber_path(&f->numbers, f->paths.at[i].number, &start, edges);

		*blocks += length + 1;
		f->total = pf_count_add(f->total, count);
		f->took = pf_count_add(f->took, f->paths.at[i].took);
		begun[start] = pf_count_add(begun[start], count);
		g->blocks[start].count = pf_count_add(g->blocks[start].count, count);
		for (uint32_t k = 0; k < length; k++) {
			struct pf_graph_edge *e = &g->edges[edges[k]];

			e->count = pf_count_add(e->count, count);
			if (!f->numbers.cut[edges[k]])
				g->blocks[e->to].count = pf_count_add(g->blocks[e->to].count, count);
		}
	}
}

static void find_unfinished(struct pf_counted_function *f, const uint64_t *begun)
{
	const struct pf_graph *g = f->graph;

	for (uint32_t i = 0; i < f->numbers.start_count; i++) {
		uint32_t block = f->numbers.starts[i];
		uint64_t came = block == g->entry ? f->entries : 0;
		bool known = true;

		for (uint32_t k = g->in_first[block]; k < g->in_first[block + 1]; k++) {
			uint32_t edge = g->in_edges[k];

			known &= !f->stands_in[edge];
			came = pf_count_add(came, f->numbers.cut[edge] ? g->edges[edge].count : 0);
		}
		if (known && came > begun[block])
			f->unfinished = pf_count_add(f->unfinished, came - begun[block]);
	}
}

static bool sum_function(struct pf_counted_function *f, uint64_t *blocks)
{
	uint64_t *begun = calloc(f->graph->block_count, sizeof *begun);
	uint32_t *edges = calloc((size_t)f->graph->block_count + 1, sizeof *edges);

	if (begun && edges) {
		add_same_paths(f);
		project(f, begun, edges, blocks);
		find_unfinished(f, begun);
		pf_array_sort(&f->paths, compare_count);
	}
	free(begun);
	free(edges);
	return begun && edges;
}

int pf_counted_finish(struct pf_counted *c, struct pf_error *error)
{
	size_t kept = 0;
	uint64_t blocks = 0;
	bool good = true;

	pf_array_sort(&c->functions, compare_identity);
	for (size_t i = 0; i < c->functions.count; i++) {
		struct pf_counted_function *f = &c->functions.at[i];

		if (kept > 0 && compare_identity(&c->functions.at[kept - 1], f) == 0) {
			good &= take_over(&c->functions.at[kept - 1], f);
			pf_counted_release(f);
		} else {
			c->functions.at[kept++] = *f;
		}
	}
	c->functions.count = kept;
	for (size_t i = 0; i < kept && good; i++) {
		good = sum_function(&c->functions.at[i], &blocks);
		c->total = pf_count_add(c->total, c->functions.at[i].total);
		c->took = pf_count_add(c->took, c->functions.at[i].took);
		if (blocks > MOST_BLOCKS)
			return pf_fail(error, PF_EFORMAT,
				       "%s: the paths up to those of %s pass more than %" PRIu64
				       " blocks; name fewer files, and none that is damaged",
				       c->module, c->functions.at[i].name, MOST_BLOCKS);
	}
	pf_array_sort(&c->functions, compare_total);
	return good ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory for the sums of counted paths");
}

uint32_t pf_counted_blocks(const struct pf_counted_function *f, uint64_t number, uint32_t *blocks)
{
	const struct pf_graph *g = f->graph;
	uint32_t start, length = pf_pathnumber_path(&f->numbers, number, &start, blocks), count = 0, block = start;

	/* A block takes the place of an edge in front of it, which was read. */
	for (uint32_t i = 0;; i++) {
		uint32_t edge = i < length ? blocks[i] : UINT32_MAX;

		if (block != g->entry && block != g->exit)
			blocks[count++] = block;
		if (edge == UINT32_MAX || f->numbers.cut[edge])
			return count;
		block = g->edges[edge].to;
	}
}
