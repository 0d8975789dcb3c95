/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of a recording's events count.  Events of one run are several views of the same work, so that adding them up
 * would count it several times, in different units: one is used, and the others are told. */
#ifndef PF_CONVERTER_EVENTS_H
#define PF_CONVERTER_EVENTS_H

#include "perfdata/perfdata.h"
#include "support/array.h"

/* How well an event stands for time, the best first.  What is raw can be anything; the last two are misses, faults and
 * the like, of which code can have none and take long. */
enum pf_event_rank {
	PF_RANK_TIME,
	PF_RANK_INSTRUCTIONS,
	PF_RANK_BRANCHES,
	PF_RANK_RAW,
	PF_RANK_HARDWARE,
	PF_RANK_OTHER,
};

/* What the samples of one attr are. */
struct pf_event_tally {
	uint64_t stacks, plains;     /* samples with a branch stack, and without */
	uint64_t tops, probed;       /* newest branches that repeat, of so many */
	uint64_t deeps, deep_places; /* the same further down in the stacks */
	uint8_t rank;                /* enum pf_event_rank */
	uint32_t key;                /* equal for the same event on processors of different kinds */
	bool full;                   /* the stacks have every branch */
	bool chain;                  /* the stacks are those of calls that are under way: no record of branches */
	bool use_stacks, use_plains;
	bool repeats; /* the hardware stores the newest branch twice */
};

struct pf_events {
	PF_ARRAY(struct pf_event_tally) tallies; /* by attr */
};

void pf_events_fini(struct pf_events *events);

/* Looks at the attrs of FILE.  PF_ENOMEM. */
int pf_events_init(struct pf_events *events, const struct pf_perf_file *file);

/* Counts the sample E. */
void pf_events_count(struct pf_events *events, const struct pf_event *e);

/* Decides, after all samples were counted.  PF_EUNSUPPORTED if the only branch stacks are those that a filter left. */
int pf_events_choose(struct pf_events *events, const struct pf_perf_file *file, const char *path,
		     struct pf_error *error);

/* Whether entry I of E's stack repeats the next, which the one behind that does not: so no loop of one block, which
 * fills the stack. */
bool pf_event_repeats(const struct pf_event *e, uint32_t i);

/* The rank of the event NAME. */
uint8_t pf_events_rank(const char *name);

/* The name of the event number ATTR, also where the file does not say it. */
const char *pf_events_name(const struct pf_perf_file *file, uint32_t attr);

#endif
