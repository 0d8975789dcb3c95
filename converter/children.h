/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which child of an entry of the debug information holds an offset. */
#ifndef PF_CONVERTER_CHILDREN_H
#define PF_CONVERTER_CHILDREN_H

#include "converter/die.h"

/* Where the children of an entry are. */
struct pf_child_list {
	Dwarf_Off parent;
	PF_ARRAY(Dwarf_Off) at; /* rising */
};

/* So many long lists are kept, of the entries that were last asked for. */
#define PF_CHILD_LISTS 64

/* A zeroed one is empty and ready; it is of one file. */
struct pf_children {
	struct pf_child_list lists[PF_CHILD_LISTS];
	size_t read; /* the last of them are kept, number I in place I % PF_CHILD_LISTS */
};

/* The child of DIE that is the entry at OFFSET or holds it, the caller's to release; NULL if there is none, or no
 * memory to know. */
Dwarf_Die pf_children_towards(struct pf_children *children, const struct pf_dwarf *dwarf, Dwarf_Die die,
			      Dwarf_Off offset);

void pf_children_fini(struct pf_children *children);

#endif
