/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See openings.h.  A signal comes to wherever the processor was, behind a store that missed the cache for one, so that
 * bursts begin in few places, and seldom where straight code does.  The hard case is code with several beginnings in
 * front of one branch: the burst may have come from each that is not behind it, and most likely did from the most
 * frequent one. */
#include "converter/openings.h"
#include "support/array.h"
#include "support/search.h"

static int by_place(const void *a, const void *b)
{
	const struct pf_opening *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* How often bursts went on with each edge of V. */
static uint64_t *count_edges(const struct pf_vectors *v)
{
	uint64_t *seen = calloc((size_t)v->edge_count + 1, sizeof *seen);

	for (uint64_t i = 0; seen && i < v->burst_count; i++) {
		const struct pf_vec_burst *b = &v->bursts[i];

		for (uint32_t k = 1; k < b->edge_count; k++) {
			if (b->edges[k] < v->edge_count)
				seen[b->edges[k]] = pf_sum(seen[b->edges[k]], b->repeat);
		}
	}
	return seen;
}

/* Of equal places one, and of those of one branch the most frequent so far; of two that are as frequent the later,
 * which takes less for granted. */
static void settle(struct pf_openings *o)
{
	size_t count = 0;

	for (size_t i = 0; i < o->list.count; i++) {
		struct pf_opening *last = count ? &o->list.at[count - 1] : NULL;
		struct pf_opening one = o->list.at[i];

		if (last && by_place(last, &one) == 0) {
			last->seen = pf_sum(last->seen, one.seen);
			continue;
		}
		o->list.at[count++] = one;
	}
	o->list.count = count;
	for (size_t i = 0; i < count; i++) {
		struct pf_opening *one = &o->list.at[i], *before = i ? one - 1 : NULL;
		bool same = before && before->module == one->module && before->from == one->from;

		one->usual = same && o->list.at[before->usual].seen > one->seen ? before->usual : i;
	}
}

int pf_openings_find(const struct pf_vectors *v, const struct pf_traffic *t, const uint32_t *ids, struct pf_openings *o)
{
	uint64_t *seen = count_edges(v);

	*o = (struct pf_openings) { 0 };
	for (uint32_t i = 0; seen && i < v->edge_count; i++) {
		const struct pf_traffic_edge *e = ids[i] == PF_NO_EDGE ? NULL : &t->edges.at[ids[i]];
		struct pf_opening *new;

		if (!e || !seen[i] || e->from_module == PF_NO_MODULE)
			continue;
		new = pf_array_push(&o->list);
		if (!new) {
			free(seen);
			return PF_ENOMEM;
		}
		*new = (struct pf_opening) { e->from_module, e->from, e->start, seen[i], 0 };
	}
	pf_array_sort(&o->list, by_place);
	settle(o);
	free(seen);
	return seen ? PF_OK : PF_ENOMEM;
}

uint64_t pf_openings_start(const struct pf_openings *o, const struct pf_traffic_edge *edge)
{
	const struct pf_opening key = { edge->from_module, edge->from, edge->start, 0, 0 };
	struct pf_search search = pf_search_over(o->list.count);
	const struct pf_opening *last;

	while (pf_search_goes_on(&search))
		pf_search_step(&search, by_place(&o->list.at[search.middle], &key) <= 0);
	last = search.low ? &o->list.at[search.low - 1] : NULL;
	if (!last || last->module != edge->from_module || last->from != edge->from)
		return edge->start;
	return o->list.at[last->usual].start;
}

void pf_openings_fini(struct pf_openings *o)
{
	pf_array_fini(&o->list);
}
