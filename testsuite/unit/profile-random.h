/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random profiles for the tests of profile/: small key spaces, so that equal functions, nodes, records, targets,
 * outcomes and paths come up often and have to be added up. */
#ifndef PF_TEST_PROFILE_RANDOM_H
#define PF_TEST_PROFILE_RANDOM_H

#include "profile/model.h"

#include <stdio.h>
#include <stdlib.h>

/* xorshift64*: the same sequence everywhere. */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) % limit);
}

static inline void *random_array(struct pf_profile *profile, size_t count, size_t size)
{
	void *memory = pf_profile_reserve(profile, count * size);

	if (!memory)
		abort();
	return memory;
}

static inline const char *random_name(struct pf_profile *profile, uint64_t *state, const char *prefix, uint32_t limit)
{
	char text[64];

	snprintf(text, sizeof text, "%s%u", prefix, random_below(state, limit));
	return pf_profile_intern(profile, text);
}

static inline struct pf_position random_position(uint64_t *state)
{
	return (struct pf_position) { .line = (int32_t)random_below(state, 7) - 1,
				      .column = random_below(state, 3),
				      .discriminator = random_below(state, 2) };
}

static inline struct pf_place random_place(uint64_t *state, uint32_t nodes)
{
	return (struct pf_place) { .node = random_below(state, nodes), .position = random_position(state) };
}

static inline void random_record(struct pf_profile *profile, uint64_t *state, struct pf_record *record, uint32_t nodes)
{
	record->place = random_place(state, nodes);
	record->count = random_below(state, 1000);
	record->max = record->count + random_below(state, 10);
	record->instructions = random_below(state, 5);
	record->target_count = random_below(state, 3);
	record->outcome_count = random_below(state, 4);
	record->targets = random_array(profile, record->target_count, sizeof *record->targets);
	record->outcomes = random_array(profile, record->outcome_count, sizeof *record->outcomes);
	for (uint32_t t = 0; t < record->target_count; t++)
		record->targets[t] = (struct pf_target) { .name = random_name(profile, state, "target", 3),
							  .count = random_below(state, 100) };
	for (uint32_t o = 0; o < record->outcome_count; o++)
		record->outcomes[o] = (struct pf_outcome) { .to = random_place(state, nodes),
							    .taken = random_below(state, 2),
							    .sense = (uint8_t)random_below(state, PF_SENSES),
							    .count = random_below(state, 100) };
	record->value_count = random_below(state, 2) * random_below(state, 6);
	record->values = random_array(profile, record->value_count, sizeof *record->values);
	for (uint32_t v = 0; v < record->value_count; v++)
		record->values[v] = (struct pf_value) { .kind = (uint8_t)(1 + random_below(state, PF_VALUE_KINDS - 1)),
							.part = (uint8_t)random_below(state, PF_VALUE_PARTS),
							.value = (int64_t)random_below(state, 4) - 1,
							.count = random_below(state, 100) };
}

static inline void random_path(struct pf_profile *profile, uint64_t *state, struct pf_path *path, uint32_t nodes)
{
	path->count = random_below(state, 50);
	path->place_count = 1 + random_below(state, 3);
	path->places = random_array(profile, path->place_count, sizeof *path->places);
	for (uint32_t i = 0; i < path->place_count; i++)
		path->places[i] = random_place(state, nodes);
}

static inline void random_nodes(struct pf_profile *profile, uint64_t *state, struct pf_function *function)
{
	for (uint32_t n = 0; n < function->node_count; n++)
		function->nodes[n] = (struct pf_node) { .parent = n ? random_below(state, n) : 0,
							.site = random_position(state),
							.name = random_name(profile, state, "inline", 3),
							.file = random_name(profile, state, "header", 2),
							.line = random_below(state, 30),
							.entries = random_below(state, 500) };
}

static inline void random_function(struct pf_profile *profile, uint64_t *state, uint32_t names)
{
	struct pf_function *function = pf_profile_add_function(profile);

	if (!function)
		abort();
	function->name = random_name(profile, state, "function", names);
	function->file = random_name(profile, state, "file", 2);
	function->line = 10 * random_below(state, 2);
	function->head = random_below(state, 100);
	function->dropped_paths = random_below(state, 3);
	function->dropped_path_count = random_below(state, 30);
	function->node_count = 1 + random_below(state, 6);
	function->record_count = random_below(state, 12);
	function->path_count = random_below(state, 4);
	function->nodes = random_array(profile, function->node_count, sizeof *function->nodes);
	function->records = random_array(profile, function->record_count, sizeof *function->records);
	function->paths = random_array(profile, function->path_count, sizeof *function->paths);
	random_nodes(profile, state, function);
	for (uint32_t r = 0; r < function->record_count; r++)
		random_record(profile, state, &function->records[r], function->node_count);
	for (uint32_t p = 0; p < function->path_count; p++)
		random_path(profile, state, &function->paths[p], function->node_count);
}

/* A profile of FUNCTIONS appended functions with up to NAMES names; not canonical. */
static inline struct pf_profile *random_profile(uint64_t seed, uint32_t functions, uint32_t names)
{
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;

	if (!profile)
		abort();
	for (uint32_t f = 0; f < functions; f++)
		random_function(profile, &state, names);
	for (uint32_t p = 0; p < 2; p++) {
		struct pf_provenance *provenance = pf_profile_add_provenance(profile);

		if (!provenance)
			abort();
		*provenance = (struct pf_provenance) { .kind = 1 + random_below(&state, 4),
						       .event = "pathfdo-soft",
						       .binary = random_name(profile, &state, "/bin/program", 2),
						       .build_id = "0123abcd",
						       .samples = random_below(&state, 1000),
						       .tool = "pathfdo 0.1.0" };
	}
	for (uint32_t c = 0; c < 4; c++) {
		if (pf_profile_add_compiled(profile, random_name(profile, &state, "/src/file", 5)) < 0)
			abort();
	}
	return profile;
}

#endif
