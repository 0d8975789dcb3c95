/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a body was added up from: the function's own record, and each instance of it. */
#ifndef PF_PLUGIN_PARTS_H
#define PF_PLUGIN_PARTS_H

#include "profile/model.h"

struct pf_part {
	struct pf_profile *profile; /* has one function, canonical; owned */
	uint32_t *map;              /* room for two numbers a node; the profile's */
};

/* A zeroed pf_parts is empty. */
struct pf_parts {
	struct pf_part *at; /* owned */
	uint32_t count;
};

/* Copies the functions of GATHERED, each to a part of its own, those that carry less than 1/32 of all together to one.
 * PF_ENOMEM, and what pf_profile_canonicalise gives. */
int pf_parts_split(struct pf_parts *parts, const struct pf_profile *gathered, struct pf_error *error);
void pf_parts_fini(struct pf_parts *parts);

/* Divides the counts of FUNCTION by COPIES, one a node; 0 and 1 leave them.  What was seen stays seen. */
void pf_parts_share_function(struct pf_function *function, const uint32_t *copies);

/* The same for all parts of a body, whose sum is FUNCTION and whose nodes COPIES counts. */
void pf_parts_share(const struct pf_parts *parts, const struct pf_function *function, const uint32_t *copies);

#endif
