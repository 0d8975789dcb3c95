/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a flow graph to a circulation with costs.
 *
 * Costs are lexicographic: evidence (measured counts, unlikely flow) is multiplied by a weight that outgrows any sum
 * of preferences (which unknown way to take) along a path, so that no number of unknown blocks can talk a measured
 * count away.  The hard case is evidence that contradicts itself, such as a landing pad that was measured to run but
 * is reached by nothing but unlikely edges: the ways to and from such blocks are excused from the unlikely cost. */
#include "flow/network.h"
#include "flow/mincost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PREFERENCE_LIMIT 255          /* the highest preference cost of an element */
#define COST_LIMIT ((int64_t)1 << 46) /* the highest cost, so that sums along 2^15 nodes stay below 2^62 */
#define DECREASE_LIMIT ((int64_t)1 << 44)
#define GUESSED_ENTRY 10000 /* how often a function without any measurement is taken to run */
#define GUESS_FLOOR 1e-6    /* no way is impossible: evidence may demand it */

void pf_network_fini(struct pf_network *network)
{
	free(network->elements);
	pf_order_fini(&network->order);
	*network = (struct pf_network) { 0 };
}

static bool reached(const struct pf_network *network, uint32_t block)
{
	return network->order.position[block] != PF_ORDER_NONE;
}

static void add_drain(struct pf_network *network, uint32_t block, bool endless)
{
	network->elements[network->element_count++] = (struct pf_element) { .from = pf_network_out(block),
									    .to = pf_network_in(network->graph->entry),
									    .open = true,
									    .endless = endless };
}

/* Drains for all ends but EXIT, which has the return element. */
static int add_drains(struct pf_network *network)
{
	uint32_t *ends = malloc(network->order.count * sizeof(*ends)), endless;
	uint32_t count = ends ? pf_order_ends(&network->order, network->graph, ends, &endless) : PF_ORDER_NONE;

	for (uint32_t i = 0; count != PF_ORDER_NONE && i < count; i++)
		if (ends[i] != network->graph->exit)
			add_drain(network, ends[i], i >= endless);
	free(ends);
	return count == PF_ORDER_NONE ? -1 : 0;
}

/* ---- elements --------------------------------------------------------------------------------------------- */

/* The largest shift is needed only for counts that no real run reaches. */
static void choose_shift(struct pf_network *network)
{
	const struct pf_graph *graph = network->graph;
	uint64_t limit = ((uint64_t)1 << 60) / ((uint64_t)graph->block_count + graph->edge_count + 1);
	uint64_t highest = 0;

	for (uint32_t b = 0; b < graph->block_count; b++)
		if (graph->blocks[b].known != PF_UNKNOWN && graph->blocks[b].count > highest)
			highest = graph->blocks[b].count;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].known != PF_UNKNOWN && graph->edges[e].count > highest)
			highest = graph->edges[e].count;
	while (highest >> network->shift > limit)
		network->shift++;
}

static void set_evidence(struct pf_network *network, struct pf_element *element, enum pf_known known, uint64_t count,
			 bool unlikely, bool open)
{
	element->open = open;
	element->known = known;
	element->base = known != PF_UNKNOWN && open ? (int64_t)(count >> network->shift) : 0;
	element->avoid = unlikely && element->base == 0;
	element->guess = 1;
}

static void add_elements(struct pf_network *network)
{
	const struct pf_graph *graph = network->graph;

	for (uint32_t b = 0; b < graph->block_count; b++) {
		const struct pf_graph_block *block = &graph->blocks[b];
		struct pf_element *element = &network->elements[network->element_count++];
		element->from = pf_network_in(b);
		element->to = pf_network_out(b);
		set_evidence(network, element, block->known, block->count, block->unlikely, reached(network, b));
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct pf_graph_edge *edge = &graph->edges[e];
		struct pf_element *element = &network->elements[network->element_count++];
		element->from = pf_network_out(edge->from);
		element->to = pf_network_in(edge->to);
		set_evidence(network, element, edge->known, edge->count, edge->unlikely, reached(network, edge->from));
	}
	network->elements[network->element_count++] = (struct pf_element) { .from = pf_network_out(graph->exit),
									    .to = pf_network_in(graph->entry),
									    .open = reached(network, graph->exit) };
}

