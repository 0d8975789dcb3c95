/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that a linker made one of since their code is the same (--icf of gold, lld and mold): what ran as one of
 * them counts for the one whose debug information was kept. */
#ifndef PF_CONVERTER_FOLDS_H
#define PF_CONVERTER_FOLDS_H

#include "converter/source.h"

struct pf_fold {
	uint64_t address;
	const char *name; /* in the binary's symbols */
	size_t length;    /* without what is behind a clone's point */
	bool body;        /* the debug information has a function of this name that has code */
};

struct pf_folds {
	PF_ARRAY(struct pf_fold) names; /* by name */
};

/* Takes the names of the functions of FILES that may have been folded: several symbols at one address with one of the
 * COUNT sorted addresses at TOUCHED behind it, in a file of a linker that folds.  PF_ENOMEM. */
int pf_folds_find(struct pf_folds *folds, const struct pf_debug_files *files, const uint64_t *touched, size_t count);

/* The debug information has code for a function NAME.  Other names of one body (aliases) are never confirmed. */
void pf_folds_confirm(struct pf_folds *folds, const char *name);

/* Adds to SOURCE the functions that have several bodies.  PF_ENOMEM. */
int pf_folds_settle(struct pf_folds *folds, struct pf_source *source);

void pf_folds_fini(struct pf_folds *folds);

#endif
