/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of a unit that was compiled with -gsplit-dwarf: in a .dwo file, or in a package (.dwp) of them. */
#ifndef PF_CONVERTER_SPLIT_H
#define PF_CONVERTER_SPLIT_H

#include "converter/source.h"
#include "converter/unit.h"

/* What the unit that was linked says of its other half. */
struct pf_skeleton {
	const char *name, *folder; /* of the .dwo file, and where the compiler ran; in the sections */
	uint64_t id;
};

/* The other half.  A zeroed one can be closed; an open one stays where it is. */
struct pf_split {
	struct pf_elf file; /* path NULL: it is in the package */
	struct pf_dwarf dwarf;
	Dwarf_Die unit; /* its first entry */
};

/* Whether the unit of DWARF whose first entry is DIE has its entries elsewhere; ID is that of its header, 0 for none.
 */
bool pf_split_named(const struct pf_dwarf *dwarf, Dwarf_Die die, uint64_t id, struct pf_skeleton *skeleton);

/* Finds the other half of SKELETON by its id: in FILES's package, then where the compiler wrote it, beside the binary,
 * and in the debug folder.  PF_ENOTFOUND (the text is the name of the .dwo file that is not there), PF_EMISMATCH (it is
 * there, of another build), PF_EFORMAT, PF_ENOMEM. */
int pf_split_open(const struct pf_debug_files *files, const struct pf_skeleton *skeleton, struct pf_split *split,
		  struct pf_error *error);
void pf_split_close(struct pf_split *split);

#endif
