/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See unit.h. */
#include "converter/unit.h"

bool pf_unit_address(const struct pf_dwarf_unit *unit, uint64_t index, uint64_t *address)
{
	struct pf_cursor c = pf_dwarf_cursor(unit->linked, PF_DWARF_ADDR, unit->addresses_at);

	pf_cursor_bytes(&c, index > UINT32_MAX ? SIZE_MAX : index * 8);
	*address = pf_cursor_u64(&c);
	return !c.failed;
}
