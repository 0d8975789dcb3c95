/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiling co-processor of Zilles and Sohi (HPCA 2001), in software: it runs a program (copro-program.h) over a
 * stream of samples.  A sample passes three filters first: the class of its instruction, which part of the program it
 * is in (a hash of its address), and whether it is masked (a table of bits that another hash of its address leads to).
 * The program keeps what it learns in slots, and interrupts to empty them into the profile (copro-profile.h). */
#ifndef PF_ANALYSIS_COPRO_H
#define PF_ANALYSIS_COPRO_H

#include "analysis/copro-profile.h"

#define PF_COPRO_DEPTH 10u /* of parts: the program is divided into 1,024 at most */

/* What is looked at: addresses whose hash has MATCH as its DEPTH lowest bits. */
struct pf_copro_part_of {
	uint32_t depth, match;
};

struct pf_copro_counts {
	uint64_t offered;      /* samples of the program's classes */
	uint64_t elsewhere;    /* of them those in another part of the program, */
	uint64_t masked;       /* those masked, */
	uint64_t handled;      /* and those that a handler saw */
	uint64_t saves, drops; /* interrupts */
	uint64_t saved;        /* slots */
	uint64_t masks;        /* addresses, some of them twice perhaps */
	uint64_t parts;        /* of the program, at the end */
};

/* The slots of one array. */
struct pf_copro_slots {
	uint64_t *values; /* fields of slot 0, of slot 1 */
	uint8_t *state;
	uint32_t *bucket, *next; /* slots of one hash, plus 1 */
	uint32_t buckets;        /* a power of two */
	uint32_t at, up;         /* the slot at hand; the next one up for replacement */
	bool found;
};

struct pf_copro {
	const struct pf_copro_program *program; /* the caller's */
	struct pf_copro_slots arrays[PF_COPRO_ARRAYS];
	uint64_t counters[PF_COPRO_COUNTERS];
	uint64_t *mask; /* bits; NULL: the program has no filter */
	struct pf_copro_part_of parts[1u << PF_COPRO_DEPTH];
	uint32_t part_count, part;
	uint32_t lfsr;
	uint64_t seen, waited; /* samples since the last interrupt: handled; of the program's classes */
	uint64_t times;        /* for on save */
	struct pf_copro_profile profile;
	struct pf_copro_counts counts;
	bool failed; /* out of memory; what comes then is not counted */
};

/* Makes M ready to run PROGRAM, which must outlive it.  PF_ENOMEM.  M is the caller's, to pf_copro_fini, in any case.
 */
int pf_copro_init(struct pf_copro *m, const struct pf_copro_program *program);
void pf_copro_fini(struct pf_copro *m);

/* The next sample. */
void pf_copro_feed(struct pf_copro *m, const struct pf_copro_sample *sample);

/* What comes next does not follow on what came last. */
void pf_copro_cut(struct pf_copro *m);

/* The stream has ended: what the slots hold is saved.  PF_ENOMEM if memory ran out at any time. */
int pf_copro_finish(struct pf_copro *m);

#endif
