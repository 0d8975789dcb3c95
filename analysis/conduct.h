/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole comparison, from the sources to the JSON; the order of the work, and its going on after an interruption. */
#ifndef PF_ANALYSIS_CONDUCT_H
#define PF_ANALYSIS_CONDUCT_H

#include "analysis/contest.h"

/* Compares as PLAN says, going on where an earlier run with the same work folder was interrupted.  *FINDINGS is the
 * caller's; it is there also when variants, or the whole program, have errors in it; *FAULTS is how many have (but
 * for those that the plan excuses).  PF_EIO (the work folder, a file, or interrupted: what is finished is kept),
 * PF_EINVAL (another comparison is at work in the folder; it lies in the sources), PF_ENOTFOUND (no build system; no
 * valgrind), PF_ENOMEM. */
int pf_compare_run(struct pf_plan *plan, pf_progress *progress, void *context, json_t **findings, unsigned *faults,
		   struct pf_error *error);

#endif
