/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where control went from the positions of a function: callees and branch outcomes. */
#ifndef PF_CONVERTER_LINKS_H
#define PF_CONVERTER_LINKS_H

#include "converter/building.h"

/* Fills in targets and outcomes of the records of FUNCTION, and notes in BUILT what of the transfers has a
 * position.  PF_ENOMEM. */
int pf_links_build(const struct pf_building *b, struct pf_function *function, struct pf_built *built);

/* The instruction whose place tells where the jump AT, which has a record, leads if it goes on at TO: as the `to` of an
 * outcome has it.  PF_NO_INSN if none is near. */
uint32_t pf_links_destination(const struct pf_building *b, uint32_t at, uint32_t to);

/* How often the function was entered, in 1/256. */
uint64_t pf_links_head(const struct pf_building *b);

#endif
