/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of an entry's code. */
#ifndef PF_CONVERTER_RANGES_H
#define PF_CONVERTER_RANGES_H

#include "converter/source.h"
#include "converter/unit.h"

/* Appends the ranges of DIE (low_pc and high_pc, .debug_ranges or .debug_rnglists), which UNIT has; of a damaged list
 * those in front of the damage.  False when out of memory. */
bool pf_ranges_read(const struct pf_dwarf_unit *unit, Dwarf_Die die, struct pf_range_array *ranges);

#endif
