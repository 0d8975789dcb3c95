/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ranges.h.  The hard case is bases: DWARF 4 and 5 write lists in different sections, and those of a split unit
 * count from what its skeleton says. */
#include "converter/ranges.h"
#include "converter/die.h"

#include <dwarf.h>

static bool add_range(struct pf_range_array *ranges, uint64_t start, uint64_t end)
{
	struct pf_range *new = start < end ? pf_array_push(ranges) : NULL;

	if (new)
		*new = (struct pf_range) { start, end };
	return new || start >= end;
}

/* An address that the list names by its number in the unit. */
static uint64_t indexed(const struct pf_dwarf_unit *unit, struct pf_cursor *c)
{
	uint64_t address;

	c->failed |= !pf_unit_address(unit, pf_cursor_uleb(c), &address);
	return address;
}

/* Reads one entry of .debug_rnglists to [*START, *END), empty if it has no range; false behind the last. */
static bool read_entry(const struct pf_dwarf_unit *unit, struct pf_cursor *c, uint64_t *base, uint64_t *start,
		       uint64_t *end)
{
	*start = *end = 0;
	switch (pf_cursor_u8(c)) {
	case DW_RLE_base_addressx:
		*base = indexed(unit, c);
		break;
	case DW_RLE_startx_endx:
		*start = indexed(unit, c);
		*end = indexed(unit, c);
		break;
	case DW_RLE_startx_length:
		*start = indexed(unit, c);
		*end = *start + pf_cursor_uleb(c);
		break;
	case DW_RLE_offset_pair:
		*start = *base + pf_cursor_uleb(c);
		*end = *base + pf_cursor_uleb(c);
		break;
	case DW_RLE_base_address:
		*base = pf_cursor_u64(c);
		break;
	case DW_RLE_start_end:
		*start = pf_cursor_u64(c);
		*end = pf_cursor_u64(c);
		break;
	case DW_RLE_start_length:
		*start = pf_cursor_u64(c);
		*end = *start + pf_cursor_uleb(c);
		break;
	default:
		return false;
	}
	return !c->failed;
}

/* DWARF 5. */
static bool read_list(const struct pf_dwarf_unit *unit, uint64_t offset, struct pf_range_array *ranges)
{
	struct pf_cursor c = pf_dwarf_cursor(unit->dwarf, PF_DWARF_RNGLISTS, offset);
	uint64_t base = unit->base, start, end;

	while (read_entry(unit, &c, &base, &start, &end)) {
		if (!add_range(ranges, start, end))
			return false;
	}
	return true;
}

/* DWARF 3 and 4: pairs, offsets from the unit's base until one selects another. */
static bool read_pairs(const struct pf_dwarf_unit *unit, uint64_t offset, struct pf_range_array *ranges)
{
	struct pf_cursor c = pf_dwarf_cursor(unit->linked, PF_DWARF_RANGES, unit->ranges_at);
	uint64_t base = unit->base;

	pf_cursor_bytes(&c, offset);
	for (;;) {
		uint64_t start = pf_cursor_u64(&c), end = pf_cursor_u64(&c);

		if (c.failed || (start == 0 && end == 0))
			return true;
		if (start == UINT64_MAX)
			base = end;
		else if (!add_range(ranges, base + start, base + end))
			return false;
	}
}

/* Turns a list's number in the unit into its offset. */
static bool find_list(const struct pf_dwarf_unit *unit, Dwarf_Die die, uint64_t *list)
{
	struct pf_cursor c = pf_dwarf_cursor(unit->dwarf, PF_DWARF_RNGLISTS, unit->lists_at);
	Dwarf_Half version = 0, offset_size = 0;

	dwarf_get_version_of_die(die, &version, &offset_size);
	pf_cursor_bytes(&c, *list > UINT32_MAX ? SIZE_MAX : *list * offset_size);
	*list = unit->lists_at + (offset_size == 8 ? pf_cursor_u64(&c) : pf_cursor_u32(&c));
	return !c.failed;
}

static bool read_low_high(const struct pf_dwarf_unit *unit, Dwarf_Die die, struct pf_range_array *ranges)
{
	uint64_t low, high;

	if (!pf_die_address(unit, die, DW_AT_low_pc, &low))
		return true;
	if (pf_die_address(unit, die, DW_AT_high_pc, &high))
		return add_range(ranges, low, high);
	return !pf_die_number(unit->dwarf, die, DW_AT_high_pc, &high) || add_range(ranges, low, low + high);
}

bool pf_ranges_read(const struct pf_dwarf_unit *unit, Dwarf_Die die, struct pf_range_array *ranges)
{
	uint64_t value;
	bool indexed;

	if (!pf_die_offset(unit->dwarf, die, DW_AT_ranges, &value, &indexed))
		return read_low_high(unit, die, ranges);
	if (unit->version < 5)
		return read_pairs(unit, value, ranges);
	return (indexed && !find_list(unit, die, &value)) || read_list(unit, value, ranges);
}
