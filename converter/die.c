/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See die.h.  The hard case is ranges, which DWARF 4 and 5 write in different sections and with different bases. */
#include "converter/die.h"
#include "converter/dwarfobject.h"
#include "converter/dwarfversion.h"

#define RANGE_LIMIT 1000000

static Dwarf_Attribute attribute(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute found = NULL;

	return pf_dwarf_ok(debug, dwarf_attr(die, name, &found, &error), &error) ? found : NULL;
}

static void release_attribute(Dwarf_Debug debug, Dwarf_Attribute attr)
{
	dwarf_dealloc(debug, attr, DW_DLA_ATTR);
}

bool pf_die_number(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, uint64_t *value)
{
	Dwarf_Attribute attr = attribute(debug, die, name);
	Dwarf_Error error = NULL;
	Dwarf_Unsigned number = 0;
	Dwarf_Signed negative = 0;
	bool found;

	*value = 0;
	if (!attr)
		return false;
	found = pf_dwarf_ok(debug, dwarf_formudata(attr, &number, &error), &error);
	if (!found) {
		found = pf_dwarf_ok(debug, dwarf_formsdata(attr, &negative, &error), &error);
		number = (Dwarf_Unsigned)negative;
	}
	release_attribute(debug, attr);
	*value = number;
	return found;
}

bool pf_die_address(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, uint64_t *value)
{
	Dwarf_Attribute attr = attribute(debug, die, name);
	Dwarf_Error error = NULL;
	Dwarf_Addr address = 0;
	bool found;

	*value = 0;
	if (!attr)
		return false;
	found = pf_dwarf_ok(debug, dwarf_formaddr(attr, &address, &error), &error);
	release_attribute(debug, attr);
	*value = address;
	return found;
}

bool pf_die_string(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, const char **value)
{
	Dwarf_Attribute attr = attribute(debug, die, name);
	Dwarf_Error error = NULL;
	char *string = NULL;
	bool found;

	*value = NULL;
	if (!attr)
		return false;
	found = pf_dwarf_ok(debug, dwarf_formstring(attr, &string, &error), &error);
	release_attribute(debug, attr);
	*value = string;
	return found && string;
}

bool pf_die_reference(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, Dwarf_Off *offset, bool *supplement)
{
	Dwarf_Attribute attr = attribute(debug, die, name);
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;
	bool found;

	if (!attr)
		return false;
	found = pf_dwarf_ok(debug, dwarf_whatform(attr, &form, &error), &error) &&
		pf_dwarf_ok(debug, dwarf_global_formref(attr, offset, &error), &error);
	*supplement = form == DW_FORM_GNU_ref_alt;
	release_attribute(debug, attr);
	return found;
}

Dwarf_Half pf_die_tag(Dwarf_Debug debug, Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;

	return pf_dwarf_ok(debug, dwarf_tag(die, &tag, &error), &error) ? tag : 0;
}

static bool add_range(struct pf_range_array *ranges, uint64_t start, uint64_t end)
{
	struct pf_range *new = start < end ? pf_array_push(ranges) : NULL;

	if (new)
		*new = (struct pf_range) { start, end };
	return new || start >= end;
}

/* DWARF 5: .debug_rnglists, where libdwarf applies the bases. */
static bool range_list(Dwarf_Debug debug, Dwarf_Attribute attr, Dwarf_Half form, uint64_t value,
		       struct pf_range_array *ranges)
{
	Dwarf_Rnglists_Head head = NULL;
	Dwarf_Unsigned count = 0, offset = 0;
	Dwarf_Error error = NULL;
	bool good = true;