/* A graph without a single measurement gets the shape of its guesses: ENTRY is given, everything else follows. */
static void assume_entry(struct pf_network *network)
{
	for (uint32_t i = 0; i < pf_network_return(network); i++)
		if (network->elements[i].known != PF_UNKNOWN)
			return;
	struct pf_element *entry = &network->elements[network->graph->entry];
	entry->known = PF_CERTAIN;
	entry->base = GUESSED_ENTRY;
	entry->avoid = false;
}

/* The shares of a block's edges: guesses as given, edges without one share what is left, all made to add up to 1. */
static void set_guesses(struct pf_network *network, uint32_t block)
{
	const struct pf_graph *graph = network->graph;
	uint32_t begin = graph->out_first[block], end = graph->out_first[block + 1];
	struct pf_element *edges = network->elements + graph->block_count;
	double given = 0, sum = 0;
	uint32_t missing = 0;

	for (uint32_t i = begin; i < end; i++) {
		double guess = graph->edges[graph->out_edges[i]].guess;
		if (guess >= 0)
			given += fmin(guess, 1);
		else
			missing++;
	}
	for (uint32_t i = begin; i < end; i++) {
		double guess = graph->edges[graph->out_edges[i]].guess;
		double share = guess >= 0 ? fmin(guess, 1) : missing == end - begin ? 1 : fmax(1 - given, 0) / missing;
		edges[graph->out_edges[i]].guess = fmax(share, GUESS_FLOOR);
		sum += edges[graph->out_edges[i]].guess;
	}
	for (uint32_t i = begin; i < end; i++)
		edges[graph->out_edges[i]].guess /= sum;
}

/* ---- excuses ---------------------------------------------------------------------------------------------- */

/* Spreads MARK from the DEPTH blocks on STACK.  Without BARRIER it keeps to elements that need not be avoided; with
 * it, it passes those too but stops at blocks of BARRIER. */
static void spread(const struct pf_network *network, bool *mark, bool backward, const bool *barrier, uint32_t *stack,
		   uint32_t depth)
{
	const struct pf_graph *graph = network->graph;
	const uint32_t *first = backward ? graph->in_first : graph->out_first;
	const uint32_t *list = backward ? graph->in_edges : graph->out_edges;

	while (depth) {
		uint32_t block = stack[--depth];
		for (uint32_t i = first[block]; i < first[block + 1]; i++) {
			const struct pf_graph_edge *edge = &graph->edges[list[i]];
			uint32_t next = backward ? edge->from : edge->to;
			bool avoid =
			    network->elements[graph->block_count + list[i]].avoid || network->elements[next].avoid;
			if (mark[next] || (barrier ? barrier[next] : avoid))
				continue;
			mark[next] = true;
			stack[depth++] = next;
		}
	}
}

/* The ends of a likely way: ENTRY forward; EXIT and the blocks that drain backward. */
static uint32_t push_ends(const struct pf_network *network, bool backward, bool *mark, uint32_t *stack)
{
	uint32_t depth = 0;

	if (!backward) {
		mark[network->graph->entry] = true;
		stack[depth++] = network->graph->entry;
		return depth;
	}
	for (uint32_t i = pf_network_return(network); i < network->element_count; i++) {
		uint32_t block = network->elements[i].from / 2;
		if (mark[block] || network->elements[block].avoid)
			continue;
		mark[block] = true;
		stack[depth++] = block;
	}
	return depth;
}

/* Excuses one direction: BACKWARD asks which blocks that ran have no likely way to an end (their successors are
 * excused), otherwise which have none from ENTRY (their predecessors are). */
