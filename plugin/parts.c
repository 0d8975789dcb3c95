/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See parts.h.  An instance is the function as one caller knows it: its branches go their own way, and what the caller
 * makes impossible or superfluous left no code.  In the sum of all, a statement that half of the instances could do
 * without seems to run half as often as its neighbours.  So counts are inferred for each part, and then added: the sum
 * of flows is a flow.
 *
 * The hard case is number: a function may have thousands of instances.  The light ones say little and are one part. */
#include "plugin/parts.h"
#include "plugin/graft.h"
#include "profile/saturate.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 32 /* of what a part of its own carries */

static uint64_t weight_of(const struct pf_function *f)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < f->record_count; i++)
		weight = pf_count_add(weight, f->records[i].count);
	return weight;
}

static int add_part(struct pf_parts *parts, enum pf_count_unit unit)
{
	struct pf_profile *profile = pf_profile_alloc(unit);

	if (!profile)
		return PF_ENOMEM;
	parts->at[parts->count++].profile = profile;
	return PF_OK;
}

static int finish_part(struct pf_part *part, struct pf_error *error)
{
	int status = pf_profile_canonicalise(part->profile, error);

	if (status != PF_OK)
		return status;
	part->map =
	    pf_profile_reserve(part->profile, 2 * (size_t)part->profile->functions[0].node_count * sizeof *part->map);
	return part->map ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory");
}

int pf_parts_split(struct pf_parts *parts, const struct pf_profile *gathered, struct pf_error *error)
{
	uint64_t total = 0;
	uint32_t light = UINT32_MAX;
	int status = PF_OK;

	parts->at = calloc((size_t)gathered->function_count + 1, sizeof *parts->at);
	if (!parts->at)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < gathered->function_count; i++)
		total = pf_count_add(total, weight_of(&gathered->functions[i]));
	for (uint32_t i = 0; i < gathered->function_count && status == PF_OK; i++) {
		const struct pf_function *f = &gathered->functions[i];
		bool is_light = weight_of(f) < total / LEAST_SHARE;
		uint32_t into = is_light ? light : UINT32_MAX;

		if (into == UINT32_MAX) {
			into = parts->count;
			status = add_part(parts, gathered->unit);
			light = is_light ? into : light;
		}
		if (status == PF_OK)
			status = pf_graft_subtree(parts->at[into].profile, f, 0, f->head);
	}
	if (status != PF_OK)
		return pf_fail(error, status, "out of memory");
	for (uint32_t i = 0; i < parts->count && status == PF_OK; i++)
		status = finish_part(&parts->at[i], error);
	return status;
}

void pf_parts_fini(struct pf_parts *parts)
{
	for (uint32_t i = 0; i < parts->count; i++)
		pf_profile_free(parts->at[i].profile);
	free(parts->at);
	*parts = (struct pf_parts) { 0 };
}

/* A share of COUNT; what was seen stays seen. */
static uint64_t share(uint64_t count, uint32_t copies)
{
	return copies > 1 && count > 0 ? 1 + (count - 1) / copies : count;
}

void pf_parts_share_function(struct pf_function *f, const uint32_t *copies)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		f->nodes[i].entries = share(f->nodes[i].entries, copies[i]);
	for (uint32_t r = 0; r < f->record_count; r++) {
		struct pf_record *record = &f->records[r];
		uint32_t of = copies[record->place.node];

		record->count = share(record->count, of);
		record->max = share(record->max, of);
		for (uint32_t i = 0; i < record->target_count; i++)
			record->targets[i].count = share(record->targets[i].count, of);
		for (uint32_t i = 0; i < record->outcome_count; i++)
			record->outcomes[i].count = share(record->outcomes[i].count, of);
	}
}

/* The node of FUNCTION below PARENT that has NODE's site and name: canonicalisation made it of that and its like.  Both
 * trees are in preorder, so that it is mostly the next one behind AFTER. */
static uint32_t node_in_sum(const struct pf_function *function, uint32_t parent, const struct pf_node *node,
			    uint32_t after)
{
	uint32_t from = after > parent ? after + 1 : parent + 1, count = function->node_count;

	for (uint32_t k = parent + 1; k < count; k++) {
		uint32_t i = from + (k - parent - 1) < count ? from + (k - parent - 1)
							     : parent + 1 + (from + (k - parent - 1) - count);
		const struct pf_node *candidate = &function->nodes[i];

		if (candidate->parent == parent && pf_position_compare(&candidate->site, &node->site) == 0 &&
		    strcmp(candidate->name, node->name) == 0)
			return i;
	}
	return UINT32_MAX;
}

void pf_parts_share(const struct pf_parts *parts, const struct pf_function *function, const uint32_t *copies)
{
	for (uint32_t p = 0; p < parts->count; p++) {
		struct pf_function *f = &parts->at[p].profile->functions[0];
		uint32_t *map = parts->at[p].map, *own = map + f->node_count;

		for (uint32_t i = 0, last = 0; i < f->node_count; i++) {
			uint32_t parent = i ? map[f->nodes[i].parent] : 0;

			map[i] = i && parent != UINT32_MAX ? node_in_sum(function, parent, &f->nodes[i], last) : parent;
			last = map[i] != UINT32_MAX ? map[i] : last;
			own[i] = map[i] != UINT32_MAX ? copies[map[i]] : 1;
		}
		pf_parts_share_function(f, own);
	}
}
