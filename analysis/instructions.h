/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many instructions each variant executes, in the processes whose program is the variant's, by callgrind
 * (executed.h), with what libraries take for the calls of base (same-calls.h). */
#ifndef PF_ANALYSIS_INSTRUCTIONS_H
#define PF_ANALYSIS_INSTRUCTIONS_H

#include "analysis/contest.h"

/* Fills the instructions of contest->entries.  As pf_contest_run. */
int pf_instructions_measure(struct pf_contest *contest, struct pf_error *error);

#endif
