/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which shared libraries of its own a built program has: those that it needs and that lie in its build folder. */
#ifndef PF_ANALYSIS_LIBRARIES_H
#define PF_ANALYSIS_LIBRARIES_H

#include "support/array.h"
#include "support/error.h"

struct pf_libraries {
	PF_ARRAY(char *) paths;
};

/* Finds the libraries below FOLDER that PROGRAM needs, and those that they need.  Errors of pf_elf_open for PROGRAM;
 * PF_ENOMEM. */
int pf_libraries_find(const char *program, const char *folder, struct pf_libraries *libraries, struct pf_error *error);
void pf_libraries_fini(struct pf_libraries *libraries);

#endif
