/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network simplex method (Dantzig; Ahuja, Magnanti and Orlin, "Network Flows", chapter 11), chosen because its
 * work does not depend on the size of the counts, which reach 2^40.
 *
 * A basis is a spanning tree over the nodes and one artificial root.  A pivot takes an arc with negative reduced
 * cost into the tree, pushes flow around the cycle that this closes, and drops the arc that blocks.  The hard case
 * is degeneracy: inference starts from flows that are nearly right, so most pivots move little or nothing.  Cycling
 * is excluded by keeping the tree strongly feasible (Cunningham): of several blocking arcs the last one is dropped,
 * seen along the cycle's direction from its apex. */
#include "flow/mincost.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define BLOCK_MINIMUM 32

enum { UPPER = -1, TREE = 0, LOWER = 1 };

/* What the search for an entering arc reads; flows and capacities lie apart. */
struct priced {
	uint32_t from, to;
	int64_t cost;
};

struct node {
	uint32_t parent, pred;                /* pred: the tree arc to the parent */
	uint32_t first_child, next, previous; /* the tree, as linked lists of children */
	uint32_t depth;
	bool up; /* pred leads from this node to its parent */
};

struct simplex {
	uint32_t node_count; /* without the root, whose index this is */
	uint32_t arc_count;  /* real arcs; node_count artificial ones follow */
	struct priced *arcs;
	int64_t *capacity, *flow;
	int8_t *state;
	struct node *nodes;
	int64_t *potential;
	uint32_t scan, block; /* where the search goes on, and how many arcs it looks at in one go */
};

/* The cycle that an entering arc closes, and what blocks it. */
struct cycle {
	uint32_t entering, join;
	uint32_t first, second; /* the flow is pushed from FIRST to SECOND along the entering arc */
	uint32_t leaving;       /* the node whose pred blocks, or NONE: the entering arc itself does */
	bool on_first_side;
	int64_t amount;
};

static void release(struct simplex *s)
{
	free(s->arcs);
	free(s->capacity);
	free(s->flow);
	free(s->state);
	free(s->nodes);
	free(s->potential);
}

static int reserve(struct simplex *s)
{
	size_t arcs = (size_t)s->arc_count + s->node_count, nodes = (size_t)s->node_count + 1;

	s->arcs = malloc((arcs + 1) * sizeof(*s->arcs));
	s->capacity = malloc((arcs + 1) * sizeof(*s->capacity));
	s->flow = calloc(arcs + 1, sizeof(*s->flow));
	s->state = malloc(arcs + 1);
	s->nodes = malloc(nodes * sizeof(*s->nodes));
	s->potential = calloc(nodes, sizeof(*s->potential));
	return s->arcs && s->capacity && s->flow && s->state && s->nodes && s->potential ? 0 : -1;
}

static void attach(struct simplex *s, uint32_t child, uint32_t parent, uint32_t pred, bool up)
{
	struct node *node = &s->nodes[child];

	node->parent = parent;
	node->pred = pred;
	node->up = up;
	node->previous = NONE;
	node->next = s->nodes[parent].first_child;
	if (node->next != NONE)
		s->nodes[node->next].previous = child;
	s->nodes[parent].first_child = child;
}

static void detach(struct simplex *s, uint32_t child)
{
	struct node *node = &s->nodes[child];

	if (node->previous != NONE)
		s->nodes[node->previous].next = node->next;
	else
		s->nodes[node->parent].first_child = node->next;
	if (node->next != NONE)
		s->nodes[node->next].previous = node->previous;
}

/* One artificial arc for each node: to the root where there is a supply or nothing, from it where there is a demand.
 * So an empty arc always leads up, which is the strong feasibility that pivots then keep. */
static void plant(struct simplex *s, const int64_t *supply, int64_t penalty)
{
	uint32_t root = s->node_count;

	s->nodes[root] =
	    (struct node) { .parent = NONE, .pred = NONE, .first_child = NONE, .next = NONE, .previous = NONE };
	for (uint32_t v = 0; v < root; v++) {
		uint32_t arc = s->arc_count + v;
		bool up = supply[v] >= 0;
		s->arcs[arc] = (struct priced) { up ? v : root, up ? root : v, up ? 0 : penalty };
		s->capacity[arc] = PF_MINCOST_UNBOUNDED;
		s->flow[arc] = up ? supply[v] : -supply[v];
		s->state[arc] = TREE;
		s->potential[v] = up ? 0 : penalty;
		s->nodes[v].first_child = NONE;
		s->nodes[v].depth = 1;
		attach(s, v, root, arc, up);
	}
}

static int64_t reduced_cost(const struct simplex *s, uint32_t arc)
{
	const struct priced *a = &s->arcs[arc];

	return a->cost + s->potential[a->from] - s->potential[a->to];
}

/* Block search: the best arc of the first block of arcs that holds any candidate. */
static uint32_t find_entering(struct simplex *s)
{
	uint32_t best = NONE, left = s->block;
	int64_t lowest = 0;

	for (uint32_t seen = 0; seen < s->arc_count; seen++) {
		int64_t cost = s->state[s->scan] * reduced_cost(s, s->scan);
		if (cost < lowest) {
			lowest = cost;
			best = s->scan;
		}
		if (++s->scan == s->arc_count)
			s->scan = 0;
		if (--left == 0) {
			if (best != NONE)
				return best;
			left = s->block;
		}
	}
	return best;
}

static uint32_t find_join(const struct simplex *s, uint32_t u, uint32_t v)
{
	while (u != v) {
		if (s->nodes[u].depth >= s->nodes[v].depth)
			u = s->nodes[u].parent;
		else
			v = s->nodes[v].parent;
	}
	return u;
}

