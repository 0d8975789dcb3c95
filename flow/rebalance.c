/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sharing flow by guesses where the evidence is indifferent.
 *
 * A linear program puts all flow on one way of an unknown diamond and none on the other: a wrong zero.  So, after
 * the least-cost flow is found, measured counts stay as they are, and flow is shared anew among the unknown elements.
 * Wanted is the random walk by the guesses, conditioned on what was measured: the flow of relative entropy nearest to
 * the guesses (a Schroedinger bridge), in which an edge takes the share guess * pull(head) / pull(tail), and the pull
 * of a node is the mean pull of what it leads to.  It is found by sweeps (iterative proportional fitting; Deming and
 * Stephan 1940): forward, flow is passed on by these shares, which alone is the usual propagation of branch
 * probabilities, and measured counts that got too little pull harder; backward, pulls are made known upstream.
 *
 * The hard case is exactness: the result is rounded, and where demand and guesses contradict each other it converges
 * slowly or not at all.  A second least-cost flow, which prefers small relative changes, repairs the rest. */
#include "flow/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_BUDGET 3000000 /* visits of open elements and their nodes */
#define SWEEPS_MINIMUM 16
#define SWEEPS_MAXIMUM 1000
#define TOLERANCE 1e-6
#define PULL_LIMIT 1e60
#define FLOW_LIMIT 0x1p55
#define RELATIVE_COST_LIMIT (1 << 20)

struct rebalance {
	struct pf_network *network;
	uint32_t *degree_in, *degree_out; /* open elements at each node */
	int64_t *sum_in, *sum_out;        /* their flow */
	uint32_t *active, active_count;   /* nodes with open elements, in reverse post-order of their blocks */
	uint32_t *first_in, *list_in, *first_out, *list_out;
	double *value, *sink; /* one an element: its flow; the pull of a closed element */
	double limit;         /* pulls stay between its inverse and it; 1: demand is not looked at */
	double *fixed, *pull; /* one a node: what closed elements bring; how much more it gets than guessed */
};

static void release(struct rebalance *r)
{
	free(r->degree_in);
	free(r->degree_out);
	free(r->sum_in);
	free(r->sum_out);
	free(r->active);
	free(r->first_in);
	free(r->list_in);
	free(r->first_out);
	free(r->list_out);
	free(r->value);
	free(r->fixed);
	free(r->pull);
	free(r->sink);
}

static int reserve(struct rebalance *r)
{
	size_t nodes = (size_t)r->network->node_count + 2, elements = r->network->element_count;

	r->degree_in = calloc(nodes, sizeof(*r->degree_in));
	r->degree_out = calloc(nodes, sizeof(*r->degree_out));
	r->sum_in = calloc(nodes, sizeof(*r->sum_in));
	r->sum_out = calloc(nodes, sizeof(*r->sum_out));
	r->active = malloc(nodes * sizeof(*r->active));
	r->first_in = calloc(nodes, sizeof(*r->first_in));
	r->first_out = calloc(nodes, sizeof(*r->first_out));
	r->list_in = malloc(elements * sizeof(*r->list_in));
	r->list_out = malloc(elements * sizeof(*r->list_out));
	r->value = calloc(elements, sizeof(*r->value));
	r->fixed = calloc(nodes, sizeof(*r->fixed));
	r->pull = calloc(nodes, sizeof(*r->pull));
	r->sink = calloc(elements, sizeof(*r->sink));
	return r->degree_in && r->degree_out && r->sum_in && r->sum_out && r->active && r->first_in && r->first_out &&
		       r->list_in && r->list_out && r->value && r->fixed && r->pull && r->sink
		   ? 0
		   : -1;
}

/* ---- what is open ----------------------------------------------------------------------------------------- */

static void open_unknown(struct pf_network *network)
{
	for (uint32_t i = 0; i < network->element_count; i++) {
		struct pf_element *element = &network->elements[i];
		element->open = element->open && element->known == PF_UNKNOWN && !element->avoid && !element->endless;
	}
}

static void count_open(struct rebalance *r)
{
	for (uint32_t i = 0; i < r->network->element_count; i++) {
		const struct pf_element *element = &r->network->elements[i];
		if (!element->open)
			continue;
		r->degree_out[element->from]++;
		r->degree_in[element->to]++;
		r->sum_out[element->from] += element->flow;
		r->sum_in[element->to] += element->flow;
	}
}

