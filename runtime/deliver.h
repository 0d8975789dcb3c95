/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns harvested vectors into a perf.data file. */
#ifndef PF_RUNTIME_DELIVER_H
#define PF_RUNTIME_DELIVER_H

#include "perfdata/perfdata.h"
#include "runtime/harvest.h"

#include <stdbool.h>

/* Most entries of a branch stack that perf's readers take (PERF_MAX_BRANCH_STACK is 127). */
#define PF_DELIVER_STACK_MAX 127

/* The sample type of raw vectors. */
#define PF_DELIVER_SAMPLE_TYPE                                                                                         \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK)

/* One branch stack cut out of a burst. */
struct pf_deliver_stack {
	uint32_t count;                                 /* entries, 1 to PF_DELIVER_STACK_MAX */
	struct pf_branch entries[PF_DELIVER_STACK_MAX]; /* newest first */
};

/* Cuts the next stack out of BURST: *AT is where to go on, 0 at first.  Edges that are no branches are left out.  Two
 * stacks that follow each other share one entry, so that the straight code between the last branch of one and the
 * first of the next is not lost.  False when nothing is left. */
bool pf_deliver_next_stack(const struct pf_vectors *vectors, const struct pf_vec_burst *burst, uint32_t *at,
			   struct pf_deliver_stack *stack);

/* Writes processes, mappings and build-ids, and the vectors: as ordinary samples (RAW), of which there are more for a
 * burst that stands for many, or as the compact section. PF_ENOMEM and errors of the writer. */
int pf_deliver_harvest(struct pf_perf_writer *writer, const struct pf_harvest *harvest, bool raw,
		       struct pf_error *error);

#endif
