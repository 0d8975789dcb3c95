/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of `pathfdo merge`: one sum of many files, made by one process or by several. */
#ifndef PF_CLI_MERGE_CREW_H
#define PF_CLI_MERGE_CREW_H

#include "cli/merge-inputs.h"

/* How to add up. */
struct pf_merge_plan {
	uint32_t jobs;   /* processes, from 1 */
	bool keep_going; /* leave out what cannot be read, and tell it */
	bool scaled;     /* inputs of samples become executions by the factor NUMERATOR / DENOMINATOR */
	uint64_t numerator, denominator;
};

/* Adds up the COUNT inputs at ITEMS that are not left out.  *SUM is canonical, the caller's to pf_profile_free, and the
 * same whatever the order of the inputs and the number of processes.  A process that is lost costs nothing: what it had
 * is given to others in halves, down to the one file that no process survives.  Errors as pf_pfdo_read of that file,
 * PF_EIO (a process was lost over a file, or cannot be started), PF_EEMPTY (all are left out), PF_ENOMEM. */
int pf_merge_crew(const struct pf_merge_plan *plan, struct pf_merge_input *items, size_t count, struct pf_profile **sum,
		  struct pf_error *error);

#endif