static void excuse(struct pf_network *network, bool backward, bool *likely, bool *excused, uint32_t *stack)
{
	const struct pf_graph *graph = network->graph;
	uint32_t depth;

	memset(likely, 0, graph->block_count * sizeof(*likely));
	memset(excused, 0, graph->block_count * sizeof(*excused));
	depth = push_ends(network, backward, likely, stack);
	spread(network, likely, backward, NULL, stack, depth);
	depth = 0;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		if (network->elements[b].base == 0 || likely[b])
			continue;
		excused[b] = true;
		stack[depth++] = b;
	}
	if (depth == 0)
		return;
	spread(network, excused, !backward, likely, stack, depth);
	for (uint32_t b = 0; b < graph->block_count; b++)
		network->elements[b].avoid &= !excused[b];
	for (uint32_t e = 0; e < graph->edge_count; e++)
		network->elements[graph->block_count + e].avoid &=
		    !excused[backward ? graph->edges[e].from : graph->edges[e].to];
}

static int excuse_contradictions(struct pf_network *network)
{
	uint32_t count = network->graph->block_count;
	bool *likely = malloc(count * sizeof(*likely)), *excused = malloc(count * sizeof(*excused));
	uint32_t *stack = malloc(count * sizeof(*stack));
	int result = -1;

	if (likely && excused && stack) {
		excuse(network, false, likely, excused, stack);
		excuse(network, true, likely, excused, stack);
		result = 0;
	}
	free(likely);
	free(excused);
	free(stack);
	return result;
}

/* ---- costs ------------------------------------------------------------------------------------------------ */

static int64_t clamp(double cost, int64_t limit)
{
	return cost >= (double)limit ? limit : (int64_t)cost;
}

/* A unit of evidence in the solver's terms. */
static int64_t weigh(const struct pf_network *network, uint32_t cost, enum pf_known known, int64_t limit)
{
	double factor = known == PF_CERTAIN ? network->costs->certain_factor : 1;

	return clamp((double)cost * factor * (double)network->scale, limit);
}

static void price(const struct pf_network *network, struct pf_element *element, uint32_t increase, uint32_t decrease,
		  int64_t preference)
{
	if (element->avoid)
		element->increase = clamp((double)network->costs->unlikely * (double)network->scale, COST_LIMIT);
	else if (element->known == PF_UNKNOWN || element->known == PF_AT_LEAST)
		element->increase = preference < PREFERENCE_LIMIT ? preference : PREFERENCE_LIMIT;
	else
		element->increase = weigh(network, increase, element->known, COST_LIMIT);
	element->decrease = weigh(network, decrease, element->known, DECREASE_LIMIT);
}

static void price_blocks(struct pf_network *network)
{
	const struct pf_infer_costs *costs = network->costs;

	for (uint32_t b = 0; b < network->graph->block_count; b++) {
		struct pf_element *element = &network->elements[b];
		if (b == network->graph->entry)
			price(network, element, costs->entry_increase, costs->entry_decrease, costs->unknown_increase);
		else
			price(network, element, element->base ? costs->block_increase : costs->zero_increase,
			      costs->block_decrease, costs->unknown_increase);
	}
}

/* An unknown edge costs four times its own preference, plus four for each halving of the probability of its guess. */
static void price_edges(struct pf_network *network)
{
	const struct pf_infer_costs *costs = network->costs;

	for (uint32_t e = 0; e < network->graph->edge_count; e++) {
		struct pf_element *element = &network->elements[network->graph->block_count + e];
		const struct pf_graph_edge *edge = &network->graph->edges[e];
		double preference = 4.0 * (edge->fallthrough ? costs->unknown_fallthrough : costs->unknown_edge);
		if (edge->guess >= 0)
			preference += -4 * log2(element->guess);
		price(network, element, costs->edge_increase, costs->edge_decrease, (int64_t)fmin(preference, 1e6));
	}
}

