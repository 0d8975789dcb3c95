/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See flowchart.h.  Layers, as Sugiyama and others have them: a block is one below the lowest that leads to it; an edge
 * over several layers bends in each of them, so that it passes between boxes and not through them; within layers all is
 * put in turns below and above the middle of what it is joined to.  Edges that go back are arcs on the right.
 *
 * The hard case is a graph that the entry reaches only in part, or of which only part is shown: what is left is drawn.
 */
#include "analysis/flowchart.h"

#include "analysis/svgtext.h"
#include "flow/order.h"
#include "support/array.h"
#include "support/search.h"

#include <inttypes.h>
#include <math.h>

#define BOX_WIDTH 96.0
#define BOX_HEIGHT 22.0
#define LAYER 52.0 /* from one to the next */
#define GAP 14.0   /* between neighbours */
#define BEND_WIDTH 8.0
#define MARGIN 8.0
#define SWEEPS 8
#define NONE UINT32_MAX

/* A block, or the bend of an edge. */
struct node {
	uint32_t block; /* NONE for a bend */
	uint32_t layer;
	double x, wish; /* of its middle */
};

/* A piece of an edge between two layers, downwards. */
struct strand {
	uint32_t from, to, edge, layer; /* the upper one */
};

struct layout {
	const struct pf_flowchart *chart;
	struct pf_order order;
	uint32_t *node_of; /* by block; NONE if it is not drawn */
	PF_ARRAY(struct node) nodes;
	PF_ARRAY(struct strand) strands;
	PF_ARRAY(uint32_t) back; /* edges */
	uint32_t *row;           /* nodes, by layer and from left to right */
	uint32_t layers;
	double *sums; /* by node */
	uint32_t *counts;
};

static double width_of(const struct node *n)
{
	return n->block == NONE ? BEND_WIDTH : BOX_WIDTH;
}

static bool is_drawn(const struct layout *l, uint32_t block)
{
	return l->order.position[block] != PF_ORDER_NONE && l->chart->shown[block];
}

/* 1: forwards, -1: back, 0: not between blocks that are drawn. */
static int direction(const struct layout *l, const struct pf_graph_edge *e)
{
	if (!is_drawn(l, e->from) || !is_drawn(l, e->to))
		return 0;
	return l->order.position[e->from] < l->order.position[e->to] ? 1 : -1;
}

static bool add_blocks(struct layout *l)
{
	const struct pf_graph *g = l->chart->graph;

	for (uint32_t b = 0; b < g->block_count; b++)
		l->node_of[b] = NONE;
	for (uint32_t i = 0; i < l->order.count; i++) {
		uint32_t block = l->order.blocks[i];
		struct node *n = is_drawn(l, block) ? pf_array_push(&l->nodes) : NULL;

		if (!n && is_drawn(l, block))
			return false;
		if (!n)
			continue;
		n->block = block;
		l->node_of[block] = (uint32_t)(l->nodes.count - 1);
		for (uint32_t k = g->in_first[block]; k < g->in_first[block + 1]; k++) {
			const struct pf_graph_edge *e = &g->edges[g->in_edges[k]];

			if (direction(l, e) > 0 && l->nodes.at[l->node_of[e->from]].layer >= n->layer)
				n->layer = l->nodes.at[l->node_of[e->from]].layer + 1;
		}
		l->layers = n->layer >= l->layers ? n->layer + 1 : l->layers;
	}
	return true;
}

/* The strands and bends of an edge that goes forwards. */
static bool add_strands(struct layout *l, uint32_t edge)
{
	const struct pf_graph_edge *e = &l->chart->graph->edges[edge];
	uint32_t from = l->node_of[e->from], to = l->node_of[e->to];

	while (from != to) {
		uint32_t layer = l->nodes.at[from].layer, next = to;
		struct strand *s = pf_array_push(&l->strands);

		if (!s)
			return false;
		if (layer + 1 < l->nodes.at[to].layer) {
			struct node *bend = pf_array_push(&l->nodes);

			if (!bend)
				return false;
			*bend = (struct node) { .block = NONE, .layer = layer + 1 };
			next = (uint32_t)(l->nodes.count - 1);
		}
		*s = (struct strand) { from, next, edge, layer };
		from = next;
	}
	return true;
}

static bool add_edges(struct layout *l)
{
	for (uint32_t e = 0; e < l->chart->graph->edge_count; e++) {
		int way = direction(l, &l->chart->graph->edges[e]);
		uint32_t *back = way < 0 ? pf_array_push(&l->back) : NULL;

		if (back)
			*back = e;
		if ((way < 0 && !back) || (way > 0 && !add_strands(l, e)))
			return false;
	}
	return true;
}

static int compare_strands(const void *left, const void *right)
{
	const struct strand *a = left, *b = right;

	return (a->layer > b->layer) - (a->layer < b->layer);
}

