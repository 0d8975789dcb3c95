/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See building.h.  The hard case is a weight below one half of a sighting: it ran, so its count is no zero. */
#include "converter/building.h"

void pf_build_note(const struct pf_building *b, const struct pf_insn *insn, uint64_t weight, struct pf_built *built)
{
	bool abroad;

	pf_code_file(b->source, b->function, insn, &abroad);
	built->mapped = pf_sum(built->mapped, weight);
	built->abroad = pf_sum(built->abroad, abroad ? weight : 0);
}

uint64_t pf_build_count(uint64_t weight)
{
	uint64_t count = weight / PF_WEIGHT_ONE + (weight % PF_WEIGHT_ONE >= PF_WEIGHT_ONE / 2);

	return count == 0 && weight > 0 ? 1 : count;
}

struct pf_place pf_build_place(const struct pf_building *b, uint32_t insn)
{
	const struct pf_insn *i = &b->code.insns.at[insn];

	return (struct pf_place) { .node = b->node_of[i->node], .position = i->position };
}
