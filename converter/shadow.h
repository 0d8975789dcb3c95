/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code at once behind a system call or a fault runs slowly: the kernel leaves the predictors of returns and jumps
 * empty, and some processors more than that.  So bursts begin there that stand for the call, and not for as many
 * executions as others: by their number they are taken for what they are.  doc/sampling.md derives it. */
#ifndef PF_CONVERTER_SHADOW_H
#define PF_CONVERTER_SHADOW_H

#include "converter/followers.h"

#define PF_SHADOW_BRANCHES 4

/* COUNT bursts of one recording. */
struct pf_shadow_input {
	const struct pf_vectors *vectors;
	const struct pf_traffic *traffic;
	const uint32_t *ids; /* as in pf_reach_input */
	const struct pf_followers *of;
	size_t count;
};

/* Lowers the weights in ENDS of the bursts that began within PF_SHADOW_BRANCHES behind a call, if they are more than
 * by chance, to what others have for as many executions.  Weights that are as they should be stay.  PF_ENOMEM. */
int pf_shadow_weigh(const struct pf_shadow_input *input, struct pf_ends *ends);

#endif
