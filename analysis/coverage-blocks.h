/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code of a binary is known to have run, from branch vectors (Shye, "Exploring the Potential of Performance
 * Monitoring Hardware to Support Run-time Optimization", 2005, chapter 5): the first block of each vector alone, the
 * whole vector, each of them with what dominates and post-dominates it, and with what is called from there.
 *
 * Dominators and callees of what ran did run.  Post-dominators ran if the function was left by a return or a tail
 * call: not behind an exit, an exception out of what it calls, or where the recording ended. */
#ifndef PF_ANALYSIS_COVERAGE_BLOCKS_H
#define PF_ANALYSIS_COVERAGE_BLOCKS_H

#include "analysis/subject.h"
#include "converter/intake.h"
#include "flow/dominators.h"

enum pf_coverage_kind {
	PF_COVERAGE_SINGLE,
	PF_COVERAGE_SINGLE_DOMINATORS,
	PF_COVERAGE_VECTORS,
	PF_COVERAGE_VECTORS_DOMINATORS,
	PF_COVERAGE_CALLS, /* vectors, dominators and callees */
	PF_COVERAGE_KINDS
};

struct pf_coverage_block {
	uint64_t single,
	    seen;      /* weight of the vectors that began in it, and of its most frequent instruction; in 1/256 */
	uint8_t kinds; /* a bit for each pf_coverage_kind that covers it */
	bool live;     /* the function's entry reaches it; what is not live counts nowhere */
};

struct pf_coverage_function {
	struct pf_coverage_block *blocks; /* as in the subject's function */
	uint64_t *steps; /* by how much the weight of an instruction is more than that of the one before it */
	struct pf_dominators dominators, postdominators;
};

/* What was recorded of each edge of the traffic. */
struct pf_coverage_tally {
	uint64_t first, seen;
};

struct pf_coverage {
	struct pf_subject *subject; /* the caller's */
	uint32_t length, every;     /* as asked for */
	uint32_t at;                /* of the last piece of a vector */
	uint64_t vectors, used;     /* read; of them used */
	uint64_t stray;             /* branches in the binary that are in no function with debug information */
	PF_ARRAY(struct pf_coverage_tally) tallies;
	struct pf_coverage_function *functions; /* as many as the subject has */
	uint64_t instructions;                  /* live ones */
	uint64_t covered[PF_COVERAGE_KINDS];    /* of them */
};

/* Starts an empty coverage of SUBJECT, which must outlive it.  Of each EVERY-th vector (1: of all) the first LENGTH
 * branches (0: all) will be used. */
void pf_coverage_init(struct pf_coverage *c, struct pf_subject *subject, uint32_t length, uint32_t every);
void pf_coverage_fini(struct pf_coverage *c);

/* What an intake tells of its vectors. */
struct pf_listener pf_coverage_listener(struct pf_coverage *c);

/* Places what was read into T (settled) and works out all kinds.  PF_EEMPTY (nothing of it is in the binary),
 * PF_ENOMEM. */
int pf_coverage_finish(struct pf_coverage *c, const struct pf_traffic *t, struct pf_error *error);

/* Instructions of block BLOCK of function FUNCTION, which has its code. */
uint32_t pf_coverage_size(const struct pf_coverage *c, uint32_t function, uint32_t block);

/* "vectors + dominators" */
const char *pf_coverage_name(enum pf_coverage_kind kind);

#endif
