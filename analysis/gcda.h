/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gcov's counts (.gcda files): whether the training run left any, and whether -fprofile-use found them. */
#ifndef PF_ANALYSIS_GCDA_H
#define PF_ANALYSIS_GCDA_H

#include "analysis/contest.h"
#include "analysis/inspect.h"

/* The folder of the counts. */
void pf_gcda_folder(const struct pf_contest *contest, char path[PATH_MAX]);

/* Takes down what counts there are, so that pf_gcda_check can tell which of them are read; *DIGEST is theirs.
 * PF_EEMPTY: there are none; PF_EIO. */
int pf_gcda_prepare(const struct pf_contest *contest, uint64_t *digest, struct pf_error *error);

/* After the build of instr: drops it if the compiler did not find the counts of sources that the program consists of,
 * or read no counts at all. */
void pf_gcda_check(struct pf_contest *contest, const struct pf_inspection *program);

#endif
