/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ends.h.  Calls and returns are paired within the burst; what is left over says in whose service the code at
 * either end ran.  The hard case is a wrong file: no index is taken on trust, and what does not resolve is a place that
 * nothing equals. */
#include "converter/ends.h"

static uint64_t place_of(uint32_t module, uint64_t offset)
{
	return module == PF_NO_MODULE ? PF_NO_PLACE : ((uint64_t)module + 1) << 48 ^ offset;
}

/* Edge I of a burst; NULL if it is in no file. */
static const struct pf_traffic_edge *edge_at(const struct pf_vectors *v, const struct pf_traffic *t,
					     const uint32_t *ids, const struct pf_vec_burst *b, uint32_t i)
{
	uint32_t id = b->edges[i] < v->edge_count ? ids[b->edges[i]] : PF_NO_EDGE;

	return id == PF_NO_EDGE ? NULL : &t->edges.at[id];
}

static bool is_call(const struct pf_traffic_edge *e)
{
	return e && pf_edge_is_call(e->kind);
}

static bool is_return(const struct pf_traffic_edge *e)
{
	return e && e->kind == PF_EDGE_RETURN;
}

struct pf_ends pf_ends_of(const struct pf_vectors *v, const struct pf_traffic *t, const uint32_t *ids,
			  const struct pf_vec_burst *b)
{
	struct pf_ends ends = {
		.time = b->time, .length = b->edge_count, .reason = b->end_reason, .after_wait = b->after_wait
	};
	const struct pf_traffic_edge *e;
	uint32_t depth = 0;

	if (b->edge_count == 0)
		return ends;
	e = edge_at(v, t, ids, b, 0);
	ends.begin = e ? place_of(e->from_module, e->start) : PF_NO_PLACE;
	e = edge_at(v, t, ids, b, b->edge_count - 1);
	ends.stop = e ? place_of(e->to_module, e->to) : PF_NO_PLACE;
	for (uint32_t i = 0; i < b->edge_count && ends.return_count < PF_ENDS_DEPTH; i++) {
		e = edge_at(v, t, ids, b, i);
		depth += is_call(e);
		if (!is_return(e))
			continue;
		if (depth > 0)
			depth--;
		else
			ends.returns[ends.return_count++] = place_of(e->to_module, e->to);
	}
	depth = 0;
	for (uint32_t i = b->edge_count; i-- > 0 && ends.call_count < PF_ENDS_DEPTH;) {
		e = edge_at(v, t, ids, b, i);
		depth += is_return(e);
		if (!is_call(e))
			continue;
		if (depth > 0)
			depth--;
		else
			ends.calls[ends.call_count++] = place_of(e->from_module, e->from);
	}
	return ends;
}
