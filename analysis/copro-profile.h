/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile in memory of a co-processor: what its interrupts emptied the slots into.  Slots with the same keys are a
 * group; those of a group with the same labels are one row, which has the sums. */
#ifndef PF_ANALYSIS_COPRO_PROFILE_H
#define PF_ANALYSIS_COPRO_PROFILE_H

#include "analysis/copro-program.h"

#define PF_COPRO_ENTRIES (1u << 20) /* rows and groups; what comes behind that is counted as lost */
#define PF_NO_ENTRY UINT32_MAX

/* A row or, where group is PF_NO_ENTRY, a group. */
struct pf_copro_entry {
	uint32_t array, group;
	uint32_t first, next; /* of a group: its rows; of a row: the next one; PF_NO_ENTRY: none */
	uint64_t times;       /* slots that were saved here */
	double invariance;    /* of a row's value, as pf_copro_profile_weigh last found it */
	uint64_t values[PF_COPRO_FIELDS];
};

struct pf_copro_profile {
	const struct pf_copro_program *program; /* the caller's */
	PF_ARRAY(struct pf_copro_entry) entries;
	uint32_t *index; /* of the entries, plus 1 */
	size_t index_size;
	uint64_t lost; /* slots */
};

void pf_copro_profile_fini(struct pf_copro_profile *profile);

/* The group of VALUES, a slot of ARRAY, which was saved once more: its number in *GROUP, PF_NO_ENTRY: there is no room
 * for it.  False when out of memory. */
bool pf_copro_profile_group(struct pf_copro_profile *profile, uint32_t array, const uint64_t *values, uint32_t *group);

/* Adds VALUES to the row of GROUP that has these labels.  False when out of memory. */
bool pf_copro_profile_add(struct pf_copro_profile *profile, uint32_t group, const uint64_t *values);

/* The invariance of each row's value by what its group's slots saw, from 0 to 1: hits / (hits + misses) holds from when
 * a value became the active one, which is when it was common; so each value gets its hits, the misses of the others by
 * its share of their hits, and an equal part, but at most a fifth, of the samples during which no value held (Zilles
 * and Sohi, A.6).  Of another's misses it gets no more than its own slots give it among what is not that other: else
 * all that is rare would be the common value's.  Of arrays that have no estimates it is 0.  False when out of memory.
 */
bool pf_copro_profile_weigh(struct pf_copro_profile *profile);

#endif
