/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inference without a search for the least cost, for functions so large that it would take seconds.
 *
 * Unknown flows are estimated by the guesses.  Then all flows are smoothed: each node scales what enters and what
 * leaves it to the geometric mean of the two, so that noise averages out among neighbours and zeros stay zero.  What
 * is still wrong is small and of either sign: what one node has too much goes to the nearest that has too little.
 *
 * The hard case is input for which the nearest is far everywhere.  The rounds are limited; what is left after them is
 * made up for by flow from ENTRY and flow to an end, which only adds, and so is always possible. */
#include "flow/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define SMOOTHING_SWEEPS 64
#define ROUNDS 400
#define FLOW_LIMIT 0x1p45

struct propagation {
	struct pf_network *network;
	uint32_t *first_in, *list_in, *first_out, *list_out;
	double *value;     /* one an element */
	int64_t *excess;   /* one a node: what enters minus what leaves */
	int64_t *carried;  /* one a node: what goes through it, in the last stage */
	uint32_t *queue;   /* nodes, breadth first */
	uint32_t *through; /* the element by which a node was reached; NONE: it is a root */
	bool *seen;
};

static bool usable(const struct pf_network *network, uint32_t index)
{
	return network->order.position[network->elements[index].from / 2] != PF_ORDER_NONE;
}

static void release(struct propagation *p)
{
	free(p->first_in);
	free(p->list_in);
	free(p->first_out);
	free(p->list_out);
	free(p->value);
	free(p->excess);
	free(p->carried);
	free(p->queue);
	free(p->through);
	free(p->seen);
}

static int reserve(struct propagation *p)
{
	size_t nodes = (size_t)p->network->node_count + 2, elements = p->network->element_count;

	p->first_in = calloc(nodes, sizeof(*p->first_in));
	p->first_out = calloc(nodes, sizeof(*p->first_out));
	p->list_in = malloc(elements * sizeof(*p->list_in));
	p->list_out = malloc(elements * sizeof(*p->list_out));
	p->value = malloc(elements * sizeof(*p->value));
	p->excess = calloc(nodes, sizeof(*p->excess));
	p->carried = calloc(nodes, sizeof(*p->carried));
	p->queue = malloc(nodes * sizeof(*p->queue));
	p->through = malloc(nodes * sizeof(*p->through));
	p->seen = calloc(nodes, sizeof(*p->seen));
	return p->first_in && p->first_out && p->list_in && p->list_out && p->value && p->excess && p->carried &&
		       p->queue && p->through && p->seen
		   ? 0
		   : -1;
}

/* ---- smoothing -------------------------------------------------------------------------------------------- */

static double sum_of(const struct propagation *p, const uint32_t *list, uint32_t begin, uint32_t end)
{
	double sum = 0;

	for (uint32_t i = begin; i < end; i++)
		sum += p->value[list[i]];
	return sum;
}

static void scale(struct propagation *p, const uint32_t *list, uint32_t begin, uint32_t end, double factor)
{
	for (uint32_t i = begin; i < end; i++)
		p->value[list[i]] *= factor;
}

static void smooth_node(struct propagation *p, uint32_t node)
{
	double in = sum_of(p, p->list_in, p->first_in[node], p->first_in[node + 1]);
	double out = sum_of(p, p->list_out, p->first_out[node], p->first_out[node + 1]);

	if (in <= 0 || out <= 0)
		return;
	double factor = sqrt(in / out);
	scale(p, p->list_in, p->first_in[node], p->first_in[node + 1], 1 / factor);
	scale(p, p->list_out, p->first_out[node], p->first_out[node + 1], factor);
}

static void smooth(struct propagation *p)
{
	struct pf_network *network = p->network;
	const struct pf_order *order = &network->order;

	for (uint32_t i = 0; i < network->element_count; i++)
		p->value[i] = (double)network->elements[i].flow;
	for (uint32_t sweep = 0; sweep < SMOOTHING_SWEEPS; sweep++) {
		for (uint32_t i = 0; i < order->count; i++) {
			uint32_t block = order->blocks[sweep % 2 ? order->count - 1 - i : i];
			smooth_node(p, sweep % 2 ? pf_network_out(block) : pf_network_in(block));
			smooth_node(p, sweep % 2 ? pf_network_in(block) : pf_network_out(block));
		}
	}
	for (uint32_t i = 0; i < network->element_count; i++)
		network->elements[i].flow = llround(fmin(p->value[i], FLOW_LIMIT));
}

/* ---- nearest first ---------------------------------------------------------------------------------------- */

/* The other end of an element that NODE is one end of. */
static uint32_t other_end(const struct pf_element *element, uint32_t node)
{
	return element->to == node ? element->from : element->to;
}

static uint32_t enqueue(struct propagation *p, uint32_t node, uint32_t through, uint32_t length)
{
	if (p->seen[node])
		return length;
	p->seen[node] = true;
	p->through[node] = through;
	p->queue[length++] = node;
	return length;
}

