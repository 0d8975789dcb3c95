/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table 3 of Ammons, Ball and Larus (1997): how large a calling context tree is, and of what shape.  The hard case is
 * the root: it is no record, and those below it are the highest. */
#include "analysis/contexts.h"

#include <stdlib.h>

/* runtime/context/contexttree.h */
#define RECORD_BYTES 96
#define WORD_BYTES 8
#define MOST_WORDS 16384

/* What averages are made of. */
struct sums {
	uint64_t interior, children, leaves, heights, bytes;
	uint64_t *replicas; /* by function */
};

static bool is_record(const struct pf_contexts *c, uint32_t node)
{
	return c->nodes.at[node].leads == node;
}

/* Whether none of its brothers in front of NODE is called at the same place. */
static bool is_first_of_site(const struct pf_contexts *c, uint32_t node)
{
	const struct pf_context_node *n = &c->nodes.at[node];
	uint32_t i = c->nodes.at[n->parent].first;

	while (c->nodes.at[i].site != n->site)
		i = c->nodes.at[i].next;
	return i == node;
}

/* Words in front of a record of F: its counters, with a metric or not, or a table's address. */
static uint64_t counters_of(const struct pf_contexts *c, const struct pf_context_function *f)
{
	uint64_t paths = f->paths ? f->paths->numbers.count : 0;

	if (paths > MOST_WORDS)
		return 1;
	return c->metric ? 2 * paths : paths;
}

static void add_record(const struct pf_contexts *c, uint32_t node, struct sums *sums, struct pf_context_statistics *s)
{
	const struct pf_context_node *n = &c->nodes.at[node];
	const struct pf_context_function *f = &c->functions.at[n->function];
	uint64_t children = 0;

	for (uint32_t i = n->first; i != PF_CONTEXT_NOTHING; i = c->nodes.at[i].next)
		children += is_record(c, i);
	sums->interior += children > 0;
	sums->children += children;
	sums->leaves += children == 0;
	sums->heights += children == 0 ? n->depth : 0;
	sums->bytes += RECORD_BYTES + (f->site_count + counters_of(c, f)) * WORD_BYTES;
	s->records++;
	s->sites += f->site_count;
	s->most_height = n->depth > s->most_height ? n->depth : s->most_height;
	s->functions += sums->replicas[n->function]++ == 0;
	if (sums->replicas[n->function] > s->replication) {
		s->replication = sums->replicas[n->function];
		s->replicated = n->function;
	}
}

static double average(uint64_t sum, uint64_t count)
{
	return count > 0 ? (double)sum / (double)count : 0;
}

int pf_contexts_measure(const struct pf_contexts *c, struct pf_context_statistics *s, struct pf_error *error)
{
	struct sums sums = { .replicas = calloc(c->functions.count + 1, sizeof *sums.replicas) };

	*s = (struct pf_context_statistics) { .replicated = PF_CONTEXT_NOTHING };
	if (!sums.replicas)
		return pf_fail(error, PF_ENOMEM, "out of memory for statistics of calling contexts");
	for (uint32_t i = 1; i < c->nodes.count; i++) {
		if (c->by_site && c->nodes.at[i].parent != 0)
			s->used_sites += is_first_of_site(c, i);
		if (is_record(c, i))
			add_record(c, i, &sums, s);
		else
			s->recursive++;
	}
	free(sums.replicas);
	s->record_size = average(sums.bytes, s->records);
	s->out_degree = average(sums.children, sums.interior);
	s->height = average(sums.heights, sums.leaves);
	return PF_OK;
}
