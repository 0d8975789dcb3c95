/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a binary was compiled for a profile: by its debug information, which has the options of each unit. */
#ifndef PF_ANALYSIS_MADEFOR_H
#define PF_ANALYSIS_MADEFOR_H

#include "converter/source.h"
#include "profile/model.h"
#include "support/array.h"

struct pf_madefor_unit {
	const struct pf_source_unit *unit; /* the source's */
	uint64_t total;                    /* of the profile's counts, those in functions that its file declares */
	bool asked;                        /* it was compiled for the profile */
};

struct pf_madefor {
	PF_ARRAY(struct pf_madefor_unit) units; /* those not for the profile first; by descending total, and file */
	uint64_t total;                /* of the profile's counts */
	uint64_t elsewhere;            /* of these, in functions of no unit's file: headers, other binaries */
	uint64_t missed;               /* of these, in functions of files that were not compiled for it */
	size_t by_made[PF_MADE_COUNT]; /* units */
	size_t profiles;               /* different ones that units were compiled for */
	size_t asked;                  /* units that were compiled for the profile */
};

/* Judges the units of SOURCE by PROFILE, canonical, which has HASH and the name PATH.  A unit whose flags have no hash
 * is for what they name.  Without a PROFILE (NULL) only the units are counted, and those for no profile come first.  *M
 * is the caller's, to pf_madefor_fini, and refers to SOURCE.  PF_ENOMEM. */
int pf_madefor_judge(const struct pf_source *source, const struct pf_profile *profile, uint32_t hash, const char *path,
		     struct pf_madefor *m, struct pf_error *error);
void pf_madefor_fini(struct pf_madefor *m);

#endif