/* How much more fits on the tree arc of NODE when flow runs to the parent (UPWARD) or from it. */
static int64_t room(const struct simplex *s, uint32_t node, bool upward)
{
	uint32_t arc = s->nodes[node].pred;

	if (s->nodes[node].up != upward)
		return s->flow[arc];
	return s->capacity[arc] == PF_MINCOST_UNBOUNDED ? PF_MINCOST_UNBOUNDED : s->capacity[arc] - s->flow[arc];
}

static struct cycle close_cycle(const struct simplex *s, uint32_t entering)
{
	const struct priced *arc = &s->arcs[entering];
	bool forward = s->state[entering] == LOWER;
	struct cycle c = { .entering = entering, .leaving = NONE, .amount = s->capacity[entering] };

	c.first = forward ? arc->from : arc->to;
	c.second = forward ? arc->to : arc->from;
	c.join = find_join(s, c.first, c.second);
	for (uint32_t u = c.first; u != c.join; u = s->nodes[u].parent) {
		int64_t amount = room(s, u, false);
		if (amount < c.amount) {
			c.amount = amount;
			c.leaving = u;
			c.on_first_side = true;
		}
	}
	for (uint32_t u = c.second; u != c.join; u = s->nodes[u].parent) {
		int64_t amount = room(s, u, true);
		if (amount <= c.amount) {
			c.amount = amount;
			c.leaving = u;
			c.on_first_side = false;
		}
	}
	return c;
}

static void push(struct simplex *s, const struct cycle *c)
{
	if (c->amount == 0)
		return;
	s->flow[c->entering] += s->state[c->entering] * c->amount;
	for (uint32_t u = c->first; u != c->join; u = s->nodes[u].parent)
		s->flow[s->nodes[u].pred] += s->nodes[u].up ? -c->amount : c->amount;
	for (uint32_t u = c->second; u != c->join; u = s->nodes[u].parent)
		s->flow[s->nodes[u].pred] += s->nodes[u].up ? c->amount : -c->amount;
}

/* Turns round the tree path from TOP, which gets a new parent through arc PRED, to the node that lost its own. */
static void rehang(struct simplex *s, uint32_t top, uint32_t parent, uint32_t pred, uint32_t last)
{
	bool up = s->arcs[pred].from == top;

	for (uint32_t node = top;;) {
		struct node old = s->nodes[node];
		detach(s, node);
		attach(s, node, parent, pred, up);
		if (node == last)
			return;
		parent = node;
		pred = old.pred;
		up = !old.up;
		node = old.parent;
	}
}

/* Depths and potentials below TOP after it was hung elsewhere. */
static void reprice(struct simplex *s, uint32_t top)
{
	const struct node *node = &s->nodes[top];
	int64_t cost = s->arcs[node->pred].cost;
	int64_t change = s->potential[node->parent] + (node->up ? -cost : cost) - s->potential[top];

	for (uint32_t u = top;;) {
		s->potential[u] += change;
		s->nodes[u].depth = s->nodes[s->nodes[u].parent].depth + 1;
		if (s->nodes[u].first_child != NONE) {
			u = s->nodes[u].first_child;
			continue;
		}
		while (u != top && s->nodes[u].next == NONE)
			u = s->nodes[u].parent;
		if (u == top)
			return;
		u = s->nodes[u].next;
	}
}

static void pivot(struct simplex *s, uint32_t entering)
{
	struct cycle c = close_cycle(s, entering);

	assert(c.amount != PF_MINCOST_UNBOUNDED);
	push(s, &c);
	if (c.leaving == NONE) {
		s->state[entering] = -s->state[entering];
		return;
	}
	uint32_t dropped = s->nodes[c.leaving].pred;
	s->state[entering] = TREE;
	s->state[dropped] = s->flow[dropped] == 0 ? LOWER : UPPER;
	uint32_t top = c.on_first_side ? c.first : c.second;
	rehang(s, top, c.on_first_side ? c.second : c.first, entering, c.leaving);
	reprice(s, top);
}

static void load_arcs(struct simplex *s, const struct pf_mincost_arc *arcs)
{
	for (uint32_t i = 0; i < s->arc_count; i++) {
		s->arcs[i] = (struct priced) { arcs[i].from, arcs[i].to, arcs[i].cost };
		s->capacity[i] = arcs[i].capacity;
		s->state[i] = LOWER;
	}
	s->block = BLOCK_MINIMUM;
	while ((uint64_t)s->block * s->block < s->arc_count)
		s->block++;
}

/* Writes the flows back; 1 if an artificial arc still carries some. */
static int store_arcs(const struct simplex *s, struct pf_mincost_arc *arcs)
{
	for (uint32_t i = 0; i < s->arc_count; i++)
		arcs[i].flow = s->flow[i];
	for (uint32_t v = 0; v < s->node_count; v++)
		if (s->flow[s->arc_count + v])
			return 1;
	return 0;
}

int pf_mincost_solve(uint32_t node_count, const int64_t *supply, struct pf_mincost_arc *arcs, uint32_t arc_count,
		     int64_t penalty)
{
	struct simplex s = { .node_count = node_count, .arc_count = arc_count };
	int result = -1;

	if (arc_count <= UINT32_MAX - node_count && reserve(&s) == 0) {
		load_arcs(&s, arcs);
		plant(&s, supply, penalty);
		for (uint32_t arc = find_entering(&s); arc != NONE; arc = find_entering(&s))
			pivot(&s, arc);
		result = store_arcs(&s, arcs);
	}
	release(&s);
	return result;
}
