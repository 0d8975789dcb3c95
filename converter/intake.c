/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See intake.h: compact vectors.  Each edge of the file is resolved to its modules once; the bursts then only add
 * weights (weighing.h).  The hard case is a branch that is left out, in code that has no file or by an index that
 * points nowhere: what follows it is not what ran behind the one in front of it. */
#include "converter/intake.h"
#include "converter/invocation.h"
#include "converter/mapping.h"
#include "converter/openings.h"
#include "converter/reach.h"
#include "converter/weighing.h"

/* An edge of the file as it is in the traffic. */
struct known_edge {
	uint32_t edge;   /* PF_NO_EDGE: dropped, for the reason in `drop` */
	uint32_t opened; /* what it counts for where a burst began with it: with the code in front of its start */
	uint8_t drop;
};

int pf_recording_end(struct pf_recording *r, const struct pf_traffic *t)
{
	for (uint32_t i = 0; i < t->modules.count; i++) {
		uint32_t *new = t->modules.at[i].seen ? pf_array_push(&r->modules) : NULL;

		if (new)
			*new = i;
		else if (t->modules.at[i].seen)
			return PF_ENOMEM;
	}
	return PF_OK;
}

void pf_recording_fini(struct pf_recording *r)
{
	free(r->event);
	free(r->exe);
	free(r->others);
	pf_array_fini(&r->modules);
	*r = (struct pf_recording) { 0 };
}

/* Index of the module of each mapping; PF_NO_MODULE for code without a file. */
static uint32_t *resolve_maps(struct pf_traffic *t, const struct pf_vectors *v)
{
	uint32_t *modules = calloc((size_t)v->map_count + 1, sizeof *modules);

	for (uint32_t i = 0; modules && i < v->map_count; i++) {
		const struct pf_vec_map *m = &v->maps[i];
		uint8_t size = m->build_id_size <= sizeof m->build_id ? m->build_id_size : 0;

		modules[i] = PF_NO_MODULE;
		if (!pf_mapping_has_code(m->path, size))
			continue;
		modules[i] = pf_traffic_module(t, m->path, m->build_id, size);
		if (modules[i] == PF_NO_MODULE) {
			free(modules);
			return NULL;
		}
	}
	return modules;
}

/* File offset of ADDRESS in MAP; false if the mapping is not there, has no file or does not cover it. */
static bool place(const struct pf_vectors *v, const uint32_t *modules, uint32_t map, uint64_t address, uint32_t *module,
		  uint64_t *offset)
{
	const struct pf_vec_map *m = map < v->map_count ? &v->maps[map] : NULL;

	*module = PF_NO_MODULE;
	*offset = 0;
	if (!m || modules[map] == PF_NO_MODULE || address < m->start || address >= m->end)
		return false;
	*module = modules[map];
	*offset = address - m->start + m->offset;
	return true;
}

static struct known_edge resolve_edge(struct pf_traffic *t, const struct pf_vectors *v, const uint32_t *modules,
				      const struct pf_vec_edge *e)
{
	struct pf_traffic_edge edge = { .kind = e->kind };
	struct known_edge known = { .edge = PF_NO_EDGE };
	uint32_t start_module;
	bool from = place(v, modules, e->from_map, e->from, &edge.from_module, &edge.from);
	bool to = place(v, modules, e->to_map, e->to, &edge.to_module, &edge.to);

	if (!from && !to) {
		known.drop = e->from_map < v->map_count ? pf_mapping_loss(v->maps[e->from_map].path) : PF_DROP_UNMAPPED;
		return known;
	}
	if (e->start > e->from)
		known.drop = PF_DROP_BACKWARDS;
	else if (e->from - e->start > PF_RANGE_LIMIT)
		known.drop = PF_DROP_LONG;
	else if (from && !place(v, modules, e->from_map, e->start, &start_module, &edge.start))
		known.drop = PF_DROP_UNMAPPED;
	else
		known.edge = pf_traffic_edge(t, &edge);
	return known;
}

static struct known_edge *resolve_edges(struct pf_traffic *t, const struct pf_vectors *v)
{
	uint32_t *modules = resolve_maps(t, v);
	struct known_edge *known = modules ? calloc((size_t)v->edge_count + 1, sizeof *known) : NULL;

	for (uint32_t i = 0; known && i < v->edge_count; i++) {
		known[i] = resolve_edge(t, v, modules, &v->edges[i]);
		if (known[i].edge == PF_NO_EDGE && known[i].drop == 0) {
			free(known);
			known = NULL;
		}
	}
	free(modules);
	return known;
}

