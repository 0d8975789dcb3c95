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
	struct pf_halves halves;       /* spans the bursts */
	const double *plain;           /* by burst: as it is */
	const double *corrected;       /* as corrected */
	const double *corrected_by[2]; /* by what half 0, or half 1, knows alone */
};

/* Sets *SHARE, 0 to 1, to the part of the correction with which the squared error of the edges' shares is expected to
 * be least; 1 where it changes nothing.  PF_ENOMEM. */
int pf_trust_find(const struct pf_trust *trust, double *share);

#endif
