/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust.h.  The hard case is the thresholds.  The whole of a recording is about half as far from the truth as its
 * halves are from each other (doc/sampling.md): below 60%, a fifth of the profile is chance.  And halves of next to
 * nothing agree where both have missed the same: by the rule of three, what was never seen in K looks is in less than 3
 * of K, nineteen times in twenty, which of fewer than 15 is more than a fifth. */
#include "cli/trust.h"
#include "profile/agreement.h"

#include <inttypes.h>
#include <stdio.h>

#define AGREEMENT_WARNING 600 /* permille */
#define LOOKS_WARNING 15

/* Percent of the run that can have been missed by all of so many looks. */
static double missed(uint64_t looks)
{
	return looks > 3 ? 300.0 / (double)looks : 100;
}

void pf_trust_print(const struct pf_traffic *t, const struct pf_agreement *agreement, bool quiet)
{
	uint32_t permille = pf_agreement_permille(agreement), unseen = pf_agreement_unseen(agreement);
	bool plain = t->edges.count == 0;
	const char *looks = plain ? "samples" : "vectors";

	if (!quiet && t->branches_completed > 0)
		fprintf(stderr, "  %.1f%% of the branches stand for others that ran behind a cut, as at system calls\n",
			100.0 * t->branches_completed / (double)t->branches_read);
	if (t->bursts_baseless > t->bursts_read / 2)
		fprintf(stderr,
			"pathfdo convert: warning: %" PRIu64 " of the %" PRIu64
			" vectors began where the program had waited (behind a system call, or in a loop with "
			"pause), and too few anywhere else: they tell how it goes on there, and not what it spends its "
			"time on; record a longer run, or more of its work\n",
			t->bursts_baseless, t->bursts_read);
	if (permille == PF_AGREEMENT_UNKNOWN)
		return;
	if (!quiet)
		fprintf(stderr,
			"  two halves of it agree to %u.%u%% of the %s, with %" PRIu64
			" %s in all: by chance alone, about %u%% of the profile is wrong\n",
			permille / 10, permille % 10, plain ? "time" : "branches", agreement->looks, looks,
			(1000 - permille + 10) / 20);
	if (!quiet && unseen > 0)
		fprintf(stderr, "  about %u.%u%% of what the program ran was never seen\n", unseen / 10, unseen % 10);
	if (!quiet && agreement->looks < PF_AGREEMENT_LOOKS_TO_COOL)
		fprintf(stderr, "  so few %s can all have missed code that takes up to %.0f%% of the run\n", looks,
			missed(agreement->looks));
	if (permille >= AGREEMENT_WARNING && agreement->looks < LOOKS_WARNING)
		fprintf(stderr,
			"pathfdo convert: warning: %" PRIu64
			" %s are few, and code that takes up to %.0f%% of the run can be missing; record a longer "
			"run, or several and convert them together\n",
			agreement->looks, looks, missed(agreement->looks));
	if (permille < AGREEMENT_WARNING)
		fprintf(stderr,
			"pathfdo convert: warning: two halves of the recording agree to only %u.%u%%: too little was "
			"recorded to be sure of it; record a longer run, or several and convert them together\n",
			permille / 10, permille % 10);
}
