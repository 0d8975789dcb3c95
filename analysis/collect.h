/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each variant comes by its profile: gcov's counts, recordings of the plain base program, and what both cost. */
#ifndef PF_ANALYSIS_COLLECT_H
#define PF_ANALYSIS_COLLECT_H

#include "analysis/contest.h"

/* Builds base, and runs the training command with it, twice: what it prints must be the same.  A failure drops base,
 * and with it all.  As pf_variant_build and pf_contest_run. */
int pf_collect_base(struct pf_contest *contest, struct pf_error *error);

/* The same for the other variants that are wanted: each is trained for, and built.  What goes wrong drops the variant.
 */
int pf_collect_variants(struct pf_contest *contest, struct pf_error *error);

/* What collecting costs: the training run as it is, instrumented, and recorded, in rounds. */
int pf_collect_overhead(struct pf_contest *contest, struct pf_error *error);

/* How many rounds pf_collect_overhead runs. */
unsigned pf_collect_rounds(const struct pf_plan *plan);

#endif
