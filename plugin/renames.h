/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file of the profiled tree a file of this tree is, where their paths do not tell: in a root folder of another
 * name. */
#ifndef PF_PLUGIN_RENAMES_H
#define PF_PLUGIN_RENAMES_H

#include "support/array.h"
#include "support/error.h"

struct pf_rename {
	char *own, *profiled; /* owned; profiled is NULL if functions contradict each other */
};

/* A zeroed one is empty. */
struct pf_renames {
	PF_ARRAY(struct pf_rename) list;
};

/* A public function of the file OWN is in the file PROFILED of the profile.  PF_ENOMEM. */
int pf_renames_learn(struct pf_renames *r, const char *own, const char *profiled);
void pf_renames_fini(struct pf_renames *r);

/* The name that the profile has for the file OWN; OWN itself if no function told another. */
const char *pf_renames_of(const struct pf_renames *r, const char *own);

#endif
