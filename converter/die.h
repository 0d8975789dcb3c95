/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of DWARF entries, in one call each.  What is absent or damaged is reported alike: false. */
#ifndef PF_CONVERTER_DIE_H
#define PF_CONVERTER_DIE_H

#include "converter/unit.h"

#include <dwarf.h>

/* An unsigned constant (also those that the producer wrote as signed). */
bool pf_die_number(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, uint64_t *value);

/* An offset in another section of the same file (DWARF 3 wrote it as a constant), or the number of a list there. */
bool pf_die_offset(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, uint64_t *value, bool *indexed);

/* An address, of an entry of UNIT. */
bool pf_die_address(const struct pf_dwarf_unit *unit, Dwarf_Die die, Dwarf_Half name, uint64_t *value);

/* A string, in the section. */
bool pf_die_string(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, const char **value);

/* The entry that a reference attribute points to, in any unit: its global offset, and whether that is one in the
 * supplementary file. */
bool pf_die_reference(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, Dwarf_Off *offset,
		      bool *supplement);

bool pf_die_has(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name);

/* Whether the entry says where its code is, be it nowhere. */
bool pf_die_has_code(const struct pf_dwarf *dwarf, Dwarf_Die die);

Dwarf_Half pf_die_tag(const struct pf_dwarf *dwarf, Dwarf_Die die);

/* Releases *DIE and steps to its next sibling; false (and *DIE NULL) at the end. */
bool pf_die_next(const struct pf_dwarf *dwarf, Dwarf_Die *die);

/* First child, or NULL. */
Dwarf_Die pf_die_child(const struct pf_dwarf *dwarf, Dwarf_Die die);

void pf_die_release(const struct pf_dwarf *dwarf, Dwarf_Die die);

#endif
