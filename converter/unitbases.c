/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See unitbases.h. */
#include "converter/unitbases.h"
#include "converter/die.h"
#include "converter/discriminator.h"

#include <dwarf.h>

static uint64_t offset_of(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, uint64_t otherwise)
{
	uint64_t value;
	bool indexed;

	return pf_die_offset(dwarf, die, name, &value, &indexed) ? value : otherwise;
}

static bool has_layers(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	const char *producer;

	return pf_die_string(dwarf, die, DW_AT_producer, &producer) && pf_discriminator_has_layers(producer);
}

/* Where the first table of a section begins: behind a length, and so many bytes. */
static uint64_t behind_header(Dwarf_Die die, unsigned bytes)
{
	Dwarf_Half version = 0, offset_size = 0;

	dwarf_get_version_of_die(die, &version, &offset_size);
	return (offset_size == 8 ? 12 : 4) + bytes;
}

struct pf_dwarf_unit pf_unit_of(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	struct pf_dwarf_unit unit = { .dwarf = dwarf, .linked = dwarf };
	Dwarf_Half offset_size = 0;

	dwarf_get_version_of_die(die, &unit.version, &offset_size);
	unit.addresses_at = unit.version >= 5 ? offset_of(dwarf, die, DW_AT_addr_base, behind_header(die, 4))
					      : offset_of(dwarf, die, DW_AT_GNU_addr_base, 0);
	unit.lists_at = offset_of(dwarf, die, DW_AT_rnglists_base, behind_header(die, 8));
	unit.split_ranges_at = offset_of(dwarf, die, DW_AT_GNU_ranges_base, 0);
	pf_die_address(&unit, die, DW_AT_low_pc, &unit.base);
	unit.layers = has_layers(dwarf, die);
	return unit;
}

struct pf_dwarf_unit pf_unit_of_split(const struct pf_dwarf *split, Dwarf_Die die, const struct pf_dwarf_unit *skeleton)
{
	struct pf_dwarf_unit unit = *skeleton;

	unit.dwarf = split;
	unit.lists_at = behind_header(die, 8);
	unit.ranges_at = skeleton->split_ranges_at;
	unit.layers = has_layers(split, die);
	return unit;
}