/* What each edge counts for with which a burst began that IDS has.  Behind a wait the code in front of it is the end of
 * another burst. */
static int open_edges(struct pf_traffic *t, const struct pf_vectors *v, const uint32_t *ids, struct known_edge *known)
{
	struct pf_openings openings;
	int status = pf_openings_find(v, t, ids, &openings);

	for (uint64_t i = 0; i < v->burst_count && status == PF_OK; i++) {
		const struct pf_vec_burst *b = &v->bursts[i];
		uint32_t first = b->edge_count && !b->after_wait ? b->edges[0] : UINT32_MAX;
		struct pf_traffic_edge edge;

		if (first >= v->edge_count || ids[first] == PF_NO_EDGE)
			continue;
		edge = t->edges.at[ids[first]];
		edge.start = pf_openings_start(&openings, &edge);
		known[first].opened = pf_traffic_edge(t, &edge);
		status = known[first].opened == PF_NO_EDGE ? PF_ENOMEM : PF_OK;
	}
	pf_openings_fini(&openings);
	return status;
}

/* The numbers of the instructions' values, where these are in files. */
static int add_values(struct pf_traffic *t, const struct pf_vectors *v)
{
	uint32_t *modules = v->value_count ? resolve_maps(t, v) : NULL;
	int status = modules || !v->value_count ? PF_OK : PF_ENOMEM;

	for (uint64_t i = 0; status == PF_OK && i < v->value_count; i++) {
		const struct pf_vec_value *from = &v->values[i];
		struct pf_traffic_value *new, value = { .value = { from->kind, from->part, from->value, from->count } };

		if (!place(v, modules, from->map, from->address, &value.module, &value.offset))
			continue;
		new = pf_array_push(&t->values);
		if (new)
			*new = value;
		else
			status = PF_ENOMEM;
	}
	free(modules);
	return status;
}

/* The edge that a burst counted last. */
struct last {
	uint32_t edge; /* PF_NO_EDGE: none, or one that is dropped */
	uint64_t weight;
};

static void end_run(struct pf_traffic *t, struct last *last)
{
	if (last->edge != PF_NO_EDGE)
		t->edges.at[last->edge].ended = pf_sum(t->edges.at[last->edge].ended, last->weight);
	last->edge = PF_NO_EDGE;
}

static int add_burst(struct pf_traffic *t, const struct pf_vectors *v, const struct known_edge *known,
		     const struct pf_vec_burst *b, struct pf_reach_walk walk, unsigned sides, uint32_t warm_up,
		     struct pf_tap *tap)
{
	struct pf_invocations invocations;
	int status = PF_OK;
	uint64_t used = t->branches_used;
	struct last last = { .edge = PF_NO_EDGE };

	pf_invocations_start(&invocations, t);
	for (uint32_t i = 0; i < b->edge_count && status == PF_OK; i++) {
		uint64_t weight = pf_reach_next(&walk);
		uint32_t id = b->edges[i];
		enum pf_drop drop = id >= v->edge_count ? PF_DROP_CORRUPT : i < warm_up ? PF_DROP_WARM_UP : 0;

		t->branches_read += b->repeat;
		if (drop == 0 && known[id].edge == PF_NO_EDGE)
			drop = known[id].drop;
		if (drop != 0) {
			t->drops[drop] += b->repeat;
			end_run(t, &last);
			status = pf_invocations_end(&invocations);
			pf_invocations_start(&invocations, t);
			if (status == PF_OK)
				status = pf_tap_skip(tap, t, 1);
			continue;
		}
		t->branches_used += b->repeat;
		last = (struct last) { i == 0 && !b->after_wait ? known[id].opened : known[id].edge, weight };
		pf_traffic_count(t, last.edge, weight);
		pf_traffic_look(t, last.edge, t->bursts_read + 1);
		pf_dealt_add(&t->edges.at[last.edge].dealt, sides, weight);
		status = pf_invocations_edge(&invocations, last.edge, v->edges[id].kind, weight);
		if (status == PF_OK)
			status = pf_tap_add(tap, known[id].edge, weight);
	}
	end_run(t, &last);
	t->bursts_read += b->repeat;
	t->bursts_used += t->branches_used > used ? b->repeat : 0;
	if (status == PF_OK)
		status = pf_invocations_end(&invocations);
	return status < 0 ? status : pf_tap_end(tap, t);
}

