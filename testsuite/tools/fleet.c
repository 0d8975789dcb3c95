/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fleet FOLDER FROM TO FUNCTIONS: the profiles FROM to TO - 1 of a fleet, FOLDER/NUMBER.pfdo, of one program with so
 * many functions: on each machine four fifths of them ran, each its own number of times.  Every third machine has the
 * second version of the program.  2,400 functions are some 1 MB. */
#include "profile/pfdo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 3, RECORDS = 20, PATHS = 2, PLACES = 6 };

static uint64_t state;

static uint64_t next_random(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1du >> 32) % below;
}

static void *array(struct pf_profile *profile, size_t count, size_t size)
{
	void *memory = pf_profile_reserve(profile, count * size);

	if (!memory)
		abort();
	return memory;
}

static const char *name(struct pf_profile *profile, const char *format, unsigned number)
{
	char text[64];

	snprintf(text, sizeof text, format, number);
	return pf_profile_intern(profile, text);
}

static void add_record(struct pf_profile *profile, struct pf_record *record, uint32_t r, unsigned f)
{
	record->place = (struct pf_place) { r % NODES, { .line = (int32_t)(1 + r), .column = 9 } };
	record->count = 1 + next_random(next_random(100000) + 1);
	record->max = record->count;
	record->instructions = 4;
	if (r % 4 == 0) {
		record->target_count = 1;
		record->targets = array(profile, 1, sizeof *record->targets);
		*record->targets =
		    (struct pf_target) { name(profile, "_ZN5fleet8functionIiE4callEv%06u", f / 2), record->count };
	} else if (r % 4 == 2) {
		record->outcome_count = 2;
		record->outcomes = array(profile, 2, sizeof *record->outcomes);
		record->outcomes[0].to = record->outcomes[1].to = record->place;
		record->outcomes[0].taken = true;
		record->outcomes[0].count = record->count / 3;
		record->outcomes[1].count = record->count - record->count / 3;
	}
}

static void add_function(struct pf_profile *profile, unsigned f)
{
	struct pf_function *function = pf_profile_add_function(profile);

	if (!function)
		abort();
	function->name = name(profile, "_ZN5fleet8functionIiE4callEv%06u", f);
	function->file = name(profile, "/usr/src/fleet/src/part-%u.cc", f / 16);
	function->line = 10 * (f % 16);
	function->head = next_random(1000);
	function->node_count = NODES;
	function->record_count = RECORDS;
	function->path_count = PATHS;
	function->nodes = array(profile, NODES, sizeof *function->nodes);
	function->records = array(profile, RECORDS, sizeof *function->records);
	function->paths = array(profile, PATHS, sizeof *function->paths);
	for (uint32_t n = 0; n < NODES; n++)
		function->nodes[n] =
		    (struct pf_node) { .site = { .line = (int32_t)n },
				       .name = n ? name(profile, "_ZN5fleet6inline%02uEv", f % 64 + n) : function->name,
				       .file = n ? name(profile, "/usr/src/fleet/include/%u.h", f % 8) : function->file,
				       .line = n ? n : function->line,
				       .entries = next_random(500) };
	for (uint32_t r = 0; r < RECORDS; r++)
		add_record(profile, &function->records[r], r, f);
	for (uint32_t p = 0; p < PATHS; p++) {
		function->paths[p] = (struct pf_path) { .count = 1 + next_random(300), .place_count = PLACES };
		function->paths[p].places = array(profile, PLACES, sizeof(struct pf_place));
		for (uint32_t i = 0; i < PLACES; i++)
			function->paths[p].places[i] = function->records[(p + i) % RECORDS].place;
	}
}

int main(int argc, char **argv)
{
	unsigned from, to, functions;

	if (argc != 5) {
		fputs("usage: fleet FOLDER FROM TO FUNCTIONS\n", stderr);
		return 2;
	}
	from = (unsigned)atoi(argv[2]);
	to = (unsigned)atoi(argv[3]);
	functions = (unsigned)atoi(argv[4]);
	for (unsigned machine = from; machine < to; machine++) {
		struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS);
		struct pf_provenance *provenance = profile ? pf_profile_add_provenance(profile) : NULL;
		struct pf_error error;
		char path[4096];

		if (!provenance)
			abort();
		*provenance = (struct pf_provenance) { .kind = PF_SOURCE_SOFT,
						       .event = "pathfdo-soft",
						       .binary = "/usr/bin/fleet",
						       .build_id = machine % 3 == 2 ? "bbbbbbbbbbbbbbbbbbbbbbbb"
										    : "aaaaaaaaaaaaaaaaaaaaaaaa",
						       .samples = 100,
						       .first_ns = machine,
						       .last_ns = machine + 1000000,
						       .tool = "pathfdo 0.1.0" };
		state = 0x9e3779b97f4a7c15u * (machine + 1);
		for (unsigned f = 0; f < functions; f++) {
			if (next_random(5))
				add_function(profile, f);
		}
		snprintf(path, sizeof path, "%s/%u.pfdo", argv[1], machine);
		if (pf_pfdo_write(profile, path, &error) < 0) {
			fprintf(stderr, "fleet: %s\n", error.text);
			return 1;
		}
		pf_profile_free(profile);
	}
	return 0;
}
