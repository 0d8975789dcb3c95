/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which registers a function gets its arguments in, by the types of its parameters. */
#ifndef PF_CONVERTER_ARGUMENTS_H
#define PF_CONVERTER_ARGUMENTS_H

#include "converter/die.h"
#include "converter/source.h"

/* Notes what arguments of FUNCTION, an entry of DWARF's, are in the first general registers: their bytes, negative if
 * they have a sign, and 0 where it is not known: from the first parameter on that is neither a number, nor a pointer or
 * reference. */
void pf_arguments_read(const struct pf_dwarf *dwarf, Dwarf_Die function, int8_t bytes[PF_SOURCE_ARGUMENTS]);

#endif
