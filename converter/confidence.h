/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a correction of weights is to be believed.  It takes a bias away and adds noise of its own; which of the two
 * is more can be told from the recording, since a bias is in both halves of it and noise is not.  doc/sampling.md
 * derives it. */
#ifndef PF_CONVERTER_CONFIDENCE_H
#define PF_CONVERTER_CONFIDENCE_H

#include "converter/halves.h"
#include "perfdata/vectors.h"

/* One recording, and what each branch of its bursts stands for. */
struct pf_trust {
	const struct pf_vectors *vectors;
	const uint32_t *ids; /* the number of each edge, below `edges`, or PF_NO_EDGE */
	size_t edges;
	struct pf_halves halves;       /* spans the bursts, and deals them */
	const double *plain;           /* by burst: as it is */
	const double *corrected;       /* as corrected */
	const double *corrected_by[2]; /* by what half 0, or half 1, knows alone */
};

/* What halves say; a zeroed one has heard nothing. */
struct pf_trust_evidence {
	double bias;     /* B B of confidence.c */
	double common;   /* e n */
	double distance; /* D D */
};

/* Adds what the two halves of TRUST say, dealt one way, to *EVIDENCE: of several ways each is an estimate of the same,
 * and in their sum the chance of dealing is less.  PF_ENOMEM. */
int pf_trust_add(const struct pf_trust *trust, struct pf_trust_evidence *evidence);

/* The part of the correction, 0 to 1, with which the squared error of the edges' shares is expected to be least, by the
 * evidence of so many TIMINGS; 1/2 where these say nothing.  OTHERS: recordings that this one is added to, each with
 * noise of its own and with the same bias. */
double pf_trust_share(const struct pf_trust_evidence *evidence, uint64_t timings, size_t others);

#endif
