/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See invocation.h.  A call sets the caller's sequence aside, the return takes it up again, so that a path runs
 * through the calls it makes; a back edge ends it, as Ball and Larus's paths end.  The hard case is a burst that
 * starts deep inside calls: a return with no known caller begins a fresh sequence. */
#include "converter/invocation.h"

void pf_invocations_start(struct pf_invocations *v, struct pf_traffic *t)
{
	v->traffic = t;
	v->weight = 0;
	v->depth = 0;
	v->stack[0].count = 0;
}

static int flush(struct pf_invocations *v, uint32_t level)
{
	struct pf_invocation *open = &v->stack[level];
	int status = PF_OK;

	if (open->count > 0)
		status = pf_traffic_sequence(v->traffic, open->edges, open->count, v->weight);
	open->count = 0;
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
	v->stack[v->depth].count = 0;
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
			status = flush(v, v->depth);
		return status < 0 ? status : enter(v);
	case PF_EDGE_RETURN:
		return leave(v);
	default:
		if (open->count == PF_SEQUENCE_LENGTH || e->from_module != e->to_module || e->to <= e->from)
			status = flush(v, v->depth);
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
