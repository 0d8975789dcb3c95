/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that runs under the software recorder while somebody looks at its whole stream of branches. */
#ifndef PF_CLI_LIVE_RUN_H
#define PF_CLI_LIVE_RUN_H

#include "analysis/branch-feed.h"

/* How it ended, and what was not seen. */
struct pf_live_end {
	int status;      /* the program's, as a shell has it; 0 if it did not run */
	uint64_t unseen; /* times that it ran on natively up to an entry */
	uint64_t left;   /* processes that nobody seemed to read any more */
	uint64_t lost;   /* branches, as there were too many distinct ones */
	uint64_t bursts, branches;
	uint64_t cpu_ns, cost_ns; /* of the program, and of the recorder in it */
	uint64_t refused;         /* processes and threads */
	const char *refusal;      /* why the most of them; NULL: there are none */
};

/* Runs ARGV and feeds SINK, with loads and stores if it takes them: every branch or, with a BUDGET_PPM of its CPU time
 * for the recorder, bursts, with a cut in front of each.  *END is filled as far as it came, also on failure.
 * Errors of pf_target_find, pf_session_choose and pf_session_run. */
int pf_live_run(const struct pf_branch_sink *sink, char *const *argv, uint32_t budget_ppm, struct pf_live_end *end,
		struct pf_error *error);

/* Says on standard error, under the name of COMMAND, what was not seen; of bursts, what was, and its cost. */
void pf_live_tell(const char *command, const struct pf_live_end *end);
void pf_live_tell_bursts(const char *command, const struct pf_live_end *end);

#endif
