/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of a package of split units (.dwp). */
#ifndef PF_CONVERTER_PACKAGE_H
#define PF_CONVERTER_PACKAGE_H

#include "converter/dwarfobject.h"

/* Where PACKAGE has the unit ID: the pieces of its sections.  False if it does not have it, or its index is damaged. */
bool pf_package_find(struct pf_elf *package, uint64_t id, struct pf_dwarf_piece pieces[PF_DWARF_PARTS]);

#endif
