/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops by nested strongly connected components (Bourdoncle 1993, Steensgaard 1993): a component with a cycle is a
 * loop; its header is the member first in reverse post-order; without the edges back to the header, the components
 * of the rest are the inner loops.  For reducible graphs these are the natural loops (two that share a header count
 * as one); a component that is entered elsewhere than at its header is irreducible and is named as such.
 *
 * The hard case is depth: both the search for components and the descent into loops keep their own stacks. */
#include "flow/loops.h"
#include "flow/order.h"
#include "support/array.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct frame {
	uint32_t block, next;
};

struct finder {
	const struct pf_graph *graph;
	struct pf_loops *loops;
	struct pf_order order;
	size_t capacity;
	uint32_t *region; /* the loop (plus one) whose inside is searched with this block; 0: the whole function */
	uint32_t *start, *next; /* the members of a loop as a list: its first one, and the next after each */
	uint32_t *index, *low, *component, *stack;
	bool *on_stack, *cut; /* cut: header of a loop that is being searched, left out */
	struct frame *frames;
	uint32_t counter, depth;
};

static void release(struct finder *f)
{
	pf_order_fini(&f->order);
	free(f->region);
	free(f->start);
	free(f->next);
	free(f->index);
	free(f->low);
	free(f->component);
	free(f->stack);
	free(f->on_stack);
	free(f->cut);
	free(f->frames);
}

static int reserve(struct finder *f)
{
	size_t count = f->graph->block_count;

	f->region = calloc(count, sizeof(*f->region));
	f->start = malloc(count * sizeof(*f->start));
	f->next = malloc(count * sizeof(*f->next));
	f->index = calloc(count, sizeof(*f->index));
	f->low = calloc(count, sizeof(*f->low));
	f->component = malloc(count * sizeof(*f->component));
	f->stack = malloc(count * sizeof(*f->stack));
	f->on_stack = calloc(count, sizeof(*f->on_stack));
	f->cut = calloc(count, sizeof(*f->cut));
	f->frames = malloc(count * sizeof(*f->frames));
	f->loops->innermost = malloc(count * sizeof(*f->loops->innermost));
	if (!f->region || !f->start || !f->next || !f->index || !f->low || !f->component || !f->stack || !f->on_stack ||
	    !f->cut || !f->frames || !f->loops->innermost)
		return -1;
	memset(f->loops->innermost, 0xff, count * sizeof(*f->loops->innermost));
	return 0;
}

static struct pf_loop *add_loop(struct finder *f)
{
	if (!pf_array_reserve(&f->loops->loops, f->loops->count, &f->capacity, 1, sizeof *f->loops->loops))
		return NULL;
	return &f->loops->loops[f->loops->count++];
}

/* The member of a component that comes first in reverse post-order. */
static uint32_t first_member(const struct finder *f, const uint32_t *members, uint32_t count)
{
	uint32_t header = members[0];

	for (uint32_t i = 1; i < count; i++)
		if (f->order.position[members[i]] < f->order.position[header])
			header = members[i];
	return header;
}

static bool has_self_loop(const struct pf_graph *graph, uint32_t block)
{
	for (uint32_t i = graph->out_first[block]; i < graph->out_first[block + 1]; i++)
		if (graph->edges[graph->out_edges[i]].to == block)
			return true;
	return false;
}

/* True if an edge from outside leads to a member other than HEADER.  Members have their new region already. */
static bool entered_elsewhere(const struct finder *f, const uint32_t *members, uint32_t count, uint32_t header,
			      uint32_t region)
{
	for (uint32_t m = 0; m < count; m++) {
		if (members[m] == header)
			continue;
		for (uint32_t i = f->graph->in_first[members[m]]; i < f->graph->in_first[members[m] + 1]; i++) {
			uint32_t from = f->graph->edges[f->graph->in_edges[i]].from;
			if (f->order.position[from] != PF_ORDER_NONE && f->region[from] != region)
				return true;
		}
	}
	return false;
}