static int compare_wishes(const void *left, const void *right, void *of)
{
	const struct layout *l = of;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	const struct node *a = &l->nodes.at[i], *b = &l->nodes.at[k];

	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	if (a->wish != b->wish)
		return a->wish < b->wish ? -1 : 1;
	return (i > k) - (i < k);
}

/* Puts the COUNT nodes at ROW, which are one layer, side by side in the order of their wishes, and the whole where
 * these are on average. */
static void place_row(struct layout *l, uint32_t *row, uint32_t count)
{
	double x = 0, off = 0;

	qsort_r(row, count, sizeof *row, compare_wishes, l);
	for (uint32_t i = 0; i < count; i++) {
		struct node *n = &l->nodes.at[row[i]];

		n->x = x + width_of(n) / 2;
		x += width_of(n) + GAP;
		off += (n->wish - n->x) / count;
	}
	for (uint32_t i = 0; i < count; i++)
		l->nodes.at[row[i]].x += off;
}

/* Where the nodes of a layer would be: in the middle of those at the other ends of the COUNT STRANDS. */
static void wish(struct layout *l, const struct strand *strands, size_t count, bool down)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t node = down ? strands[i].to : strands[i].from, other = down ? strands[i].from : strands[i].to;

		l->sums[node] += l->nodes.at[other].x;
		l->counts[node]++;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t node = down ? strands[i].to : strands[i].from;

		if (l->counts[node] > 0)
			l->nodes.at[node].wish = l->sums[node] / l->counts[node];
		l->sums[node] = 0;
		l->counts[node] = 0;
	}
}

/* The first strand whose upper layer is LAYER or below. */
static size_t strands_from(const struct layout *l, uint32_t layer)
{
	struct pf_search search = pf_search_over(l->strands.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, l->strands.at[search.middle].layer < layer);
	return search.low;
}

static void sweep(struct layout *l, const uint32_t *first, bool down)
{
	for (uint32_t i = 0; i < l->layers; i++) {
		uint32_t layer = down ? i : l->layers - 1 - i, above = down ? layer - 1 : layer;
		bool has = !down || layer > 0;
		size_t from = has ? strands_from(l, above) : 0, to = has ? strands_from(l, above + 1) : 0;

		for (uint32_t k = first[layer]; k < first[layer + 1]; k++)
			l->nodes.at[l->row[k]].wish = l->nodes.at[l->row[k]].x;
		wish(l, l->strands.at + from, to - from, down);
		place_row(l, l->row + first[layer], first[layer + 1] - first[layer]);
	}
}

static bool place(struct layout *l)
{
	size_t count = l->nodes.count;
	uint32_t *first = calloc((size_t)l->layers + 2, sizeof *first);
	double least = 0;

	l->row = calloc(count + 1, sizeof *l->row);
	l->sums = calloc(count + 1, sizeof *l->sums);
	l->counts = calloc(count + 1, sizeof *l->counts);
	if (!first || !l->row || !l->sums || !l->counts) {
		free(first);
		return false;
	}
	pf_array_sort(&l->strands, compare_strands);
	for (uint32_t i = 0; i < count; i++) {
		l->row[i] = i;
		l->nodes.at[i].wish = i;
		first[l->nodes.at[i].layer + 1]++;
	}
	for (uint32_t i = 0; i < l->layers; i++)
		first[i + 1] += first[i];
	qsort_r(l->row, count, sizeof *l->row, compare_wishes, l);
	for (uint32_t i = 0; i < l->layers; i++)
		place_row(l, l->row + first[i], first[i + 1] - first[i]);
	for (int i = 0; i < SWEEPS; i++)
		sweep(l, first, i % 2 == 0);
	for (size_t i = 0; i < count; i++)
		least = fmin(least, l->nodes.at[i].x - width_of(&l->nodes.at[i]) / 2);
	for (size_t i = 0; i < count; i++)
		l->nodes.at[i].x += MARGIN - least;
	free(first);
	return true;
}

static double top_of(const struct node *n)
{
	return MARGIN + n->layer * LAYER;
}

/* How far to the right an arc back goes: past all that stands in the layers between, and the further, the more of them.
 */
static double reach_of(const struct layout *l, uint32_t edge)
{
	const struct pf_graph_edge *e = &l->chart->graph->edges[edge];
	const struct node *from = &l->nodes.at[l->node_of[e->from]], *to = &l->nodes.at[l->node_of[e->to]];
	double right = 0;

	for (size_t i = 0; i < l->nodes.count; i++) {
		const struct node *n = &l->nodes.at[i];

		if (n->layer <= from->layer && n->layer >= to->layer)
			right = fmax(right, n->x + width_of(n) / 2);
	}
	return right + 12 + 3 * (double)(from->layer - to->layer);
}

static void put_class(struct pf_buffer *out, const char *name, bool on)
{
	pf_buffer_printf(out, "class=\"%s%s\"", name, on ? " on" : "");
}

