/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of DWARF entries, in one call each.  What is absent or damaged is reported alike: false. */
#ifndef PF_CONVERTER_DIE_H
#define PF_CONVERTER_DIE_H

#include "converter/source.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

/* An unsigned constant (also those that the producer wrote as signed). */
bool pf_die_number(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, uint64_t *value);

/* An address. */
bool pf_die_address(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, uint64_t *value);

/* A string, in the section. */
bool pf_die_string(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, const char **value);

/* The entry that a reference attribute points to, in any unit: its global offset, and whether that is one in the
 * supplementary file. */
bool pf_die_reference(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, Dwarf_Off *offset, bool *supplement);

Dwarf_Half pf_die_tag(Dwarf_Debug debug, Dwarf_Die die);

/* Appends the entry's ranges (low_pc and high_pc, .debug_ranges or .debug_rnglists); false when out of memory. */
bool pf_die_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t unit_base, struct pf_range_array *ranges);

/* Releases *DIE and steps to its next sibling; false (and *DIE NULL) at the end. */
bool pf_die_next(Dwarf_Debug debug, Dwarf_Die *die);

/* First child, or NULL. */
Dwarf_Die pf_die_child(Dwarf_Debug debug, Dwarf_Die die);

void pf_die_release(Dwarf_Debug debug, Dwarf_Die die);

#endif