/* Turns a component into a loop of the region it was found in. */
static int make_loop(struct finder *f, const uint32_t *members, uint32_t count)
{
	if (count == 1 && !has_self_loop(f->graph, members[0]))
		return 0;
	uint32_t around = f->region[members[0]], header = first_member(f, members, count);
	struct pf_loop *loop = add_loop(f);

	if (!loop)
		return -1;
	uint32_t number = f->loops->count - 1;
	*loop = (struct pf_loop) { .header = header, .parent = around ? around - 1 : PF_NO_LOOP, .blocks = count };
	loop->depth = around ? f->loops->loops[around - 1].depth + 1 : 1;
	for (uint32_t i = 0; i < count; i++) {
		f->region[members[i]] = number + 1;
		f->loops->innermost[members[i]] = number;
		f->next[members[i]] = i + 1 < count ? members[i + 1] : NONE;
	}
	f->start[number] = members[0];
	loop->irreducible = entered_elsewhere(f, members, count, header, number + 1);
	return 0;
}

static void enter(struct finder *f, uint32_t block, uint32_t *stacked)
{
	f->index[block] = f->low[block] = ++f->counter;
	f->on_stack[block] = true;
	f->stack[(*stacked)++] = block;
	f->frames[f->depth++] = (struct frame) { block, f->graph->out_first[block] };
}

static int close_component(struct finder *f, uint32_t block, uint32_t *stacked)
{
	uint32_t count = 0, member;

	do {
		member = f->stack[--*stacked];
		f->on_stack[member] = false;
		f->component[count++] = member;
	} while (member != block);
	return make_loop(f, f->component, count);
}

/* Tarjan's algorithm from ROOT, within its region and without cut headers. */
static int search(struct finder *f, uint32_t root, uint32_t region)
{
	uint32_t stacked = 0;

	f->depth = 0;
	enter(f, root, &stacked);
	while (f->depth) {
		struct frame *top = &f->frames[f->depth - 1];
		uint32_t block = top->block;
		if (top->next < f->graph->out_first[block + 1]) {
			uint32_t to = f->graph->edges[f->graph->out_edges[top->next++]].to;
			if (f->cut[to] || f->region[to] != region)
				continue;
			if (f->index[to] == 0)
				enter(f, to, &stacked);
			else if (f->on_stack[to] && f->index[to] < f->low[block])
				f->low[block] = f->index[to];
			continue;
		}
		f->depth--;
		if (f->depth && f->low[block] < f->low[f->frames[f->depth - 1].block])
			f->low[f->frames[f->depth - 1].block] = f->low[block];
		if (f->low[block] == f->index[block] && close_component(f, block, &stacked))
			return -1;
	}
	return 0;
}

/* Searches the inside of loop NUMBER without its header. */
static int search_inside(struct finder *f, uint32_t number, const uint32_t *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		f->index[members[i]] = 0;
	f->cut[f->loops->loops[number].header] = true;
	for (uint32_t i = 0; i < count; i++)
		if (f->index[members[i]] == 0 && !f->cut[members[i]] && f->region[members[i]] == number + 1 &&
		    search(f, members[i], number + 1))
			return -1;
	return 0;
}

static uint32_t gather(const struct finder *f, uint32_t number, uint32_t *members)
{
	uint32_t count = 0;

	for (uint32_t member = f->start[number]; member != NONE; member = f->next[member])
		members[count++] = member;
	return count;
}

static int find_all(struct finder *f)
{
	uint32_t *members = malloc(f->graph->block_count * sizeof(*members));
	int result = members ? 0 : -1;

	for (uint32_t i = 0; result == 0 && i < f->order.count; i++)
		if (f->index[f->order.blocks[i]] == 0)
			result = search(f, f->order.blocks[i], 0);
	for (uint32_t number = 0; result == 0 && number < f->loops->count; number++)
		result = search_inside(f, number, members, gather(f, number, members));
	free(members);
	return result;
}

int pf_loops_init(struct pf_loops *loops, const struct pf_graph *graph)
{
	struct finder f = { .graph = graph, .loops = loops };
	int result = -1;

	*loops = (struct pf_loops) { 0 };
	if (pf_order_init(&f.order, graph, graph->entry, false) == 0 && reserve(&f) == 0)
		result = find_all(&f);
	release(&f);
	if (result)
		pf_loops_fini(loops);
	return result;
}

void pf_loops_fini(struct pf_loops *loops)
{
	free(loops->loops);
	free(loops->innermost);
	*loops = (struct pf_loops) { 0 };
}
