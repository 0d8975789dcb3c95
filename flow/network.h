/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The circulation that count inference works on; shared by its stages, of no use outside of flow/.
 *
 * Each block becomes two nodes, where it is entered and where it is left.  An element carries flow from one node to
 * another: a block from its first node to its second, an edge from one block to the next, the return element from
 * EXIT back to ENTRY, and a drain from a block that control does not leave along any edge back to ENTRY. */
#ifndef PF_FLOW_NETWORK_H
#define PF_FLOW_NETWORK_H

#include "flow/infer.h"
#include "flow/order.h"

struct pf_element {
	uint32_t from, to; /* nodes */
	enum pf_known known;
	bool open;                  /* may be moved in the stage that runs */
	bool avoid;                 /* unlikely without evidence to the contrary: flow is kept out if at all possible */
	bool endless;               /* the drain of an infinite loop */
	int64_t base;               /* what was measured, scaled; 0 if unknown */
	int64_t flow;               /* what holds now */
	int64_t increase, decrease; /* cost of a unit for pf_network_settle */
	double guess; /* share of the flow that leaves its first node, in ]0, 1]; the guesses of a node add up to 1 */
};

/* Elements are ordered: one a block, one an edge, the return element, the drains. */
struct pf_network {
	const struct pf_graph *graph;
	const struct pf_infer_costs *costs;
	struct pf_order order; /* what ENTRY reaches; the rest carries no flow */
	uint32_t node_count, element_count;
	struct pf_element *elements;
	unsigned shift; /* counts were divided by 2^shift to stay within 64-bit sums */
	uint64_t scale; /* lexicographic weight of evidence over preference */
};

static inline uint32_t pf_network_in(uint32_t block)
{
	return 2 * block;
}

static inline uint32_t pf_network_out(uint32_t block)
{
	return 2 * block + 1;
}

static inline uint32_t pf_network_return(const struct pf_network *network)
{
	return network->graph->block_count + network->graph->edge_count;
}

/* Sets the network up with flow = base, all that ENTRY reaches open, and the costs of the first stage.
 * 0, or -1 when out of memory, in which case nothing is left to release. */
int pf_network_init(struct pf_network *network, const struct pf_graph *graph, const struct pf_infer_costs *costs);
void pf_network_fini(struct pf_network *network);

/* Changes the flows of open elements at the least cost until every node passes on what it receives.  PENALTY as for
 * pf_mincost_solve.  0; 1 when the open elements cannot do it (flows as before); -1 when out of memory. */
int pf_network_settle(struct pf_network *network, int64_t penalty);

/* What is added to each node minus what leaves it; IMBALANCE has node_count entries. */
void pf_network_imbalance(const struct pf_network *network, int64_t *imbalance);

/* Compressed lists of the elements that leave (OUT) or enter each node: those of node v are LIST[FIRST[v]] up to
 * LIST[FIRST[v + 1]].  FIRST has node_count + 2 zeroed entries, LIST element_count. */
void pf_network_index(const struct pf_network *network, bool out, uint32_t *first, uint32_t *list);

/* infer.c's later stages, in files of their own.  0, or -1 when out of memory. */

/* Shares flow among unknown elements by their guesses wherever the evidence leaves that open. */
int pf_network_rebalance(struct pf_network *network);

/* Sets the flow of unknown elements to what the guesses make of the measured ones, without conserving it; leaves
 * open what is unknown. */
int pf_network_estimate(struct pf_network *network);

/* Connects hot regions that no flow from ENTRY reaches by one unit each; their number is added to ISLANDS. */
int pf_network_join_islands(struct pf_network *network, uint32_t *islands);

/* Estimates and makes exact, without any search for the least cost, for graphs above the size limit. */
int pf_network_propagate(struct pf_network *network);

#endif
