/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The edges of one recording by numbers of its own, so that what is computed of it is as much work as there is in it,
 * and not in all recordings that came before. */
#ifndef PF_CONVERTER_OWN_EDGES_H
#define PF_CONVERTER_OWN_EDGES_H

#include "perfdata/vectors.h"

#include <stddef.h>
#include <stdint.h>

struct pf_own_edges {
	uint32_t *numbers; /* of each edge of the recording: below `count`, or PF_NO_EDGE */
	size_t count;
};

/* Numbers the edges of V, one number where IDS has one, and PF_NO_EDGE where IDS has that.  *OWN is the caller's, to
 * pf_own_edges_fini, in any case.  PF_ENOMEM. */
int pf_own_edges_find(const struct pf_vectors *v, const uint32_t *ids, struct pf_own_edges *own);
void pf_own_edges_fini(struct pf_own_edges *own);

#endif
