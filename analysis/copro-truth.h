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

struct pf_copro_score {
	uint64_t loads;  /* static ones */
	uint64_t values; /* that are looked at, */
	uint64_t seen;   /* and of these those with an estimate */
	double rms;      /* error of the invariance, from 0 to 1, each value weighed by its executions */
};

void pf_copro_truth_fini(struct pf_copro_truth *truth);

/* The load at PC loaded VALUE.  False when out of memory. */
bool pf_copro_truth_add(struct pf_copro_truth *truth, uint64_t pc, uint64_t value);

/* How good the estimates of M are, which has finished: of its first array that has some, whose first key is the
 * instruction's address.  A value without an estimate has 0.  PF_EINVAL: M estimates nothing. */
int pf_copro_truth_score(const struct pf_copro_truth *truth, const struct pf_copro *m, struct pf_copro_score *score);

#endif