static int add_counts(struct pf_traffic *t, const struct pf_vectors *v, const struct known_edge *known,
		      const struct pf_tap *tap)
{
	int status = PF_OK;

	for (uint64_t i = 0; i < v->count_count && status == PF_OK; i++) {
		const struct pf_vec_count *c = &v->counts[i];
		uint64_t weight = c->count > UINT64_MAX / PF_WEIGHT_ONE ? UINT64_MAX : c->count * PF_WEIGHT_ONE;

		t->branches_read = pf_sum(t->branches_read, c->count);
		if (c->edge >= v->edge_count) {
			t->drops[PF_DROP_CORRUPT] += c->count;
		} else if (known[c->edge].edge == PF_NO_EDGE) {
			t->drops[known[c->edge].drop] += c->count;
		} else {
			t->branches_used = pf_sum(t->branches_used, c->count);
			pf_traffic_count(t, known[c->edge].edge, weight);
			end_run(t, &(struct last) { known[c->edge].edge, weight });
			status = pf_tap_count(tap, t, known[c->edge].edge, weight);
		}
	}
	return status;
}

static int describe(struct pf_recording *r, const struct pf_vectors *v)
{
	r->kind = PF_SOURCE_SOFT;
	r->event = strdup(pf_vectors_begun_by(v) ? v->event : PF_VECTORS_EVENT);
	r->exe = strdup(v->process_count && v->processes[0].exe ? v->processes[0].exe : "");
	if (pf_vectors_begun_by(v))
		r->period = (uint64_t)pf_mean_period(v);
	else
		r->period = v->frequency ? 1000000000u / v->frequency : 0;
	r->samples = v->burst_count;
	for (uint64_t i = 0; i < v->burst_count; i++) {
		uint64_t time = v->bursts[i].time;

		r->first_ns = i == 0 || time < r->first_ns ? time : r->first_ns;
		r->last_ns = time > r->last_ns ? time : r->last_ns;
	}
	return r->event && r->exe ? PF_OK : PF_ENOMEM;
}

/* For each edge of V its number in the traffic. */
static uint32_t *number_edges(const struct pf_vectors *v, const struct known_edge *known)
{
	uint32_t *ids = known ? calloc((size_t)v->edge_count + 1, sizeof *ids) : NULL;

	for (uint32_t i = 0; ids && i < v->edge_count; i++)
		ids[i] = known[i].edge;
	return ids;
}

int pf_intake_vectors(struct pf_traffic *t, const struct pf_vectors *vectors, const struct pf_intake_options *options,
		      struct pf_recording *recording, struct pf_error *error)
{
	struct known_edge *known = resolve_edges(t, vectors);
	uint32_t *ids = number_edges(vectors, known);
	uint64_t *weights = calloc(vectors->burst_count + 1, sizeof *weights);
	struct pf_own_edges own = { 0 };
	struct pf_reach_input input = { .vectors = vectors, .traffic = t, .ids = ids, .own = &own, .weights = weights };
	struct pf_reach reach = { 0 };
	struct pf_tap tap = { .listener = options->listener };
	uint64_t read = t->branches_read;
	int status = ids && weights ? describe(recording, vectors) : PF_ENOMEM;

	for (uint64_t i = 0; i < vectors->burst_count; i++)
		pf_halves_span(&input.halves, vectors->bursts[i].time);
	if (status == PF_OK)
		status = pf_own_edges_find(vectors, ids, &own);
	if (status == PF_OK)
		status = pf_weights_find(vectors, &own, options, &input.halves, weights, &t->paced);
	if (status == PF_OK)
		status = pf_reach_solve(&reach, &input);
	if (status == PF_OK)
		status = open_edges(t, vectors, ids, known);
	for (uint64_t i = 0; status == PF_OK && i < vectors->burst_count; i++)
		status = add_burst(t, vectors, known, &vectors->bursts[i], pf_reach_walk(&reach, i, weights[i]),
				   pf_halves_sides(&input.halves, vectors->bursts[i].time), options->warm_up, &tap);
	t->branches_completed += reach.completed * (double)(t->branches_read - read);
	t->bursts_baseless += reach.baseless;
	if (status == PF_OK)
		status = add_counts(t, vectors, known, &tap);
	if (status == PF_OK)
		status = add_values(t, vectors);
	pf_tap_fini(&tap);
	pf_reach_fini(&reach);
	pf_own_edges_fini(&own);
	free(weights);
	free(ids);
	free(known);
	return status < 0 ? pf_fail(error, status, "out of memory while counting branches") : PF_OK;
}
