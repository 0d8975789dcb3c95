/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tally.h.  The hard case is a section with damaged edges, of which the harvest has fewer: which is which is not
 * known then, and its counts are left out. */
#include "runtime/tally.h"

#include <stdlib.h>

void pf_tally_fini(struct pf_tally *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		free(t->sections[i].counts);
	free(t->sections);
	*t = (struct pf_tally) { 0 };
}

static struct pf_tally_section *section_of(struct pf_tally *t, uint32_t number)
{
	struct pf_tally_section *grown;

	if (number < t->count)
		return &t->sections[number];
	grown = realloc(t->sections, (number + 1ul) * sizeof *grown);
	if (!grown)
		return NULL;
	t->sections = grown;
	while (t->count <= number)
		t->sections[t->count++] = (struct pf_tally_section) { 0 };
	return &t->sections[number];
}

static bool add_edge(void *context, uint32_t process, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	struct pf_tally_section *s = section_of(context, process);
	uint64_t *grown;

	(void)edge;
	(void)from;
	if (!s)
		return false;
	if (s->edges == s->room) {
		grown = realloc(s->counts, (s->room * 2ul + 1024) * sizeof *grown);
		if (!grown)
			return false;
		s->counts = grown;
		s->room = s->room * 2 + 1024;
	}
	s->counts[s->edges++] = 0;
	return true;
}

static bool add_burst(void *context, uint32_t process, const struct pf_vec_burst *burst)
{
	struct pf_tally *t = context;
	uint64_t *counts = t->sections[process].counts;

	for (uint32_t i = 0; i < burst->edge_count; i++)
		counts[burst->edges[i]]++;
	t->branches += burst->edge_count;
	t->bursts++;
	return true;
}

struct pf_drain_sink pf_tally_sink(struct pf_tally *tally)
{
	return (struct pf_drain_sink) { .context = tally, .edge = add_edge, .burst = add_burst };
}

int pf_tally_give(const struct pf_tally *t, struct pf_harvest *h, struct pf_error *error)
{
	struct pf_vectors *v = &h->vectors;

	v->counts = calloc(v->edge_count + 1ul, sizeof *v->counts);
	if (!v->counts)
		return pf_fail(error, PF_ENOMEM, "out of memory for the counts of the run");
	for (uint32_t i = 0; i < v->process_count; i++) {
		const struct pf_harvest_image *image = &h->images[i];
		const struct pf_tally_section *s = image->section < t->count ? &t->sections[image->section] : NULL;

		if (!s || s->edges > image->edges)
			continue;
		for (uint32_t e = 0; e < s->edges; e++) {
			if (s->counts[e])
				v->counts[v->count_count++] =
				    (struct pf_vec_count) { image->first_edge + e, s->counts[e] };
		}
	}
	return PF_OK;
}