static void put_strand(struct pf_buffer *out, const struct layout *l, const struct strand *s)
{
	const struct node *a = &l->nodes.at[s->from], *b = &l->nodes.at[s->to];
	double from = top_of(a) + BOX_HEIGHT, to = top_of(b), bow = (LAYER - BOX_HEIGHT) * 0.6;

	pf_buffer_printf(out, "<path ");
	put_class(out, "edge", l->chart->edges_on[s->edge]);
	pf_buffer_printf(out, " d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", a->x, from, a->x, from + bow, b->x,
			 to - bow, b->x, to);
	if (b->block == NONE)
		pf_buffer_printf(out, "v%.1f", BOX_HEIGHT);
	else
		pf_buffer_printf(out, "m-3.5 -6l3.5 6l3.5 -6");
	pf_buffer_printf(out, "\"/>\n");
}

static void put_back(struct pf_buffer *out, const struct layout *l, uint32_t edge)
{
	const struct pf_graph_edge *e = &l->chart->graph->edges[edge];
	const struct node *a = &l->nodes.at[l->node_of[e->from]], *b = &l->nodes.at[l->node_of[e->to]];
	/* A curve comes as far as three quarters of the way to its two corners. */
	double right = reach_of(l, edge), side = BOX_WIDTH / 2, a_x = a->x + side, b_x = b->x + side,
	       corner = (right - (a_x + b_x) / 8) * 4 / 3;

	pf_buffer_printf(out, "<path ");
	put_class(out, "edge back", l->chart->edges_on[edge]);
	pf_buffer_printf(out, " d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1fm6 -3.5l-6 3.5l6 3.5\"/>\n", a_x,
			 top_of(a) + BOX_HEIGHT * 0.7, corner, top_of(a) + BOX_HEIGHT, corner, top_of(b), b_x,
			 top_of(b) + BOX_HEIGHT * 0.3);
}

static void put_block(struct pf_buffer *out, const struct layout *l, const struct node *n)
{
	pf_buffer_printf(out, "<g ");
	put_class(out, "block", l->chart->blocks_on[n->block]);
	pf_buffer_printf(out,
			 "><title>block %" PRIu32 ", %" PRIu64
			 " times</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>"
			 "<text x=\"%.1f\" y=\"%.1f\">",
			 n->block, l->chart->graph->blocks[n->block].count, n->x - BOX_WIDTH / 2, top_of(n), BOX_WIDTH,
			 BOX_HEIGHT, n->x, top_of(n) + BOX_HEIGHT - 7);
	pf_svg_text(out, l->chart->names[n->block]);
	pf_buffer_printf(out, "</text></g>\n");
}

/* What is on stands in front of what is not. */
static void put_picture(struct pf_buffer *out, const struct layout *l)
{
	double width = 0, height = (l->layers ? l->layers - 1 : 0) * LAYER + BOX_HEIGHT + 2 * MARGIN;

	for (size_t i = 0; i < l->nodes.count; i++)
		width = fmax(width, l->nodes.at[i].x + width_of(&l->nodes.at[i]) / 2);
	for (size_t i = 0; i < l->back.count; i++)
		width = fmax(width, reach_of(l, l->back.at[i]));
	pf_buffer_printf(out,
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flow\" role=\"img\" viewBox=\"0 0 %.0f "
			 "%.0f\" width=\"%.0f\" height=\"%.0f\">\n<title>",
			 width + MARGIN, height, width + MARGIN, height);
	pf_svg_text(out, l->chart->title);
	pf_buffer_printf(out, "</title>\n");
	for (int on = 0; on < 2; on++) {
		for (size_t i = 0; i < l->strands.count; i++) {
			if (l->chart->edges_on[l->strands.at[i].edge] == on)
				put_strand(out, l, &l->strands.at[i]);
		}
		for (size_t i = 0; i < l->back.count; i++) {
			if (l->chart->edges_on[l->back.at[i]] == on)
				put_back(out, l, l->back.at[i]);
		}
	}
	for (size_t i = 0; i < l->nodes.count; i++) {
		if (l->nodes.at[i].block != NONE)
			put_block(out, l, &l->nodes.at[i]);
	}
	pf_buffer_printf(out, "</svg>\n");
}

bool pf_flowchart_put(struct pf_buffer *out, const struct pf_flowchart *chart)
{
	struct layout l = { .chart = chart };
	bool good = pf_order_init(&l.order, chart->graph, chart->graph->entry, false) == 0;

	l.node_of = calloc((size_t)chart->graph->block_count + 1, sizeof *l.node_of);
	good = good && l.node_of && add_blocks(&l) && add_edges(&l) && place(&l);
	if (good)
		put_picture(out, &l);
	pf_order_fini(&l.order);
	pf_array_fini(&l.nodes);
	pf_array_fini(&l.strands);
	pf_array_fini(&l.back);
	free(l.node_of);
	free(l.row);
	free(l.sums);
	free(l.counts);
	return good;
}
