/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See die.h. */
#include "converter/die.h"
#include "converter/form.h"

static Dwarf_Attribute attribute(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute found = NULL;

	return pf_dwarf_ok(dwarf->debug, dwarf_attr(die, name, &found, &error), &error) ? found : NULL;
}

static Dwarf_Half form_of(const struct pf_dwarf *dwarf, Dwarf_Attribute attr)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;

	return pf_dwarf_ok(dwarf->debug, dwarf_whatform(attr, &form, &error), &error) ? form : 0;
}

static void release_attribute(const struct pf_dwarf *dwarf, Dwarf_Attribute attr)
{
	if (attr)
		dwarf_dealloc(dwarf->debug, attr, DW_DLA_ATTR);
}

bool pf_die_number(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, uint64_t *value)
{
	Dwarf_Attribute attr = attribute(dwarf, die, name);
	Dwarf_Error error = NULL;
	Dwarf_Unsigned number = 0;
	Dwarf_Signed negative = 0;
	bool found;

	*value = 0;
	if (!attr)
		return false;
	found = pf_dwarf_ok(dwarf->debug, dwarf_formudata(attr, &number, &error), &error);
	if (!found) {
		found = pf_dwarf_ok(dwarf->debug, dwarf_formsdata(attr, &negative, &error), &error);
		number = (Dwarf_Unsigned)negative;
	}
	release_attribute(dwarf, attr);
	*value = number;
	return found;
}

bool pf_die_offset(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, uint64_t *value, bool *indexed)
{
	Dwarf_Attribute attr = attribute(dwarf, die, name);
	Dwarf_Half form = attr ? form_of(dwarf, attr) : 0;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned number = 0;
	bool found;

	*indexed = form == DW_FORM_rnglistx;
	*value = 0;
	if (!attr)
		return false;
	found = pf_form_raw(dwarf, die, attr, form, value);
	if (!found) {
		found = pf_dwarf_ok(dwarf->debug, dwarf_formudata(attr, &number, &error), &error);
		*value = number;
	}
	release_attribute(dwarf, attr);
	return found;
}

bool pf_die_address(const struct pf_dwarf_unit *unit, Dwarf_Die die, Dwarf_Half name, uint64_t *value)
{
	const struct pf_dwarf *dwarf = unit->dwarf;
	Dwarf_Attribute attr = attribute(dwarf, die, name);
	Dwarf_Half form = attr ? form_of(dwarf, attr) : 0;
	Dwarf_Error error = NULL;
	Dwarf_Addr plain = 0;
	uint64_t index, address = 0;
	bool found;

	if (pf_form_is_address_index(form))
		found = pf_form_raw(dwarf, die, attr, form, &index) && pf_unit_address(unit, index, &address);
	else
		found = form == DW_FORM_addr && pf_dwarf_ok(dwarf->debug, dwarf_formaddr(attr, &plain, &error), &error);
	release_attribute(dwarf, attr);
	*value = !found ? 0 : form == DW_FORM_addr ? plain : address;
	return found;
}

bool pf_die_string(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, const char **value)
{
	Dwarf_Attribute attr = attribute(dwarf, die, name);
	bool found;

	*value = NULL;
	found = attr && pf_form_string(dwarf, die, attr, form_of(dwarf, attr), value);
	release_attribute(dwarf, attr);
	return found;
}

bool pf_die_reference(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, Dwarf_Off *offset, bool *supplement)
{
	Dwarf_Attribute attr = attribute(dwarf, die, name);
	Dwarf_Half form = attr ? form_of(dwarf, attr) : 0;
	Dwarf_Error error = NULL;
	uint64_t raw;
	bool found;

	*supplement = pf_form_is_supplementary(form);
	if (*supplement) {
		found = pf_form_raw(dwarf, die, attr, form, &raw);
		*offset = found ? raw : 0;
	} else {
		found = attr && pf_dwarf_ok(dwarf->debug, dwarf_global_formref(attr, offset, &error), &error);
	}
	release_attribute(dwarf, attr);
	return found;
}

bool pf_die_has(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool found = 0;

	return pf_dwarf_ok(dwarf->debug, dwarf_hasattr(die, name, &found, &error), &error) && found;
}

bool pf_die_has_code(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	return pf_die_has(dwarf, die, DW_AT_low_pc) || pf_die_has(dwarf, die, DW_AT_ranges);
}

Dwarf_Half pf_die_tag(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;

	return pf_dwarf_ok(dwarf->debug, dwarf_tag(die, &tag, &error), &error) ? tag : 0;
}

bool pf_die_next(const struct pf_dwarf *dwarf, Dwarf_Die *die)
{
	Dwarf_Die sibling = NULL;
	Dwarf_Error error = NULL;
	bool found = pf_dwarf_ok(dwarf->debug, dwarf_siblingof_b(dwarf->debug, *die, 1, &sibling, &error), &error);

	pf_die_release(dwarf, *die);
	*die = found ? sibling : NULL;
	return found;
}

Dwarf_Die pf_die_child(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	Dwarf_Die child = NULL;
	Dwarf_Error error = NULL;

	return pf_dwarf_ok(dwarf->debug, dwarf_child(die, &child, &error), &error) ? child : NULL;
}

void pf_die_release(const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	if (die)
		dwarf_dealloc(dwarf->debug, die, DW_DLA_DIE);
}
