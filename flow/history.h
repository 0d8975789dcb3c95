/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes next, given what came before: paths as a predictor of branches (C. Young, M. D. Smith: `Better Global
 * Scheduling Using Path Profiles', MICRO 1998). */
#ifndef PF_FLOW_HISTORY_H
#define PF_FLOW_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define PF_HISTORY_DECISIONS 16 /* of a path, at most */
#define PF_HISTORY_WAYS 32      /* out of a branch whose past is looked at */

/* Decisions that were taken one after the other, COUNT times.  A decision is a number of the caller's that stands for a
 * way out of a branch; 0 is none.  Each time that a decision was taken ends one path, so that the paths that end
 * with a sequence tell how often that ran; those of which only a part was seen are paths, too. */
struct pf_history_path {
	uint64_t count;
	uint32_t length;
	uint32_t decisions[PF_HISTORY_DECISIONS]; /* newest last */
};

/* Sorted, with the sums of the counts before each; decisions are newest first here. */
struct pf_history {
	struct pf_history_path *paths;
	uint64_t *before;
	size_t count;
};

/* Takes a copy of COUNT paths, in any order, equal ones allowed.  0, or -1 when out of memory. */
int pf_history_init(struct pf_history *history, const struct pf_history_path *paths, size_t count);
void pf_history_fini(struct pf_history *history);

/* How often the LENGTH decisions ran one after the other; 0 if LENGTH is above PF_HISTORY_DECISIONS. */
uint64_t pf_history_count(const struct pf_history *history, const uint32_t *decisions, uint32_t length);

/* The probabilities of the WAYS decisions at a branch after the LENGTH decisions of PAST, of which the last is the
 * newest.  GIVEN comes with the probabilities of the branch alone, which sum up to 1, and is refined by one decision
 * of the past at a time, each time as if PRIOR sightings had said what the shorter past says: few sightings say
 * little, and what may be chance says nothing.  GIVEN stays where there are more than PF_HISTORY_WAYS. */
void pf_history_predict(const struct pf_history *history, const uint32_t *past, uint32_t length, const uint32_t *ways,
			uint32_t way_count, double prior, double *given);

#endif
