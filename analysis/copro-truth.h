/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loads of a stream loaded, all of it, and how far from that an estimate is: the weighted root mean square
 * error of Zilles and Sohi, section 5.3. */
#ifndef PF_ANALYSIS_COPRO_TRUTH_H
#define PF_ANALYSIS_COPRO_TRUTH_H

#include "analysis/copro.h"

/* A value is looked at from so many executions and such a share of its load's on. */
#define PF_TRUTH_LEAST 200u
#define PF_TRUTH_SHARE 0.25

/* Of a load that loads more values than this at a time, the shares lack up to one part in so many. */
#define PF_TRUTH_VALUES 1024u

struct pf_truth_value {
	uint64_t value, count; /* count 0: free */
};

struct pf_truth_load {
	uint64_t pc, total;
	struct pf_truth_value *values; /* a hash table */
	uint32_t used, size;
};

struct pf_copro_truth {
	PF_ARRAY(struct pf_truth_load) loads;
	uint32_t *index; /* of the loads, plus 1 */
	size_t index_size;
};

/* A value that is looked at. */
struct pf_truth_point {
	uint64_t pc, value, count;
	double share, estimate; /* of its load's executions, from 0 to 1 */
	bool seen;              /* there is an estimate */
};

struct pf_truth_points {
	struct pf_truth_point *at;
	size_t count, capacity;
};

/* At one moment of the run. */
struct pf_truth_step {
	uint64_t loads, saved; /* slots, by then */
	double rms;
};

struct pf_truth_course {
	struct pf_truth_step *at;
	size_t count, capacity;
};

struct pf_copro_score {
	uint64_t loads;  /* static ones */
	uint64_t values; /* that are looked at, */
	uint64_t seen;   /* and of these those with an estimate */
	double rms;      /* error of the invariance, from 0 to 1, each value weighed by its executions */
};

void pf_copro_truth_fini(struct pf_copro_truth *truth);

/* The load at PC loaded VALUE.  False when out of memory. */
bool pf_copro_truth_add(struct pf_copro_truth *truth, uint64_t pc, uint64_t value);

/* What the profile of M says of each value that is looked at: M's first array that has estimates, whose first key is
 * the instruction's address.  A value without one has 0.  POINTS are the caller's, zeroed, to pf_array_fini in any
 * case. PF_EINVAL: M estimates nothing; PF_ENOMEM. */
int pf_copro_truth_points(const struct pf_copro_truth *truth, const struct pf_copro *m, struct pf_truth_points *points);

/* How good they are: M has finished. */
int pf_copro_truth_score(const struct pf_copro_truth *truth, const struct pf_copro *m, struct pf_copro_score *score);

/* Adds to COURSE how good what M has saved so far is, of what the loads have loaded so far, LOADS times in all. */
int pf_copro_truth_step(const struct pf_copro_truth *truth, struct pf_copro *m, uint64_t loads,
			struct pf_truth_course *course);

#endif
