/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See form.h.  Hard case: each libdwarf resolves another part of these, or returns a placeholder as if it were the
 * value; where the bytes of an attribute are they all tell. */
#include "converter/form.h"

#include <dwarf.h>

/* Bytes of the value of FORM; 0: a ULEB128; -1: it is not ours. */
static int size_of(Dwarf_Half form, Dwarf_Half offset_size)
{
	switch (form) {
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		return 0;
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		return offset_size;
	default:
		return -1;
	}
}

static uint64_t read_number(struct pf_cursor *c, int size)
{
	uint64_t value = 0;

	if (size == 0)
		return pf_cursor_uleb(c);
	for (int i = 0; i < size; i++)
		value |= (uint64_t)pf_cursor_u8(c) << (8 * i);
	return value;
}

static Dwarf_Half offset_size_of(Dwarf_Die die)
{
	Dwarf_Half version = 0, offset_size = 0;

	dwarf_get_version_of_die(die, &version, &offset_size);
	return offset_size;
}

bool pf_form_raw(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Attribute attr, Dwarf_Half form, uint64_t *value)
{
	int size = size_of(form, offset_size_of(die));
	Dwarf_Off offset = 0;
	Dwarf_Error error = NULL;
	struct pf_cursor c;

	if (size < 0 || !pf_dwarf_ok(dwarf->debug, dwarf_attr_offset(die, attr, &offset, &error), &error))
		return false;
	c = pf_dwarf_cursor(dwarf, PF_DWARF_INFO, offset);
	*value = read_number(&c, size);
	return !c.failed;
}

bool pf_form_is_address_index(Dwarf_Half form)
{
	return form == DW_FORM_addrx || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
	       form == DW_FORM_GNU_addr_index;
}

bool pf_form_is_supplementary(Dwarf_Half form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8;
}

static bool is_string_index(Dwarf_Half form)
{
	return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4) ||
	       form == DW_FORM_GNU_str_index;
}

static const char *string_at(const struct pf_dwarf *dwarf, uint64_t offset)
{
	struct pf_cursor c = pf_dwarf_cursor(dwarf, PF_DWARF_STR, offset);

	return pf_cursor_string(&c);
}

/* String INDEX of the one unit of SPLIT; since DWARF 5 its table of offsets has a header. */
static const char *indexed_string(const struct pf_dwarf *split, Dwarf_Die die, uint64_t index)
{
	Dwarf_Half version = 0, offset_size = 0;
	struct pf_cursor c;
	uint64_t offset;

	dwarf_get_version_of_die(die, &version, &offset_size);
	c = pf_dwarf_cursor(split, PF_DWARF_STR_OFFSETS, version < 5 ? 0 : offset_size == 8 ? 16 : 8);
	pf_cursor_bytes(&c, index > UINT32_MAX ? SIZE_MAX : index * offset_size);
	offset = read_number(&c, offset_size);
	return c.failed ? NULL : string_at(split, offset);
}

bool pf_form_string(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Attribute attr, Dwarf_Half form,
		    const char **value)
{
	Dwarf_Error error = NULL;
	char *string = NULL;
	uint64_t raw;

	*value = NULL;
	if (form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup) {
		if (dwarf->supplement && pf_form_raw(dwarf, die, attr, form, &raw))
			*value = string_at(dwarf->supplement, raw);
	} else if (dwarf->split && is_string_index(form)) {
		if (pf_form_raw(dwarf, die, attr, form, &raw))
			*value = indexed_string(dwarf, die, raw);
	} else if (pf_dwarf_ok(dwarf->debug, dwarf_formstring(attr, &string, &error), &error)) {
		*value = string;
	}
	return *value != NULL;
}
