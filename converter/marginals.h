/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of branches and counts of straight code, which somebody added up apart, as traffic. */
#ifndef PF_CONVERTER_MARGINALS_H
#define PF_CONVERTER_MARGINALS_H

#include "converter/intake.h"
#include "perfdata/aggregates.h"

/* Adds A, of the file PATH, to T and describes it in *RECORDING.  A branch of which the straight code in front is
 * counted less often is the oldest of its stack as often, and left out as such (or kept, if they are asked for `bare`).
 * PF_EEMPTY (nothing in it), PF_ENOMEM. */
int pf_marginals_take(struct pf_traffic *t, const struct pf_aggregates *a, const char *path,
		      const struct pf_intake_options *options, struct pf_recording *recording, struct pf_error *error);

#endif
