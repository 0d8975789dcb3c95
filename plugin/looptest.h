/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tests by which loops are left, and what is known of how often the loops are entered. */
#ifndef PF_PLUGIN_LOOPTEST_H
#define PF_PLUGIN_LOOPTEST_H

#include "flow/loops.h"
#include "plugin/estimate.h"

/* What the blocks of a class say together. */
struct pf_group {
	uint64_t count;
	uint32_t stores; /* of all its blocks */
	bool known;
	bool least; /* some of the runs were not seen */
	bool heard; /* the profile has records of it, whether they may vote or not */
};

/* What is looked at: GROUPS has one for each leader, LOOPS are the graph's. */
struct pf_looptests {
	struct pf_estimate *estimate;
	struct pf_group *groups;
	const struct pf_loops *loops;
};

/* A test by which a loop is left: its ways back into the loop and out of it. */
struct pf_looptest {
	uint32_t into, out; /* edges */
};

/* Is BLOCK in LOOP, or in a loop in it? */
bool pf_looptest_inside(const struct pf_looptests *l, uint32_t block, uint32_t loop);

/* Whether BLOCK ends in a test by which LOOP is left: *TEST. */
bool pf_looptest_find(const struct pf_looptests *l, uint32_t block, uint32_t loop, struct pf_looptest *test);

/* Sets *ENTRIES to how often LOOP was entered, in the profile's unit; false if that is not known. */
bool pf_looptest_entries(const struct pf_looptests *l, uint32_t loop, uint64_t *entries);

bool pf_looptest_has_one_way_in(const struct pf_graph *graph, uint32_t block);

#endif