	if (!pf_dwarf_ok(debug, dwarf_rnglists_get_rle_head(attr, form, value, &head, &count, &offset, &error), &error))
		return true;
	for (Dwarf_Unsigned i = 0; i < count && i < RANGE_LIMIT && good; i++) {
		unsigned length = 0, code = 0;
		Dwarf_Unsigned raw1 = 0, raw2 = 0, start = 0, end = 0;
		Dwarf_Bool no_addresses = 0;

		if (!pf_dwarf_ok(debug,
				 dwarf_get_rnglists_entry_fields_a(head, i, &length, &code, &raw1, &raw2, &no_addresses,
								   &start, &end, &error),
				 &error))
			break;
		if (!no_addresses && code != DW_RLE_end_of_list && code != DW_RLE_base_address &&
		    code != DW_RLE_base_addressx)
			good = add_range(ranges, start, end);
	}
	dwarf_dealloc_rnglists_head(head);
	return good;
}

/* DWARF 3 and 4: .debug_ranges, offsets from the unit's base until an entry selects another. */
static bool old_range_list(Dwarf_Debug debug, Dwarf_Die die, uint64_t offset, uint64_t base,
			   struct pf_range_array *ranges)
{
	Dwarf_Ranges *list = NULL;
	Dwarf_Signed count = 0;
	Dwarf_Error error = NULL;
	bool good = true;

	if (!pf_dwarf_ok(debug, pf_dwarf_old_ranges(debug, offset, die, &list, &count, &error), &error))
		return true;
	for (Dwarf_Signed i = 0; i < count && i < RANGE_LIMIT && good; i++) {
		if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = list[i].dwr_addr2;
		else if (list[i].dwr_type == DW_RANGES_ENTRY)
			good = add_range(ranges, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
	}
	pf_dwarf_old_ranges_free(debug, list, count);
	return good;
}

static bool low_high(Dwarf_Debug debug, Dwarf_Die die, struct pf_range_array *ranges)
{
	uint64_t low;
	Dwarf_Addr high = 0;
	Dwarf_Half form = 0;
	enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
	Dwarf_Error error = NULL;

	if (!pf_die_address(debug, die, DW_AT_low_pc, &low) ||
	    !pf_dwarf_ok(debug, dwarf_highpc_b(die, &high, &form, &class, &error), &error))
		return true;
	return add_range(ranges, low, class == DW_FORM_CLASS_ADDRESS ? high : low + high);
}

bool pf_die_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t unit_base, struct pf_range_array *ranges)
{
	Dwarf_Attribute attr = attribute(debug, die, DW_AT_ranges);
	Dwarf_Half version = 0, offset_size = 0, form = 0;
	Dwarf_Off offset = 0;
	Dwarf_Unsigned index = 0;
	Dwarf_Error error = NULL;
	bool good = true, found;

	if (!attr)
		return low_high(debug, die, ranges);
	dwarf_get_version_of_die(die, &version, &offset_size);
	found = pf_dwarf_ok(debug, dwarf_whatform(attr, &form, &error), &error);
	if (found && form == DW_FORM_rnglistx) {
		found = pf_dwarf_ok(debug, dwarf_formudata(attr, &index, &error), &error);
		offset = index;
	} else if (found) {
		found = pf_dwarf_ok(debug, dwarf_global_formref(attr, &offset, &error), &error);
	}
	if (found)
		good = version >= 5 ? range_list(debug, attr, form, offset, ranges)
				    : old_range_list(debug, die, offset, unit_base, ranges);
	release_attribute(debug, attr);
	return good;
}

bool pf_die_next(Dwarf_Debug debug, Dwarf_Die *die)
{
	Dwarf_Die sibling = NULL;
	Dwarf_Error error = NULL;
	bool found = pf_dwarf_ok(debug, dwarf_siblingof_b(debug, *die, 1, &sibling, &error), &error);

	pf_die_release(debug, *die);
	*die = found ? sibling : NULL;
	return found;
}

Dwarf_Die pf_die_child(Dwarf_Debug debug, Dwarf_Die die)
{
	Dwarf_Die child = NULL;
	Dwarf_Error error = NULL;

	return pf_dwarf_ok(debug, dwarf_child(die, &child, &error), &error) ? child : NULL;
}

void pf_die_release(Dwarf_Debug debug, Dwarf_Die die)
{
	if (die)
		dwarf_dealloc(debug, die, DW_DLA_DIE);
}