/* Returning is free; leaving an infinite loop is the last resort among the unknown ways. */
static void price_ends(struct pf_network *network)
{
	for (uint32_t i = pf_network_return(network); i < network->element_count; i++) {
		struct pf_element *element = &network->elements[i];
		element->guess = element->endless ? GUESS_FLOOR : 1;
		price(network, element, 0, 0, element->endless ? PREFERENCE_LIMIT : 0);
	}
}

int pf_network_init(struct pf_network *network, const struct pf_graph *graph, const struct pf_infer_costs *costs)
{
	size_t limit = 2 * (size_t)graph->block_count + graph->edge_count + 1;

	*network = (struct pf_network) { .graph = graph, .costs = costs, .node_count = 2 * graph->block_count };
	network->scale = 2 * (uint64_t)PREFERENCE_LIMIT * network->node_count + 1;
	network->elements = calloc(limit, sizeof(*network->elements));
	if (!network->elements || pf_order_init(&network->order, graph, graph->entry, false))
		goto fail;
	choose_shift(network);
	add_elements(network);
	assume_entry(network);
	if (add_drains(network) || excuse_contradictions(network))
		goto fail;
	for (uint32_t b = 0; b < graph->block_count; b++)
		set_guesses(network, b);
	price_blocks(network);
	price_edges(network);
	price_ends(network);
	for (uint32_t i = 0; i < network->element_count; i++)
		network->elements[i].flow = network->elements[i].base;
	return 0;
fail:
	pf_network_fini(network);
	return -1;
}

void pf_network_index(const struct pf_network *network, bool out, uint32_t *first, uint32_t *list)
{
	for (uint32_t i = 0; i < network->element_count; i++)
		first[(out ? network->elements[i].from : network->elements[i].to) + 2]++;
	for (uint32_t v = 0; v + 1 < network->node_count; v++)
		first[v + 2] += first[v + 1];
	for (uint32_t i = 0; i < network->element_count; i++)
		list[first[(out ? network->elements[i].from : network->elements[i].to) + 1]++] = i;
}

/* ---- settling --------------------------------------------------------------------------------------------- */

void pf_network_imbalance(const struct pf_network *network, int64_t *imbalance)
{
	memset(imbalance, 0, network->node_count * sizeof(*imbalance));
	for (uint32_t i = 0; i < network->element_count; i++) {
		imbalance[network->elements[i].to] += network->elements[i].flow;
		imbalance[network->elements[i].from] -= network->elements[i].flow;
	}
}

/* The ways in which open elements can change: more along them, less against them. */
static uint32_t residual_arcs(const struct pf_network *network, struct pf_mincost_arc *arcs)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < network->element_count; i++) {
		const struct pf_element *element = &network->elements[i];
		if (!element->open)
			continue;
		arcs[count++] =
		    (struct pf_mincost_arc) { element->from, element->to, PF_MINCOST_UNBOUNDED, element->increase, 0 };
		if (element->flow)
			arcs[count++] =
			    (struct pf_mincost_arc) { element->to, element->from, element->flow, element->decrease, 0 };
	}
	return count;
}

static void apply(struct pf_network *network, const struct pf_mincost_arc *arcs)
{
	for (uint32_t i = 0; i < network->element_count; i++) {
		struct pf_element *element = &network->elements[i];
		if (!element->open)
			continue;
		int64_t less = element->flow ? arcs[1].flow : 0;
		int64_t more = arcs[0].flow;
		arcs += element->flow ? 2 : 1;
		element->flow += more - less;
	}
}

int pf_network_settle(struct pf_network *network, int64_t penalty)
{
	int64_t *supply = malloc(network->node_count * sizeof(*supply));
	struct pf_mincost_arc *arcs = malloc(2 * (size_t)network->element_count * sizeof(*arcs));
	int result = -1;

	if (supply && arcs) {
		pf_network_imbalance(network, supply);
		uint32_t count = residual_arcs(network, arcs);
		result = pf_mincost_solve(network->node_count, supply, arcs, count, penalty);
		if (result == 0)
			apply(network, arcs);
	}
	free(supply);
	free(arcs);
	return result;
}
