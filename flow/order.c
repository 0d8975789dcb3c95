/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Depth-first search with an explicit stack: a machine-made function of 100,000 blocks in a row must not overflow
 * the compiler's own stack. */
#include "flow/order.h"

#include <stdlib.h>
#include <string.h>

struct frame {
	uint32_t block, next; /* next: index into the adjacency list */
};

void pf_order_fini(struct pf_order *order)
{
	free(order->blocks);
	free(order->position);
	*order = (struct pf_order) { 0 };
}

/* Fills order->blocks in post-order; position is only a mark here. */
static void search(struct pf_order *order, const struct pf_graph *graph, uint32_t root, bool backward,
		   struct frame *stack)
{
	const uint32_t *first = backward ? graph->in_first : graph->out_first;
	const uint32_t *list = backward ? graph->in_edges : graph->out_edges;
	uint32_t depth = 0;

	stack[depth++] = (struct frame) { root, first[root] };
	order->position[root] = 0;
	while (depth) {
		struct frame *top = &stack[depth - 1];
		if (top->next == first[top->block + 1]) {
			order->blocks[order->count++] = top->block;
			depth--;
			continue;
		}
		const struct pf_graph_edge *edge = &graph->edges[list[top->next++]];
		uint32_t to = backward ? edge->from : edge->to;
		if (order->position[to] == PF_ORDER_NONE) {
			order->position[to] = 0;
			stack[depth++] = (struct frame) { to, first[to] };
		}
	}
}

static void reverse(struct pf_order *order)
{
	for (uint32_t i = 0; i < order->count / 2; i++) {
		uint32_t other = order->blocks[order->count - 1 - i];
		order->blocks[order->count - 1 - i] = order->blocks[i];
		order->blocks[i] = other;
	}
	for (uint32_t i = 0; i < order->count; i++)
		order->position[order->blocks[i]] = i;
}

int pf_order_init(struct pf_order *order, const struct pf_graph *graph, uint32_t root, bool backward)
{
	size_t count = graph->block_count;
	struct frame *stack = malloc(count * sizeof(*stack));

	order->count = 0;
	order->blocks = malloc(count * sizeof(*order->blocks));
	order->position = malloc(count * sizeof(*order->position));
	if (!stack || !order->blocks || !order->position) {
		free(stack);
		pf_order_fini(order);
		return -1;
	}
	memset(order->position, 0xff, count * sizeof(*order->position));
	search(order, graph, root, backward, stack);
	reverse(order);
	free(stack);
	return 0;
}

/* Marks in SEEN what reaches BLOCK. */
static void mark_backward(const struct pf_graph *graph, uint32_t block, bool *seen, uint32_t *stack)
{
	uint32_t depth = 0;

	if (seen[block])
		return;
	seen[block] = true;
	stack[depth++] = block;
	while (depth) {
		uint32_t to = stack[--depth];
		for (uint32_t i = graph->in_first[to]; i < graph->in_first[to + 1]; i++) {
			uint32_t from = graph->edges[graph->in_edges[i]].from;
			if (!seen[from]) {
				seen[from] = true;
				stack[depth++] = from;
			}
		}
	}
}

uint32_t pf_order_ends(const struct pf_order *order, const struct pf_graph *graph, uint32_t *ends, uint32_t *endless)
{
	bool *seen = calloc(graph->block_count, sizeof(*seen));
	uint32_t *stack = malloc(graph->block_count * sizeof(*stack));
	uint32_t count = seen && stack ? 0 : PF_ORDER_NONE;

	for (uint32_t i = 0; count != PF_ORDER_NONE && i < order->count; i++) {
		uint32_t block = order->blocks[i];
		if (block != graph->exit && graph->out_first[block] != graph->out_first[block + 1])
			continue;
		ends[count++] = block;
		mark_backward(graph, block, seen, stack);
	}
	*endless = count;
	for (uint32_t i = order->count; count != PF_ORDER_NONE && i-- > 0;) {
		if (seen[order->blocks[i]])
			continue;
		ends[count++] = order->blocks[i];
		mark_backward(graph, order->blocks[i], seen, stack);
	}
	free(seen);
	free(stack);
	return count;
}
