/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of attributes whose form leads to another section or another file. */
#ifndef PF_CONVERTER_FORM_H
#define PF_CONVERTER_FORM_H

#include "converter/dwarfobject.h"

/* What ATTR of DIE has in .debug_info: an index, or an offset.  False for any form of which it is neither. */
bool pf_form_raw(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Attribute attr, Dwarf_Half form, uint64_t *value);

/* The string that ATTR has or leads to, in its section. */
bool pf_form_string(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Attribute attr, Dwarf_Half form,
		    const char **value);

/* Whether FORM is an index of an address; whether it is a reference into the supplementary file. */
bool pf_form_is_address_index(Dwarf_Half form);
bool pf_form_is_supplementary(Dwarf_Half form);

#endif