/* Queues the nodes that can hand flow to NODE: by more on an element to it, or less on one from it. */
static uint32_t reach_back(struct propagation *p, uint32_t node, uint32_t length)
{
	const struct pf_element *elements = p->network->elements;

	for (uint32_t i = p->first_in[node]; i < p->first_in[node + 1]; i++)
		if (!elements[p->list_in[i]].avoid && usable(p->network, p->list_in[i]))
			length = enqueue(p, elements[p->list_in[i]].from, p->list_in[i], length);
	for (uint32_t i = p->first_out[node]; i < p->first_out[node + 1]; i++)
		if (elements[p->list_out[i]].flow)
			length = enqueue(p, elements[p->list_out[i]].to, p->list_out[i], length);
	return length;
}

/* Breadth first from all nodes that lack flow, so that every other learns its next step to the nearest. */
static uint32_t find_nearest(struct propagation *p)
{
	uint32_t length = 0;

	memset(p->seen, 0, p->network->node_count * sizeof(*p->seen));
	for (uint32_t v = 0; v < p->network->node_count; v++)
		if (p->excess[v] < 0)
			length = enqueue(p, v, NONE, length);
	for (uint32_t at = 0; at < length; at++)
		length = reach_back(p, p->queue[at], length);
	return length;
}

/* Hands the excess of NODE to its next step.  True if it moved any. */
static bool hand_on(struct propagation *p, uint32_t node)
{
	struct pf_element *element = p->through[node] == NONE ? NULL : &p->network->elements[p->through[node]];
	int64_t amount = p->excess[node];

	if (!element || amount <= 0)
		return false;
	bool less = element->to == node;
	if (less && element->flow < amount)
		amount = element->flow;
	element->flow += less ? -amount : amount;
	p->excess[node] -= amount;
	p->excess[other_end(element, node)] += amount;
	return amount > 0;
}

/* A round moves all excess to the nearest lack, the farthest first; what overshoots goes on in the next. */
static void match_nearest(struct propagation *p)
{
	bool moved = true;

	for (uint32_t round = 0; round < ROUNDS && moved; round++) {
		moved = false;
		for (uint32_t at = find_nearest(p); at-- > 0;)
			moved |= hand_on(p, p->queue[at]);
	}
}

/* ---- what is left ----------------------------------------------------------------------------------------- */

/* Extends the queue from its node number AT, forward or backward; elements to avoid are followed only if AVOIDED. */
static uint32_t visit(struct propagation *p, uint32_t at, uint32_t length, bool backward, bool avoided)
{
	const uint32_t *first = backward ? p->first_in : p->first_out;
	const uint32_t *list = backward ? p->list_in : p->list_out;
	uint32_t node = p->queue[at];

	for (uint32_t i = first[node]; i < first[node + 1]; i++) {
		const struct pf_element *element = &p->network->elements[list[i]];
		uint32_t next = backward ? element->from : element->to;
		if (!usable(p->network, list[i]) || (element->avoid && !avoided))
			continue;
		length = enqueue(p, next, list[i], length);
	}
	return length;
}

/* Breadth first from ENTRY, through elements to avoid only where nothing else leads.  Returns the nodes reached. */
static uint32_t walk(struct propagation *p, bool backward)
{
	uint32_t length = 1;

	memset(p->seen, 0, p->network->node_count * sizeof(*p->seen));
	p->queue[0] = pf_network_in(p->network->graph->entry);
	p->seen[p->queue[0]] = true;
	for (uint32_t at = 0; at < length; at++)
		length = visit(p, at, length, backward, false);
	for (uint32_t at = 0; at < length; at++)
		length = visit(p, at, length, backward, true);
	return length;
}

/* Sends what nodes have too much along ways that end (BACKWARD), or brings what they lack, the farthest first. */
static void add_flow(struct propagation *p, bool backward)
{
	int64_t *carried = p->carried;

	for (uint32_t v = 0; v < p->network->node_count; v++)
		carried[v] = (p->excess[v] > 0) == backward ? llabs(p->excess[v]) : 0;
	for (uint32_t at = walk(p, backward); at-- > 1;) {
		uint32_t node = p->queue[at];
		struct pf_element *element = &p->network->elements[p->through[node]];
		element->flow += carried[node];
		carried[other_end(element, node)] += carried[node];
	}
}

int pf_network_propagate(struct pf_network *network)
{
	struct propagation p = { .network = network };
	int result = pf_network_estimate(network);

	if (result == 0)
		result = reserve(&p);
	if (result == 0) {
		pf_network_index(network, false, p.first_in, p.list_in);
		pf_network_index(network, true, p.first_out, p.list_out);
		smooth(&p);
		pf_network_imbalance(network, p.excess);
		match_nearest(&p);
		add_flow(&p, true);
		add_flow(&p, false);
	}
	release(&p);
	return result;
}
