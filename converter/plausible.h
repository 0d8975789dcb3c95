/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a binary's code can have made the branches and samples that were recorded in it.  Where no build-id could be
 * compared, this alone tells the binary that ran from one that was built after an edit. */
#ifndef PF_CONVERTER_PLAUSIBLE_H
#define PF_CONVERTER_PLAUSIBLE_H

#include "converter/program.h"

#define PF_IMPOSSIBLE_ERROR 30 /* permille of impossible branches, ranges or samples from which the binary is wrong */
#define PF_IMPOSSIBLE_LEAST 3  /* so few of them prove nothing */

/* Compares all edges of P's traffic with the code, fills in the modules' plausibility, and sets IMPOSSIBLE of those (by
 * index) that cannot be.  PF_ENOMEM. */
int pf_plausible_branches(struct pf_program *p, bool *impossible, struct pf_error *error);

/* Fails with PF_EMISMATCH if too much of what was recorded in M is impossible. */
int pf_plausible_check(const struct pf_program_module *m, struct pf_error *error);

/* The same for plain samples: those in M's functions, which are read, are at the starts of instructions.
 * PF_EMISMATCH. */
int pf_plausible_samples(const struct pf_program_module *m, struct pf_error *error);

#endif