/* True if conservation alone decides the open elements of NODE: there is but one, or all of them must be zero. */
static bool decided(const struct rebalance *r, uint32_t node)
{
	uint32_t in = r->degree_in[node], out = r->degree_out[node];

	return in + out == 1 || (in == 0 && out && r->sum_out[node] == 0) || (out == 0 && in && r->sum_in[node] == 0);
}

static void close_element(struct rebalance *r, uint32_t index)
{
	struct pf_element *element = &r->network->elements[index];

	element->open = false;
	r->degree_out[element->from]--;
	r->degree_in[element->to]--;
	r->sum_out[element->from] -= element->flow;
	r->sum_in[element->to] -= element->flow;
}

/* Closes the open elements of NODE; the nodes at their other ends go on STACK. */
static uint32_t close_node(struct rebalance *r, uint32_t node, uint32_t *stack, uint32_t depth)
{
	for (uint32_t i = r->first_out[node]; i < r->first_out[node + 1]; i++) {
		if (!r->network->elements[r->list_out[i]].open)
			continue;
		close_element(r, r->list_out[i]);
		stack[depth++] = r->network->elements[r->list_out[i]].to;
	}
	for (uint32_t i = r->first_in[node]; i < r->first_in[node + 1]; i++) {
		if (!r->network->elements[r->list_in[i]].open)
			continue;
		close_element(r, r->list_in[i]);
		stack[depth++] = r->network->elements[r->list_in[i]].from;
	}
	return depth;
}

/* Peels off what conservation decides, so that sweeps and repair see only what is really open. */
static int close_decided(struct rebalance *r)
{
	uint32_t *stack = malloc(((size_t)r->network->element_count + r->network->node_count) * sizeof(*stack));
	uint32_t depth = 0;

	if (!stack)
		return -1;
	for (uint32_t v = r->network->node_count; v-- > 0;)
		stack[depth++] = v;
	while (depth) {
		uint32_t node = stack[--depth];
		if (decided(r, node))
			depth = close_node(r, node, stack, depth);
	}
	free(stack);
	return 0;
}

/* ---- sweeps ----------------------------------------------------------------------------------------------- */

/* fmax and fmin are calls on this target, and this is the inner loop. */
static double higher(double a, double b)
{
	return a > b ? a : b;
}

static double bounded(const struct rebalance *r, double pull)
{
	return pull < 1 / r->limit ? 1 / r->limit : pull > r->limit ? r->limit : pull;
}

/* What arrives at NODE: as measured along closed elements, as swept along open ones. */
static double flow_into(const struct rebalance *r, uint32_t node)
{
	double sum = r->fixed[node];

	for (uint32_t i = r->first_in[node]; i < r->first_in[node + 1]; i++)
		if (r->network->elements[r->list_in[i]].open)
			sum += r->value[r->list_in[i]];
	return sum;
}

/* Share of an element in what leaves its node, before division by the sum of these over the node.  A closed element
 * is a sink with a pull of its own, so that its guess still says how much passes by it. */
static double attraction(const struct rebalance *r, uint32_t index)
{
	const struct pf_element *element = &r->network->elements[index];

	return element->guess * (element->open ? r->pull[element->to] : r->sink[index]);
}

/* Gives an element its share.  Returns by how much it changed, or missed what it has to be, relative to the flow. */
static double assign(struct rebalance *r, uint32_t index, double share)
{
	const struct pf_element *element = &r->network->elements[index];
	double before = r->value[index], wanted = (double)element->flow;

	r->value[index] = share;
	if (element->open)
		return fabs(share - before) / higher(share, 1);
	if (share > 0)
		r->sink[index] = bounded(r, r->sink[index] * wanted / share);
	return fabs(share - wanted) / higher(wanted, 1);
}

/* Passes on what arrives at NODE. */
static double deliver(struct rebalance *r, uint32_t node)
{
	double arrived = flow_into(r, node), total = 0, change = 0;

	for (uint32_t i = r->first_out[node]; i < r->first_out[node + 1]; i++)
		total += attraction(r, r->list_out[i]);
	for (uint32_t i = r->first_out[node]; i < r->first_out[node + 1]; i++) {
		uint32_t index = r->list_out[i];
		change = higher(change, assign(r, index, arrived * (attraction(r, index) / total)));
	}
	return change;
}

/* How hard NODE pulls: the mean of what it leads to, weighted by guesses. */
static void update_pull(struct rebalance *r, uint32_t node)
{
	double sum = 0;

	for (uint32_t i = r->first_out[node]; i < r->first_out[node + 1]; i++)
		sum += attraction(r, r->list_out[i]);
	r->pull[node] = bounded(r, sum);
}

