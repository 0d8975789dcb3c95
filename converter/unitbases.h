/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what the entries of a unit are read against, in the unit's first entry. */
#ifndef PF_CONVERTER_UNITBASES_H
#define PF_CONVERTER_UNITBASES_H

#include "converter/unit.h"

/* The unit of DWARF whose first entry is DIE. */
struct pf_dwarf_unit pf_unit_of(const struct pf_dwarf *dwarf, Dwarf_Die die);

/* The unit of SPLIT whose first entry is DIE and whose other half is SKELETON. */
struct pf_dwarf_unit pf_unit_of_split(const struct pf_dwarf *split, Dwarf_Die die,
				      const struct pf_dwarf_unit *skeleton);

#endif
