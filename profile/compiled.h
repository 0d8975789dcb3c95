/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source files that the profiled binaries were compiled from: which of them one compile's file is, and how they
 * are kept in a .pfdo file. */
#ifndef PF_PROFILE_COMPILED_H
#define PF_PROFILE_COMPILED_H

#include "profile/model.h"

/* Whether two folded names can be one file's, seen from other folders or on other machines: their last components
 * are equal, and the folders that hold these are, up to a version (xz-5.4.1, xz-5.4.2), where both names have one. */
bool pf_compiled_alike(const char *a, const char *b);

/* The key that a file is looked for by: a hash of its last component. */
uint32_t pf_compiled_key(const char *name);

/* Sorts the interned names of PROFILE and keeps each once. */
void pf_compiled_sort(struct pf_profile *profile);

#endif
