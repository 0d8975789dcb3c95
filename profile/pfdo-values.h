/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chunk of a .pfdo file that holds the values of the functions that have some; see pfdo-values.c. */
#ifndef PF_PROFILE_PFDO_VALUES_H
#define PF_PROFILE_PFDO_VALUES_H

#include "profile/pfdo-file.h"

/* What is collected while the functions are written, in their order. */
struct pf_pfdo_values {
	struct pf_buffer table, payloads;
	uint32_t count;
};

/* Adds the values of FUNCTION, whose frame is at OFFSET of the functions.  Memory that runs out shows in the buffers.
 */
void pf_pfdo_values_add(struct pf_pfdo_values *values, const struct pf_function *function, uint64_t offset);

/* Appends the chunk to OUT, nothing if no function has values, and releases VALUES. */
void pf_pfdo_values_finish(struct pf_pfdo_values *values, struct pf_buffer *out);

/* Gives the records of FUNCTION, whose frame is at OFFSET, the values that the file has for them; *FOUND tells whether
 * there were any, unless it is NULL.  PF_EFORMAT, PF_ENOMEM. */
int pf_pfdo_values_get(struct pf_pfdo *file, uint64_t offset, struct pf_profile *profile, struct pf_function *function,
		       bool *found, struct pf_error *error);

/* How many functions have values, as the file says.  PF_EFORMAT. */
int pf_pfdo_values_count(struct pf_pfdo *file, uint32_t *count, struct pf_error *error);

/* No two functions share values, so what all of them have is no more than the file has.  PF_EFORMAT. */
int pf_pfdo_values_check(struct pf_pfdo *file, struct pf_error *error);

#endif
