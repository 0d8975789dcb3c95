/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a profile to the order of functions (flow/fnorder.h).  A node is a function of which something ran; an arc is a
 * call, those made in what was inlined into the caller included.  Its size is that of the code that ran, at the mean
 * of four bytes an instruction: the rest moves to the cold section.  Its weight is how often control comes to it, by
 * calls and by returns, as each can find the function's pages and lines gone; how long it stays there does not matter.
 * Samples do not tell calls; there the samples are the weight.
 *
 * The hard case is the callee of a name that several functions have: it is that of the caller's file, or else none. */
#include "profile/ranking.h"
#include "flow/fnorder.h"
#include "profile/saturate.h"
#include "support/search.h"

#include <stdlib.h>
#include <string.h>

#define INSTRUCTION_BYTES 4
#define LEAST_BYTES 16 /* of a function: GCC aligns them so */

struct ranking {
	const struct pf_profile *profile;
	uint32_t node_count, arc_count, arc_capacity;
	uint32_t *node_of; /* of each function, UINT32_MAX if nothing of it ran */
	uint32_t *function_of;
	uint32_t *order;
	uint64_t *sizes, *weights;
	struct pf_arc *arcs;
};

/* The first function that is not named before NAME. */
static uint32_t first_named(const struct pf_profile *profile, const char *name)
{
	struct pf_search search = pf_search_over(profile->function_count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, strcmp(profile->functions[search.middle].name, name) < 0);
	return (uint32_t)search.low;
}

/* The function that a call in FILE reaches by NAME, or UINT32_MAX. */
static uint32_t find_callee(const struct pf_profile *profile, const char *name, const char *file)
{
	uint32_t first = first_named(profile, name), end = first, in_file = UINT32_MAX;

	for (; end < profile->function_count && strcmp(profile->functions[end].name, name) == 0; end++) {
		if (in_file == UINT32_MAX && strcmp(profile->functions[end].file, file) == 0)
			in_file = end;
	}
	return end - first == 1 ? first : in_file;
}

static int add_arc(struct ranking *r, uint32_t from, uint32_t to, uint64_t count)
{
	if (r->arc_count == r->arc_capacity) {
		uint32_t wanted = r->arc_capacity ? r->arc_capacity * 2 : 64;
		struct pf_arc *grown = reallocarray(r->arcs, wanted, sizeof *grown);

		if (!grown)
			return PF_ENOMEM;
		r->arcs = grown;
		r->arc_capacity = wanted;
	}
	r->arcs[r->arc_count++] = (struct pf_arc) { from, to, count, false };
	return PF_OK;
}

static int add_calls(struct ranking *r, uint32_t node)
{
	const struct pf_function *f = &r->profile->functions[r->function_of[node]];
	int status = PF_OK;

	for (uint32_t i = 0; i < f->record_count; i++) {
		const struct pf_record *record = &f->records[i];
		const char *file = f->nodes[record->place.node].file;

		for (uint32_t t = 0; t < record->target_count && status == PF_OK; t++) {
			uint64_t count = record->targets[t].count;
			uint32_t callee = find_callee(r->profile, record->targets[t].name, file);

			if (r->profile->unit == PF_UNIT_EXECUTIONS)
				r->weights[node] = pf_count_add(r->weights[node], count);
			if (callee != UINT32_MAX && r->node_of[callee] != UINT32_MAX)
				status = add_arc(r, node, r->node_of[callee], count);
		}
	}
	return status;
}

static void add_node(struct ranking *r, uint32_t function)
{
	const struct pf_function *f = &r->profile->functions[function];
	uint32_t node = r->node_count++;
	uint64_t size = 0;

	for (uint32_t i = 0; i < f->record_count; i++)
		size += f->records[i].count ? (uint64_t)f->records[i].instructions * INSTRUCTION_BYTES : 0;
	r->node_of[function] = node;
	r->function_of[node] = function;
	r->sizes[node] = size > LEAST_BYTES ? size : LEAST_BYTES;
	r->weights[node] = r->profile->unit == PF_UNIT_EXECUTIONS ? f->head : f->total;
}

static int make_graph(struct ranking *r)
{
	int status = PF_OK;

	for (uint32_t f = 0; f < r->profile->function_count; f++) {
		r->node_of[f] = UINT32_MAX;
		if (r->profile->functions[f].head || r->profile->functions[f].total)
			add_node(r, f);
	}
	for (uint32_t node = 0; node < r->node_count && status == PF_OK; node++)
		status = add_calls(r, node);
	return status;
}

static int rank_nodes(struct ranking *r, uint32_t *ranks)
{
	int status = make_graph(r);

	if (status < 0)
		return status;
	if (pf_fnorder_sort(r->node_count, r->sizes, r->weights, r->arcs, r->arc_count, r->order) < 0)
		return PF_ENOMEM;
	memset(ranks, 0, r->profile->function_count * sizeof *ranks);
	for (uint32_t i = 0; i < r->node_count; i++)
		ranks[r->function_of[r->order[i]]] = i + 1;
	return PF_OK;
}

int pf_profile_rank(const struct pf_profile *profile, uint32_t *ranks)
{
	size_t count = (size_t)profile->function_count + 1;
	struct ranking r = { .profile = profile };
	int status = PF_ENOMEM;

	r.node_of = calloc(count, sizeof *r.node_of);
	r.function_of = calloc(count, sizeof *r.function_of);
	r.order = calloc(count, sizeof *r.order);
	r.sizes = calloc(count, sizeof *r.sizes);
	r.weights = calloc(count, sizeof *r.weights);
	if (r.node_of && r.function_of && r.order && r.sizes && r.weights)
		status = rank_nodes(&r, ranks);
	free(r.node_of);
	free(r.function_of);
	free(r.order);
	free(r.sizes);
	free(r.weights);
	free(r.arcs);
	return status;
}
