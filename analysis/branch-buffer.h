/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Branch Behaviour Buffer of Merten and others, "A Hardware-Driven Profiling Scheme for Identifying Program Hot
 * Spots", ISCA 1999, section 2.1.1: a set-associative table of branches that never replaces one.  What finds no place
 * is left out until a refresh makes room.  The same table holds the arc weights of section 2.5, by branch and target.
 */
#ifndef PF_ANALYSIS_BRANCH_BUFFER_H
#define PF_ANALYSIS_BRANCH_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct pf_branch_entry {
	uint64_t key, target; /* target: 0 but in a table of arcs */
	uint32_t executed, taken;
	uint32_t tag; /* of the reader's */
	bool used, candidate;
};

struct pf_branch_buffer {
	struct pf_branch_entry *entries; /* set by set */
	uint32_t sets, ways;
	uint32_t most;      /* of a counter */
	uint32_t threshold; /* executions that make a candidate */
};

enum pf_branch_found { PF_BRANCH_LEFT_OUT, PF_BRANCH_COUNTED, PF_BRANCH_CANDIDATE };

/* An empty table of SETS (a power of two) times WAYS, with counters of BITS bits (up to 31).  False when out of memory;
 * B is the caller's, to pf_branch_buffer_fini, in any case. */
bool pf_branch_buffer_init(struct pf_branch_buffer *b, uint32_t sets, uint32_t ways, uint32_t bits, uint32_t threshold);
void pf_branch_buffer_fini(struct pf_branch_buffer *b);

/* Counts an execution of (KEY, TARGET), giving it an entry if its set has one free.  When the counter of executions is
 * at its most both counters stay, which keeps their ratio.  What the table knew of it before this execution: an entry
 * is PF_BRANCH_CANDIDATE from the execution on that follows the one which made it so.  A new entry gets TAG. */
enum pf_branch_found pf_branch_buffer_count(struct pf_branch_buffer *b, uint64_t key, uint64_t target, bool taken,
					    uint32_t tag);

/* The entry of (KEY, TARGET), or NULL. */
const struct pf_branch_entry *pf_branch_buffer_find(const struct pf_branch_buffer *b, uint64_t key, uint64_t target);

/* Frees all entries but those of candidates. */
void pf_branch_buffer_refresh(struct pf_branch_buffer *b);
/* In a table of arcs: frees all whose branch is no candidate in OF. */
void pf_branch_buffer_refresh_arcs(struct pf_branch_buffer *arcs, const struct pf_branch_buffer *of);
/* Frees all. */
void pf_branch_buffer_clear(struct pf_branch_buffer *b);

#endif
