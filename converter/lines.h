/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line-table rows of one unit, handed to the functions that own their addresses. */
#ifndef PF_CONVERTER_LINES_H
#define PF_CONVERTER_LINES_H

#include "converter/owners.h"
#include "converter/source.h"
#include "converter/unit.h"

#include <libdwarf.h>

/* Reads the line table of UNIT, whose first entry is DIE, into the rows of the source's functions from number FIRST on;
 * sequences of lines that begin where OWNERS has no code are passed over.  PF_ENOMEM, PF_EFORMAT (a damaged or missing
 * table, of which nothing is taken; no message). */
int pf_lines_read(const struct pf_dwarf_unit *unit, Dwarf_Die die, const struct pf_owners *owners,
		  struct pf_source *source, size_t first);

#endif
