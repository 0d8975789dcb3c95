/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of a profile as GCC 12's -fauto-profile looks them up: cut at the first dot, each once, numbered from 1.
 * Number 0 is nobody's, since GCC dies of a call target that has it. */
#ifndef PF_PROFILE_GCOV_NAMES_H
#define PF_PROFILE_GCOV_NAMES_H

#include "profile/model.h"

struct pf_gcov_known {
	const char *name; /* the profile's own string */
	uint32_t number;
};

struct pf_gcov_names {
	const char **items; /* the profile's own strings, sorted by what is left of them; [0] has number 1 */
	size_t count;
	struct pf_gcov_known *known; /* all strings of the profile, by address */
	size_t known_count;
};

/* Collects the names of PROFILE's functions, inlined instances and call targets, which must outlive NAMES.  To
 * pf_gcov_names_fini.  PF_ENOMEM, PF_ELIMIT (more than 2^32 - 2). */
int pf_gcov_names_collect(const struct pf_profile *profile, struct pf_gcov_names *names, struct pf_error *error);
void pf_gcov_names_fini(struct pf_gcov_names *names);

/* The number of NAME, which must be a string of the profile; 0 if nothing is left of it, for which GCC has no use. */
uint32_t pf_gcov_names_number(const struct pf_gcov_names *names, const char *name);

/* Length of what GCC leaves of NAME. */
size_t pf_gcov_name_length(const char *name);

#endif
