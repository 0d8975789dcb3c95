/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who a function is: follows abstract origins and specifications, across units where the linker optimised, to name,
 * file and line, once for each entry. */
#ifndef PF_CONVERTER_ORIGINS_H
#define PF_CONVERTER_ORIGINS_H

#include "converter/children.h"
#include "converter/source.h"

struct pf_origin_slot {
	uint64_t key; /* of the entry; 0: the slot is free */
	uint32_t origin;
};

/* File table of a unit, as libdwarf made it. */
struct pf_file_table {
	Dwarf_Off unit;
	char **names;
	Dwarf_Signed count;
	bool from_zero; /* line tables of DWARF 5 number files from 0, earlier ones from 1 */
};

/* So many file tables are kept, of the units that were last asked for: more than one function's chain goes through. */
#define PF_FILE_TABLES 256

/* A file with entries: that of the binary, or the supplementary one. */
struct pf_origin_file {
	const struct pf_dwarf *dwarf; /* NULL: there is none */
	struct pf_file_table tables[PF_FILE_TABLES];
	size_t tables_read; /* the last of them are kept, number I in place I % PF_FILE_TABLES */
	struct pf_children children;
};

struct pf_origins {
	struct pf_origin_file files[2];
	const struct pf_dwarf *linked;         /* has the file table of a split unit's entries, which is that of */
	Dwarf_Die skeleton;                    /* its other half; NULL: the entries are in no split unit */
	struct pf_source *source;              /* origins and strings go here */
	PF_ARRAY(struct pf_origin_slot) slots; /* hash table of `capacity` */
	size_t used;
};

/* Index into the source's origins of the function that DIE (a subprogram or an inlined instance in the first
 * file) is an instance of;
 * UINT32_MAX when out of memory.  One without any name is called "". */
uint32_t pf_origins_of(struct pf_origins *o, Dwarf_Die die);

/* Linkage name of that function, or its plain name; "" without any.  It is in the section. */
const char *pf_origins_name(struct pf_origins *o, Dwarf_Die die);

void pf_origins_fini(struct pf_origins *o);

/* The name of the source file that UNIT was compiled from, in FOLDER (may be NULL) unless it says another; the
 * caller's, NULL when out of memory.  False for what is of no file: partial and type units, and those that GCC makes at
 * link time, which are called <artificial>; those of the compiles before are there too. */
bool pf_origins_unit_file(const struct pf_dwarf *dwarf, Dwarf_Die unit, const char *folder, char **joined);

#endif
