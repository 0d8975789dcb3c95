/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tap.h.  The hard case is a branch that was dropped: what stands on both of its sides did not run one after the
 * other, so the vector falls into pieces there. */
#include "converter/tap.h"

void pf_tap_fini(struct pf_tap *tap)
{
	pf_array_fini(&tap->edges);
	pf_array_fini(&tap->weights);
	tap->at = 0;
}

int pf_tap_add(struct pf_tap *tap, uint32_t edge, uint64_t weight)
{
	uint32_t *new_edge = tap->listener ? pf_array_push(&tap->edges) : NULL;
	uint64_t *new_weight = new_edge ? pf_array_push(&tap->weights) : NULL;

	if (!tap->listener)
		return PF_OK;
	if (!new_weight)
		return PF_ENOMEM;
	*new_edge = edge;
	*new_weight = weight;
	return PF_OK;
}

int pf_tap_skip(struct pf_tap *tap, const struct pf_traffic *t, uint32_t count)
{
	struct pf_tap_piece piece = {
		.traffic = t,
		.edges = tap->edges.at,
		.weights = tap->weights.at,
		.count = (uint32_t)tap->edges.count,
		.at = tap->at,
	};

	tap->at += piece.count + count;
	tap->edges.count = tap->weights.count = 0;
	return tap->listener && piece.count > 0 ? tap->listener->take(tap->listener->context, &piece) : PF_OK;
}

int pf_tap_end(struct pf_tap *tap, const struct pf_traffic *t)
{
	int status = pf_tap_skip(tap, t, 0);

	tap->at = 0;
	return status;
}

int pf_tap_count(const struct pf_tap *tap, const struct pf_traffic *t, uint32_t edge, uint64_t weight)
{
	struct pf_tap_piece piece = {
		.traffic = t, .edges = &edge, .weights = &weight, .count = 1, .at = PF_TAP_NOWHERE
	};

	return tap->listener ? tap->listener->take(tap->listener->context, &piece) : PF_OK;
}
