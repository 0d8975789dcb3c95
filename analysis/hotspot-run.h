/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run's edges put through the hot spot detector, and what is told of it: the columns of Table 3 of Merten and others,
 * and the picture of its Figure 1, in a room that does not grow with the length of the run. */
#ifndef PF_ANALYSIS_HOTSPOT_RUN_H
#define PF_ANALYSIS_HOTSPOT_RUN_H

#include "analysis/branch-feed.h"
#include "analysis/branch-steps.h"
#include "analysis/hotspot.h"

#define PF_HOTSPOT_COLUMNS 400u

/* Figure 1: a dot is a branch that ran MANY times or more in the first SAMPLE branches of a column. */
#define PF_HOTSPOT_SAMPLE 10000u
#define PF_HOTSPOT_MANY 40u

struct pf_hotspot_dot {
	uint32_t end; /* index of struct pf_block_end */
	uint32_t count;
};

/* A stretch of the run. */
struct pf_hotspot_column {
	uint64_t branches;
	PF_ARRAY(struct pf_hotspot_dot) dots;
	PF_ARRAY(uint64_t) active; /* by hot spot: branches in it; shorter where the rest is 0 */
};

/* What is told of one hot spot. */
struct pf_hotspot_account {
	uint64_t instructions;      /* static: of its blocks, each as it was longest */
	uint64_t executed;          /* after it was found, and as often as it came back */
	uint64_t branches, entered; /* the same; entered: from code that is not its own */
};

struct pf_hotspot_run {
	struct pf_hotspots detector;
	struct pf_branch_steps steps;
	PF_ARRAY(struct pf_hotspot_account) accounts; /* as many as there are hot spots */
	PF_ARRAY(uint64_t) members;                   /* by member of the Monitor Table: instructions executed */
	PF_ARRAY(uint32_t) seen;                      /* by end: executions in the present sample */
	PF_ARRAY(uint32_t) sampled;                   /* ends that were */
	struct pf_hotspot_column columns[PF_HOTSPOT_COLUMNS];
	uint32_t column;    /* the present one */
	uint64_t width;     /* branches of one */
	uint64_t executed;  /* instructions */
	uint64_t unread;    /* branches whose code could not be read: their instructions are not counted */
	uint64_t gaps;      /* where the stream does not go on where it ended */
	uint64_t carry_to;  /* where the block goes on whose front is carried */
	uint32_t carry;     /* instructions of it */
	uint32_t carry_end; /* where they ended, without a branch */
	uint32_t last_hotspot;
	bool began; /* carry_to is known */
};

/* Table 3, and what the picture needs. */
struct pf_hotspot_table {
	uint64_t hotspots;
	uint64_t delivered;   /* static instructions of all hot spots, those of two counted twice */
	uint64_t distinct;    /* each counted once */
	uint64_t seen;        /* static instructions that ran at all */
	uint64_t executed;    /* instructions */
	uint64_t in_hotspots; /* of them those in blocks that were ever in a hot spot, before it was found too */
	uint64_t after;       /* of them those in hot spots that were found already */
};

/* Errors of pf_hotspots_init.  R is the caller's, to pf_hotspot_run_fini, in any case. */
int pf_hotspot_run_init(struct pf_hotspot_run *r, const struct pf_hotspot_parameters *parameters,
			struct pf_error *error);
void pf_hotspot_run_fini(struct pf_hotspot_run *r);

/* The edge EDGE of r->steps was executed.  False when out of memory. */
bool pf_hotspot_run_edge(struct pf_hotspot_run *r, uint32_t edge);
/* What comes next does not follow on what came last. */
void pf_hotspot_run_cut(struct pf_hotspot_run *r);

/* R as one who looks at edges.  Those that are added are r->steps.edges. */
struct pf_branch_sink pf_hotspot_run_sink(struct pf_hotspot_run *r);

/* To be called once, when all is fed.  PF_ENOMEM. */
int pf_hotspot_run_table(struct pf_hotspot_run *r, struct pf_hotspot_table *table);

/* A function of a hot spot. */
struct pf_hotspot_function {
	const char *name, *module;
	uint64_t executed; /* instructions of its blocks in the hot spot */
};

/* The functions of HOTSPOT, those that ran most first; the caller's to free.  NULL when out of memory. */
struct pf_hotspot_function *pf_hotspot_run_functions(struct pf_hotspot_run *r, uint32_t hotspot, size_t *count);

#endif
