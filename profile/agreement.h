/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a profile can be trusted: whether two halves of its recording say the same, and how many looks it had. */
#ifndef PF_PROFILE_AGREEMENT_H
#define PF_PROFILE_AGREEMENT_H

#include "profile/model.h"

#define PF_AGREEMENT_UNKNOWN UINT32_MAX

/* By the rule of three, what was never seen in K looks is in less than 3 of K, nineteen times in twenty.  Code that is
 * not optimised for speed may take half as long again: after so many looks that costs less than two hundredths of the
 * run, if the worst comes to the worst. */
#define PF_AGREEMENT_LOOKS_TO_COOL 75

/* Of a recording of LOOKS bursts (stacks, plain samples) whose halves overlap by OVERLAP, 0 to 1, and of which the
 * share ALONE is of branches (blocks) that a single look saw. */
struct pf_agreement pf_agreement_of(uint64_t looks, double overlap, double alone);

/* Adds what another recording, independent of *A's, says. */
void pf_agreement_add(struct pf_agreement *a, const struct pf_agreement *b);

/* How far two halves of all recordings agree, in permille; PF_AGREEMENT_UNKNOWN if there were no looks. */
uint32_t pf_agreement_permille(const struct pf_agreement *a);

/* How much of what the program runs no look is to be expected to have seen, in permille: as much as one look alone saw
 * of what the others did not, which is what it would have been without that look (Good, The Population Frequencies of
 * Species, 1953).  Of merged recordings, each of which may have seen what another lacks, it is at most that. */
uint32_t pf_agreement_unseen(const struct pf_agreement *a);

#endif