static double sweep(struct rebalance *r)
{
	double change = 0;

	for (uint32_t i = 0; i < r->active_count; i++)
		change = higher(change, deliver(r, r->active[i]));
	for (uint32_t i = r->active_count; i-- > 0;)
		update_pull(r, r->active[i]);
	return change;
}

static void list_active(struct rebalance *r)
{
	const struct pf_order *order = &r->network->order;

	for (uint32_t i = 0; i < 2 * order->count; i++) {
		uint32_t node = i % 2 ? pf_network_out(order->blocks[i / 2]) : pf_network_in(order->blocks[i / 2]);
		if (r->degree_in[node] + r->degree_out[node])
			r->active[r->active_count++] = node;
	}
}

static void start_values(struct rebalance *r)
{
	for (uint32_t v = 0; v < r->network->node_count; v++)
		r->pull[v] = 1;
	for (uint32_t i = 0; i < r->network->element_count; i++) {
		r->sink[i] = 1;
		if (!r->network->elements[i].open)
			r->fixed[r->network->elements[i].to] += (double)r->network->elements[i].flow;
	}
}

static void run_sweeps(struct rebalance *r, uint32_t open_count)
{
	uint32_t sweeps = SWEEP_BUDGET / (open_count + r->active_count);

	if (sweeps > SWEEPS_MAXIMUM)
		sweeps = SWEEPS_MAXIMUM;
	if (sweeps < SWEEPS_MINIMUM)
		sweeps = SWEEPS_MINIMUM;
	list_active(r);
	start_values(r);
	while (sweeps-- && sweep(r) > TOLERANCE)
		;
}

/* ---- exactness -------------------------------------------------------------------------------------------- */

/* Takes the values as flows; changing a large one is cheaper than changing a small one. */
static void set_targets(struct rebalance *r)
{
	double highest = 1;

	for (uint32_t i = 0; i < r->network->element_count; i++)
		highest = fmax(highest, r->value[i]);
	for (uint32_t i = 0; i < r->network->element_count; i++) {
		struct pf_element *element = &r->network->elements[i];
		if (!element->open)
			continue;
		element->flow = llround(fmin(r->value[i], FLOW_LIMIT));
		double cost = 1 + highest / (r->value[i] + 1);
		element->increase = cost < RELATIVE_COST_LIMIT ? (int64_t)cost : RELATIVE_COST_LIMIT;
		element->decrease = 2 * element->increase;
	}
}

static int make_exact(struct rebalance *r)
{
	struct pf_network *network = r->network;
	int64_t *before = malloc(network->element_count * sizeof(*before));

	if (!before)
		return -1;
	for (uint32_t i = 0; i < network->element_count; i++)
		before[i] = network->elements[i].flow;
	set_targets(r);
	int result = pf_network_settle(network, 2 * (int64_t)RELATIVE_COST_LIMIT * network->node_count + 1);
	for (uint32_t i = 0; result && i < network->element_count; i++)
		network->elements[i].flow = before[i];
	free(before);
	return result < 0 ? -1 : 0;
}

static uint32_t count_elements(const struct pf_network *network)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < network->element_count; i++)
		count += network->elements[i].open;
	return count;
}

/* Opens what is unknown and indexes it; R is to be released either way. */
static int prepare(struct rebalance *r, struct pf_network *network, double limit)
{
	r->limit = limit;
	r->network = network;
	open_unknown(network);
	if (reserve(r))
		return -1;
	pf_network_index(network, false, r->first_in, r->list_in);
	pf_network_index(network, true, r->first_out, r->list_out);
	count_open(r);
	return 0;
}

int pf_network_rebalance(struct pf_network *network)
{
	struct rebalance r = { 0 };
	int result = prepare(&r, network, PULL_LIMIT);

	if (result == 0)
		result = close_decided(&r);
	uint32_t open_count = count_elements(network);
	if (result == 0 && open_count) {
		run_sweeps(&r, open_count);
		result = make_exact(&r);
	}
	release(&r);
	return result;
}

int pf_network_estimate(struct pf_network *network)
{
	struct rebalance r = { 0 };
	int result = prepare(&r, network, 1); /* demand that contradicts itself would pull without end */

	if (result == 0) {
		run_sweeps(&r, count_elements(network) + 1);
		for (uint32_t i = 0; i < network->element_count; i++)
			if (network->elements[i].open)
				network->elements[i].flow = llround(fmin(r.value[i], FLOW_LIMIT));
	}
	release(&r);
	return result;
}
