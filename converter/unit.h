/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the entries of a unit are read against: the places in other sections that its first entry names.  The hard case
 * is a unit that was split: its entries are in a .dwo file, its addresses in the program, and which of the two a base
 * belongs to is another matter in DWARF 4 than in 5. */
#ifndef PF_CONVERTER_UNIT_H
#define PF_CONVERTER_UNIT_H

#include "converter/dwarfobject.h"

struct pf_dwarf_unit {
	const struct pf_dwarf *dwarf;  /* has the entries */
	const struct pf_dwarf *linked; /* has .debug_addr and .debug_ranges; another one if the unit was split */
	uint64_t base;                 /* its lowest address, from which .debug_ranges counts */
	uint64_t addresses_at;         /* of its addresses, in .debug_addr */
	uint64_t ranges_at;            /* what its offsets in .debug_ranges are added to */
	uint64_t lists_at;             /* of its table of lists, in .debug_rnglists */
	uint64_t split_ranges_at;      /* ranges_at of the other half */
	Dwarf_Half version;
	bool layers; /* in its discriminators (discriminator.h) */
};

/* Number INDEX of the unit's addresses. */
bool pf_unit_address(const struct pf_dwarf_unit *unit, uint64_t index, uint64_t *address);

#endif
