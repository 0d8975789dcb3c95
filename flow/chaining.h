/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains: an order of things is made by joining sequences of them, the pair that gains most first.  What a join gains
 * is the business of the objective: blocks of a function (exttsp.h) or functions of a program (fnorder.h). */
#ifndef PF_FLOW_CHAINING_H
#define PF_FLOW_CHAINING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_CHAINING_NONE UINT32_MAX

/* Control passes from one node to another so often. */
struct pf_arc {
	uint32_t from, to;
	uint64_t count;
	bool only; /* FROM goes on nowhere else */
};

/* How chains X and Y become one; X1 and X2 are the parts of X before and from SPLIT on. */
enum pf_joint {
	PF_JOINT_X_Y,
	PF_JOINT_X1_Y_X2,
	PF_JOINT_Y_X2_X1,
	PF_JOINT_X2_X1_Y,
};

struct pf_join {
	double gain; /* of the score; a join of no gain is not made */
	enum pf_joint how;
	uint32_t x, y; /* chains */
	uint32_t split;
};

struct pf_chain {
	uint32_t *nodes; /* in their order; NULL: it has become part of another */
	uint32_t count;
	uint64_t size, weight;        /* sums of its nodes' */
	uint32_t first_arc, last_arc; /* arcs within it, linked by NEXT_ARC */
	uint32_t *links;              /* to chains that arcs connect it with */
	uint32_t link_count;
	size_t link_capacity;
};

/* Two chains that arcs connect, and what joining them gains. */
struct pf_chain_link {
	uint32_t a, b;
	uint32_t first_arc, last_arc; /* arcs between them, either way, linked by NEXT_ARC */
	uint32_t heap_at;
	struct pf_join join;
};

struct pf_chaining {
	uint32_t node_count, arc_count, link_count;
	const uint64_t *sizes;
	const struct pf_arc *arcs;
	uint32_t *next_arc;
	uint32_t *chain_of; /* of each node; chains bear the number of one of their nodes */
	uint64_t *address;  /* of each node, for an objective that tries orders */
	struct pf_chain *chains;
	struct pf_chain_link *links;
	uint32_t *heap, heap_count;
	uint32_t *link_with; /* scratch: the link of one chain with each other */
	uint64_t judged;     /* arcs that judgements have looked at, to show how the work grows */
	/* The best join of chains A and B, with ARC the first of those between them. */
	struct pf_join (*judge)(struct pf_chaining *chaining, uint32_t a, uint32_t b, uint32_t arc);
	void *objective;
};

/* Makes a chain of each node; SIZES, WEIGHTS (NULL: none) and ARCS have the nodes' sizes and weights and what connects
 * them.  JUDGE and OBJECTIVE are set by the caller next.  SIZES and ARCS must outlive it.  0, or -1 when out of memory
 * (and then there is nothing to release). */
int pf_chaining_init(struct pf_chaining *chaining, uint32_t node_count, const uint64_t *sizes, const uint64_t *weights,
		     const struct pf_arc *arcs, uint32_t arc_count);
void pf_chaining_fini(struct pf_chaining *chaining);

/* Joins chains, the pair that gains most first, until nothing gains; of equal gains the link of the lower number is
 * taken.  0, or -1 when out of memory. */
int pf_chaining_run(struct pf_chaining *chaining);

/* Gives NODES' sequence from FIRST to before END addresses from ADDRESS on, and returns the address behind it. */
uint64_t pf_chaining_place(struct pf_chaining *chaining, const uint32_t *nodes, uint32_t first, uint32_t end,
			   uint64_t address);

#define PF_CHAINING_NO_HEAD UINT32_MAX

/* Writes all nodes to ORDER (of node_count), chain by chain: first that of the node HEAD (PF_CHAINING_NO_HEAD: none),
 * then the others by their density, weight by size; of equal ones that with the lower first node.  0, or -1 when out of
 * memory. */
int pf_chaining_order(const struct pf_chaining *chaining, uint32_t head, uint32_t *order);

/* The address of each node when all lie in ORDER from 0 on, for free(); NULL when out of memory. */
uint64_t *pf_chaining_addresses(uint32_t node_count, const uint64_t *sizes, const uint32_t *order);

#endif
