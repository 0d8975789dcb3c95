/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow graph that all algorithms of this folder work on: pure data, no knowledge of compilers or files.
 *
 * Blocks are 0 .. block_count-1; ENTRY has no predecessors and EXIT no successors.  Edges are stored once, with
 * compressed adjacency both ways after pf_graph_finish.  The hard case is what callers bring: parallel edges, self
 * loops, unreachable blocks, infinite loops and blocks that never return (abnormal, exception and noreturn flow) are
 * all legal. */
#ifndef PF_FLOW_GRAPH_H
#define PF_FLOW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_known {
	PF_UNKNOWN = 0,  /* nothing was measured: any count costs little */
	PF_MEASURED = 1, /* count is a sampled estimate: changing it costs */
	PF_CERTAIN = 2,  /* count is known to hold: changing it costs much more */
	PF_AT_LEAST = 3, /* count is a part of what there is: lowering it costs as if measured, raising it little */
};

struct pf_graph_block {
	uint64_t count; /* in: the measured count; out: the inferred one */
	enum pf_known known;
	bool unlikely; /* the compiler says that it hardly ever runs (noreturn, cold, exception landing) */
};

struct pf_graph_edge {
	uint32_t from, to;
	uint64_t count; /* in: the measured count; out: the inferred one */
	enum pf_known known;
	bool unlikely; /* exception or abnormal flow, or leads to something unlikely */
	bool fallthrough;
	double guess; /* the compiler's own probability of taking it from FROM, 0..1; negative: none */
};

struct pf_graph {
	uint32_t block_count, edge_count, entry, exit;
	struct pf_graph_block *blocks;
	struct pf_graph_edge *edges;
	/* After pf_graph_finish: edge indices, those of block b at [first[b], first[b+1]). */
	uint32_t *out_first, *out_edges;
	uint32_t *in_first, *in_edges;
	size_t edge_capacity;
};

/* A graph of BLOCK_COUNT zeroed blocks, or NULL (out of memory, block_count 0, entry or exit out of range). */
struct pf_graph *pf_graph_alloc(uint32_t block_count, uint32_t entry, uint32_t exit);
void pf_graph_free(struct pf_graph *graph);

/* Appends an edge and returns its index (stable), or UINT32_MAX when out of memory or a block is out of range. */
uint32_t pf_graph_add_edge(struct pf_graph *graph, uint32_t from, uint32_t to);

/* Builds the adjacency; call once after the last edge.  0, or -1 when out of memory. */
int pf_graph_finish(struct pf_graph *graph);

#endif
