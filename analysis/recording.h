/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variants whose profile is recorded from the plain base program: record, convert, export, each by the command that
 * a user would run. */
#ifndef PF_ANALYSIS_RECORDING_H
#define PF_ANALYSIS_RECORDING_H

#include "analysis/contest.h"

/* The shell script that puts `pathfdo record` for BUILD's variant around "$2", writing to "$1"; to be released by free.
 * NULL when out of memory. */
char *pf_recording_wrapper(const struct pf_contest *contest, unsigned build);

/* Records the training command from the base program, and converts; fills entry BUILD's tool and profile.  What goes
 * wrong drops the variant. */
int pf_recording_make(struct pf_contest *contest, unsigned build, struct pf_error *error);

/* The flags that `pathfdo cflags` prints for BUILD's profile, in FLAGS; *DIGEST is that of profile and plugin. */
int pf_recording_flags(struct pf_contest *contest, unsigned build, char *flags, size_t size, uint64_t *digest,
		       struct pf_error *error);

/* The profile that soft makes of the same recording, for BUILD too: its path in BUILD's entry. */
int pf_recording_share(struct pf_contest *contest, unsigned build, struct pf_error *error);

/* GCC's own profile for BUILD, of afdo, by `pathfdo export` from soft's: its path in BUILD's entry. */
int pf_recording_export(struct pf_contest *contest, unsigned build, uint64_t *digest, struct pf_error *error);

#endif
