/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A libdwarf session over sections that converter/elf.h has checked and decompressed. */
#ifndef PF_CONVERTER_DWARFOBJECT_H
#define PF_CONVERTER_DWARFOBJECT_H

#include "converter/elf.h"

#include <libdwarf/libdwarf.h>

struct pf_dwarf;

/* Opens the debug sections of ELF, which must outlive the session.  PF_ENODEBUG, PF_ENOMEM, and the errors of
 * pf_elf_contents. */
int pf_dwarf_open(struct pf_elf *elf, struct pf_dwarf **dwarf, struct pf_error *error);
void pf_dwarf_close(struct pf_dwarf *dwarf);

/* Lets DWARF take strings from SUPPLEMENT, which must outlive it.  PF_ENODEBUG. */
int pf_dwarf_tie(struct pf_dwarf *dwarf, struct pf_dwarf *supplement, struct pf_error *error);

Dwarf_Debug pf_dwarf_debug(const struct pf_dwarf *dwarf);

/* Turns libdwarf's three answers into "it is there", and releases the error object of the third. */
bool pf_dwarf_ok(Dwarf_Debug debug, int answer, Dwarf_Error *error);

#endif
