/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chunks of a .pfdo file that hold what came later to the records of functions: values, and senses of jumps; see
 * pfdo-apart.c. */
#ifndef PF_PROFILE_PFDO_APART_H
#define PF_PROFILE_PFDO_APART_H

#include "profile/pfdo-file.h"

#define PF_PFDO_APART 2 /* kinds of it */

/* What is collected while the functions are written, in their order. */
struct pf_pfdo_apart {
	struct {
		struct pf_buffer table, payloads;
		uint32_t count;
	} kinds[PF_PFDO_APART];
};

/* Adds what FUNCTION has, whose frame is at OFFSET of the functions.  Memory that runs out shows in the buffers. */
void pf_pfdo_apart_add(struct pf_pfdo_apart *apart, const struct pf_function *function, uint64_t offset);

/* Appends each chunk to its own of CHUNKS, nothing if no function has any of it, and releases APART. */
void pf_pfdo_apart_finish(struct pf_pfdo_apart *apart, struct pf_buffer chunks[PF_CHUNK_COUNT]);

/* Gives the records of FUNCTION, whose frame is at OFFSET, what the file has for them apart; adds 1 to FOUND of each
 * kind that there was any of, unless it is NULL.  PF_EFORMAT, PF_ENOMEM. */
int pf_pfdo_apart_get(struct pf_pfdo *file, uint64_t offset, struct pf_profile *profile, struct pf_function *function,
		      uint32_t found[PF_PFDO_APART], struct pf_error *error);

/* No two functions share what they have, so all of them together have no more than the file has.  PF_EFORMAT. */
int pf_pfdo_apart_check(struct pf_pfdo *file, struct pf_error *error);

/* Whether FOUND, of all functions, is all that the file has.  PF_EFORMAT: some belongs to no function. */
int pf_pfdo_apart_complete(struct pf_pfdo *file, const uint32_t found[PF_PFDO_APART], struct pf_error *error);

#endif
