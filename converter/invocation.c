/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See invocation.h.  A call sets the caller's sequence aside, the return takes it up again, so that a path runs
 * through the calls it makes.  It is cut where it is long, at a jump backwards if there is one, so that turns of a loop
 * are the same sequence; what follows a cut begins with what ran in front of it.  The hard case is a burst that starts
 * deep inside calls: a return with no known caller begins a fresh sequence. */
#include "converter/invocation.h"

static void forget(struct pf_invocation *open)
{
	open->count = open->past = 0;
}

void pf_invocations_start(struct pf_invocations *v, struct pf_traffic *t)
{
	v->traffic = t;
	v->weight = 0;
	v->depth = 0;
	forget(&v->stack[0]);
}

static int flush(struct pf_invocations *v, uint32_t level)
{
	struct pf_invocation *open = &v->stack[level];
	int status = PF_OK;

	if (open->count > open->past)
		status = pf_traffic_sequence(v->traffic, open->edges, open->count, open->past, v->weight);
	forget(open);
	return status;
}

/* Counts the open sequence, and begins the next of the same invocation with its end. */
static int cut(struct pf_invocations *v)
{
	struct pf_invocation *open = &v->stack[v->depth];
	uint32_t count = open->count, past = count < PF_SEQUENCE_PAST ? count : PF_SEQUENCE_PAST;
	int status = flush(v, v->depth);

	memmove(open->edges, open->edges + count - past, past * sizeof *open->edges);
	open->count = open->past = past;
	return status;
}

static int enter(struct pf_invocations *v)
{
	int status = PF_OK;

	if (v->depth + 1 == PF_INVOCATION_DEPTH) {
		status = flush(v, 0);
		memmove(&v->stack[0], &v->stack[1], sizeof v->stack[0] * v->depth);
	} else {
		v->depth++;
	}
	forget(&v->stack[v->depth]);
	return status;
}

static int leave(struct pf_invocations *v)
{
	int status = flush(v, v->depth);

	if (v->depth > 0)
		v->depth--;
	return status;
}

int pf_invocations_edge(struct pf_invocations *v, uint32_t edge, uint8_t kind, uint64_t weight)
{
	const struct pf_traffic_edge *e = &v->traffic->edges.at[edge];
	struct pf_invocation *open = &v->stack[v->depth];
	int status = PF_OK;

	v->weight = weight;
	open->edges[open->count++] = edge;
	switch (kind) {
	case PF_EDGE_CALL:
	case PF_EDGE_INDIRECT_CALL:
		if (open->count == PF_SEQUENCE_LENGTH)
			status = cut(v);
		return status < 0 ? status : enter(v);
	case PF_EDGE_RETURN:
		return leave(v);
	default:
		if (e->from_module != e->to_module)
			return flush(v, v->depth);
		if (open->count == PF_SEQUENCE_LENGTH ||
		    (e->to <= e->from && open->count - open->past >= PF_SEQUENCE_TURN))
			status = cut(v);
		return status;
	}
}

int pf_invocations_end(struct pf_invocations *v)
{
	int status = PF_OK;

	for (uint32_t level = 0; level <= v->depth && status == PF_OK; level++)
		status = flush(v, level);
	return status;
}
