/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what the statements of a function say to the counts of its blocks and edges. */
#ifndef PF_PLUGIN_ESTIMATE_H
#define PF_PLUGIN_ESTIMATE_H

#include "flow/infer.h"
#include "plugin/vote.h"

/* How a block's count was found, best first. */
enum pf_source {
	PF_FROM_EXACT,     /* a statement's record, by line, column and discriminator */
	PF_FROM_COLUMN,    /* by line and column */
	PF_FROM_LINE,      /* by line */
	PF_FROM_CLASS,     /* another block that runs exactly as often */
	PF_FROM_BRANCH,    /* the outcomes of the branch at its end */
	PF_FROM_INFERENCE, /* from its neighbours */
	PF_SOURCE_COUNT,
};

struct pf_estimate_block {
	uint32_t first_vote, vote_count; /* in pf_estimate.votes */
	uint32_t leader;                 /* the first block of its class: blocks that run equally often by dominance */
	enum pf_source best;             /* of its votes: PF_FROM_EXACT to PF_FROM_LINE */
	uint32_t stores;                 /* what cannot be done without its branch: stores, a call being two */
	bool idle;                       /* a statement's record says that it did not run; too weak a witness to vote */
	bool branch_seen;                /* the profiled binary had a jump for the condition at its end */
	bool passed_by;                  /* its condition may be decided before, and it ran more often than it says */
	bool many_ways;                  /* more than two ways lead out of it */
	bool copied;                     /* that jump runs in copies, and OUTCOMES adds them up */
	uint32_t branch;                 /* the record of that jump, by number; record_count: none */
	uint32_t test_turns;   /* the test at its end is the only way out of its loop, and runs so often each time that
				* the loop is entered; 0: that is not constant */
	uint64_t outcomes;     /* how often that jump ran, as far as its destinations are successors here; 0 unknown */
	uint64_t missed;       /* how often a jump of many ways went to a place that is on no way out */
	bool partial;          /* that is clearly less than how often the statement ran: each outcome is the least */
	enum pf_source source; /* out */
};

struct pf_estimate {
	struct pf_graph *graph;           /* finished; guess, unlikely, fallthrough are filled in, counts are not */
	struct pf_estimate_block *blocks; /* graph->block_count of them */
	uint64_t *edge_outcomes;          /* graph->edge_count: how often a jump took the edge */
	struct pf_vote *votes;
	uint32_t record_count; /* of the profile's function; 0: votes and branches do not say whose they are */
	uint64_t head;         /* how often the function was entered */
	bool head_known;
	uint64_t scale;   /* multiplies every count, above 0 */
	uint64_t entries; /* how often its callers enter it for certain, in the graph's unit; 0: by the head */
};

/* Fills in the counts of the graph.  0, or -1 when out of memory. */
int pf_estimate_run(struct pf_estimate *estimate);

#endif
