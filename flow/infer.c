/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Count inference in stages: the network with its costs (network.c), the least-cost flow (mincost.c), sharing by
 * guesses where evidence is indifferent (rebalance.c), joining what no flow from ENTRY reaches (islands.c); above
 * the size limit propagation instead of the first two (propagate.c).
 *
 * Control that never returns is the hard case of conservation.  A block without successors drains: what enters it
 * ends there.  An infinite loop drains at the block of it that comes last in reverse post-order, whose count may
 * then exceed the sum of its outgoing edges.  Blocks that ENTRY does not reach get zero. */
#include "flow/infer.h"
#include "flow/network.h"

#define SOLVER_LIMIT 10000 /* blocks */

const struct pf_infer_costs pf_infer_default_costs = {
	.block_increase = 10,
	.block_decrease = 20,
	.entry_increase = 40,
	.entry_decrease = 10,
	.zero_increase = 11,
	.unknown_increase = 0,
	.edge_increase = 150,
	.edge_decrease = 150,
	.unknown_edge = 1,
	.unknown_fallthrough = 0,
	.certain_factor = 100,
	.unlikely = 1 << 30,
};

/* More than any way that only lowers counts can cost, so that all imbalance is served (zero flow always conserves). */
static int64_t penalty(const struct pf_network *network)
{
	int64_t highest = 1;

	for (uint32_t i = 0; i < network->element_count; i++)
		if (network->elements[i].decrease > highest)
			highest = network->elements[i].decrease;
	return highest * network->node_count + 1;
}

static int solve(struct pf_network *network)
{
	int result = pf_network_settle(network, penalty(network));

	return result ? result : pf_network_rebalance(network);
}

static void store(const struct pf_network *network, struct pf_graph *graph)
{
	for (uint32_t b = 0; b < graph->block_count; b++)
		graph->blocks[b].count = (uint64_t)network->elements[b].flow << network->shift;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		graph->edges[e].count = (uint64_t)network->elements[graph->block_count + e].flow << network->shift;
}

static uint64_t add_cost(uint64_t total, int64_t units, uint64_t cost, bool certain, uint32_t factor)
{
	uint64_t sum;

	if (__builtin_mul_overflow(cost, certain ? factor : 1, &cost) ||
	    __builtin_mul_overflow(cost, (uint64_t)units, &cost) || __builtin_add_overflow(total, cost, &sum))
		return UINT64_MAX;
	return sum;
}

/* The cost of departing from evidence, in the terms of the caller's costs; preferences do not count. */
static uint64_t evidence_cost(const struct pf_network *network)
{
	const struct pf_infer_costs *costs = network->costs;
	uint32_t block_count = network->graph->block_count;
	uint64_t total = 0;

	for (uint32_t i = 0; i < pf_network_return(network); i++) {
		const struct pf_element *element = &network->elements[i];
		int64_t more = element->flow - element->base;
		bool entry = i == network->graph->entry, certain = element->known == PF_CERTAIN;
		uint64_t cost;
		if (element->avoid)
			cost = costs->unlikely;
		else if (element->known == PF_UNKNOWN || (element->known == PF_AT_LEAST && more > 0))
			continue;
		else if (i >= block_count)
			cost = more > 0 ? costs->edge_increase : costs->edge_decrease;
		else if (entry)
			cost = more > 0 ? costs->entry_increase : costs->entry_decrease;
		else if (more > 0)
			cost = element->base ? costs->block_increase : costs->zero_increase;
		else
			cost = costs->block_decrease;
		total =
		    add_cost(total, more > 0 ? more : -more, cost, certain && !element->avoid, costs->certain_factor);
	}
	return total;
}

int pf_infer(struct pf_graph *graph, const struct pf_infer_costs *costs, struct pf_infer_result *result)
{
	struct pf_network network;
	struct pf_infer_result found = { 0 };
	int status;

	if (pf_network_init(&network, graph, costs ? costs : &pf_infer_default_costs))
		return -1;
	found.approximate = graph->block_count > SOLVER_LIMIT;
	status = found.approximate ? pf_network_propagate(&network) : solve(&network);
	if (status == 0)
		status = pf_network_join_islands(&network, &found.islands);
	if (status == 0) {
		found.cost = evidence_cost(&network);
		store(&network, graph);
	}
	pf_network_fini(&network);
	if (result && status == 0)
		*result = found;
	return status == 0 ? 0 : -1;
}
