/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See matching.h.  A depth-first search with the probability of the way so far, which only falls: a branch of it is
 * given up where it is below the least.  The hard case is a block all of whose ways are improbable: then the most
 * probable edge is followed all the same, so that there is always a way. */
#include "analysis/matching.h"
#include "support/error.h"

#define LONGEST 10000u /* edges of a way: the search calls itself for each */

/* A choice at a block: an edge, or to stop there. */
struct option {
	uint32_t edge; /* UINT32_MAX: a path starts here */
	double weight;
};

struct search {
	struct pf_matching *matching;
	bool back;
	PF_ARRAY(struct option) options; /* of all blocks on the way, the last one's at the end */
};

void pf_matching_fini(struct pf_matching *m)
{
	pf_array_fini(&m->ways);
}

static int add_option(struct search *s, uint32_t edge, double weight)
{
	struct option *new = pf_array_push(&s->options);

	if (!new)
		return PF_ENOMEM;
	*new = (struct option) { edge, weight };
	return PF_OK;
}

static double frequency(const struct pf_matching *m, uint32_t edge)
{
	return m->frequency ? m->frequency[edge] : 1;
}

/* The ways back from BLOCK: an edge to it, or a start. */
static int list_back(struct search *s, uint32_t block)
{
	const struct pf_pathnumber *n = s->matching->numbers;
	const struct pf_graph *g = n->graph;
	double starts = block == g->entry;
	int status = PF_OK;

	for (uint32_t i = g->in_first[block]; i < g->in_first[block + 1] && status == PF_OK; i++) {
		uint32_t edge = g->in_edges[i];

		if (n->ends[g->edges[edge].from] == 0)
			continue;
		if (n->cut[edge])
			starts += frequency(s->matching, edge);
		else
			status = add_option(s, edge, frequency(s->matching, edge));
	}
	if (n->first[block] != UINT64_MAX && status == PF_OK)
		status = add_option(s, UINT32_MAX, s->matching->frequency ? starts : 1);
	return status;
}

static int list_on(struct search *s, uint32_t block)
{
	const struct pf_graph *g = s->matching->numbers->graph;
	int status = PF_OK;

	for (uint32_t i = g->out_first[block]; i < g->out_first[block + 1] && status == PF_OK; i++)
		status = add_option(s, g->out_edges[i], frequency(s->matching, g->out_edges[i]));
	return status;
}

static int add_way(struct pf_matching *m, const struct pf_matching_way *way)
{
	struct pf_matching_way *new = pf_array_push(&m->ways);

	if (!new)
		return PF_ENOMEM;
	*new = *way;
	return PF_OK;
}

static int explore(struct search *s, uint32_t block, struct pf_matching_way way);

static int take(struct search *s, uint32_t block, uint32_t edge, struct pf_matching_way way)
{
	const struct pf_pathnumber *n = s->matching->numbers;

	if (edge == UINT32_MAX) {
		way.sum += n->first[block];
		return add_way(s->matching, &way);
	}
	if (++way.edges > LONGEST)
		return PF_OK;
	way.sum += n->value[edge];
	if (s->back)
		return explore(s, n->graph->edges[edge].from, way);
	way.ended = pf_pathnumber_is_end(n, edge);
	return way.ended ? add_way(s->matching, &way) : explore(s, n->graph->edges[edge].to, way);
}

/* Follows the choices at BLOCK, the most probable one in any case. */
static int explore(struct search *s, uint32_t block, struct pf_matching_way way)
{
	size_t first = s->options.count, count, best = first;
	int status = s->back ? list_back(s, block) : list_on(s, block);
	double sum = 0;

	count = s->options.count - first;
	for (size_t i = first; i < first + count; i++) {
		sum += s->options.at[i].weight;
		best = s->options.at[i].weight > s->options.at[best].weight ? i : best;
	}
	if (status == PF_OK && count == 0 && !s->back)
		status = add_way(s->matching, &way);
	for (size_t i = first; i < first + count && status == PF_OK; i++) {
		struct pf_matching_way next = way;

		next.probability *= sum > 0 ? s->options.at[i].weight / sum : 1.0 / (double)count;
		if (i == best ||
		    (next.probability >= s->matching->least && s->matching->ways.count < s->matching->most))
			status = take(s, block, s->options.at[i].edge, next);
	}
	s->options.count = first;
	return status;
}

static int search(struct pf_matching *m, uint32_t block, bool back)
{
	struct search s = { .matching = m, .back = back };
	int status;

	m->ways.count = 0;
	status = explore(&s, block, (struct pf_matching_way) { .probability = 1 });
	pf_array_fini(&s.options);
	return status;
}

int pf_matching_back(struct pf_matching *m, uint32_t block)
{
	return search(m, block, true);
}

int pf_matching_on(struct pf_matching *m, uint32_t block)
{
	return search(m, block, false);
}
