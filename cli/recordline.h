/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the options of `pathfdo record` say, for the files that it is made of. */
#ifndef PF_CLI_RECORDLINE_H
#define PF_CLI_RECORDLINE_H

#include "runtime/running.h"
#include "runtime/session.h"
#include "runtime/session.h"

#include <stdbool.h>

/* As a shell and env have it. */
#define PF_EXIT_CANNOT_RUN 126
#define PF_EXIT_NOT_FOUND 127

struct pf_record_line {
	struct pf_session_options session; /* its output is that of the present recording */
	struct pf_running running;         /* if anything is selected: what runs already */
	const char *pattern;               /* the output's name as it was given; NULL: the usual */
	const char *collect;               /* a folder, or NULL */
	uint32_t every_ms, for_ms;         /* a recording so often, so long each; 0: one */
	uint32_t duration_ms;              /* of all of them; 0: until somebody ends it */
	uint32_t keep;                     /* recordings, of which older ones are removed; 0: all */
	bool quiet, verbose, help;
};

/* recordsum.c: prints the sentence; PF_EXIT_FAILURE. */
int pf_record_fail(const struct pf_error *error);
/* That the disk was full, also where nothing came of it. */
void pf_record_print_full(const struct pf_session_result *result);
/* Where a recording is that could not be written to its place, if it is anywhere. */
void pf_record_print_saved(const struct pf_session_result *result);
/* Which source it is, and what the kernel makes of the rate. */
void pf_record_print_choice(const struct pf_record_line *line, const struct pf_session_choice *choice);
/* What is to be known of a recording that was written: warnings, and the line that sums it up. */
void pf_record_print_result(const struct pf_record_line *line, const struct pf_session_choice *choice,
			    const struct pf_session_result *result);
/* Most of the program's time is not represented: the profile is of something else than the program. */
bool pf_record_is_mostly_unseen(const struct pf_session_result *result);

/* recordrun.c: records what runs already, once or again and again; the command's exit status. */
int pf_record_running(struct pf_record_line *line);

#endif
