/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits.  GCC adds up count times size over a whole program, times a thousand, in 63 bits, and walks off the end of an
 * array when that overflows (ipa-profile.cc); inlining multiplies counts by counts.  A profile of a fleet has counts
 * above 2^40 in earnest.  So counts are brought down as they are read, to 2^27, which keeps eight decimal digits.
 *
 * The hard case is the profile that lies: its summary names a small maximum and its records are huge, or its jumps
 * make the inference multiply.  Neither is believed beyond a small factor. */
#include "plugin/limit.h"

#define WANTED ((uint64_t)1 << 27)
#define SLACK 4 /* heads and calls may add up a few records */

struct pf_limit pf_limit_of(uint64_t maximum)
{
	struct pf_limit limit = { maximum ? 1 + (maximum - 1) / WANTED : 1, 0 };

	limit.highest = pf_limit_count(&(struct pf_limit) { limit.divisor, UINT64_MAX }, maximum) * SLACK;
	return limit;
}

uint64_t pf_limit_count(const struct pf_limit *limit, uint64_t count)
{
	uint64_t low = count / limit->divisor;

	if (count && !low)
		low = 1;
	return low < limit->highest ? low : limit->highest;
}

static void limit_record(const struct pf_limit *limit, struct pf_record *record)
{
	record->count = pf_limit_count(limit, record->count);
	record->max = pf_limit_count(limit, record->max);
	for (uint32_t i = 0; i < record->target_count; i++)
		record->targets[i].count = pf_limit_count(limit, record->targets[i].count);
	for (uint32_t i = 0; i < record->outcome_count; i++)
		record->outcomes[i].count = pf_limit_count(limit, record->outcomes[i].count);
}

void pf_limit_function(const struct pf_limit *limit, struct pf_function *function)
{
	function->head = pf_limit_count(limit, function->head);
	function->total /= limit->divisor;
	for (uint32_t i = 0; i < function->node_count; i++)
		function->nodes[i].entries = pf_limit_count(limit, function->nodes[i].entries);
	for (uint32_t i = 0; i < function->record_count; i++)
		limit_record(limit, &function->records[i]);
	for (uint32_t i = 0; i < function->path_count; i++)
		function->paths[i].count = pf_limit_count(limit, function->paths[i].count);
}

void pf_limit_graph(struct pf_graph *graph)
{
	struct pf_limit limit = { 1, UINT64_MAX };
	uint64_t highest = 1;

	for (uint32_t b = 0; b < graph->block_count; b++)
		highest = graph->blocks[b].count > highest ? graph->blocks[b].count : highest;
	limit.divisor = 1 + (highest - 1) / PF_LIMIT_SAFE;
	for (uint32_t b = 0; b < graph->block_count && limit.divisor > 1; b++)
		graph->blocks[b].count = pf_limit_count(&limit, graph->blocks[b].count);
	for (uint32_t e = 0; e < graph->edge_count && limit.divisor > 1; e++)
		graph->edges[e].count = pf_limit_count(&limit, graph->edges[e].count);
}
