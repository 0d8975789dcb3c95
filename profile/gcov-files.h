/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source files of a profile's functions, as GCC 16's -fauto-profile looks them up: by the last component of their
 * path. */
#ifndef PF_PROFILE_GCOV_FILES_H
#define PF_PROFILE_GCOV_FILES_H

#include "profile/gcov-names.h"

struct pf_gcov_files {
	const char **items; /* the profile's own strings; no two are equal in their last component */
	size_t count;
	uint32_t *of_name; /* for each of the names, in their order: its file's number, UINT32_MAX without one */
};

/* Collects the files of PROFILE's functions and inlined instances, which must outlive FILES; of a name that is in
 * several files, the first's.  To pf_gcov_files_fini, after failure as well.  PF_ENOMEM. */
int pf_gcov_files_collect(const struct pf_profile *profile, const struct pf_gcov_names *names,
			  struct pf_gcov_files *files, struct pf_error *error);
void pf_gcov_files_fini(struct pf_gcov_files *files);

#endif
