/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A libdwarf session over sections that converter/elf.h has checked and decompressed. */
#ifndef PF_CONVERTER_DWARFOBJECT_H
#define PF_CONVERTER_DWARFOBJECT_H

#include "converter/elf.h"
#include "support/cursor.h"

#include <libdwarf.h>

/* The sections that are read. */
enum pf_dwarf_part {
	PF_DWARF_INFO,
	PF_DWARF_ABBREV,
	PF_DWARF_STR,
	PF_DWARF_LINE,
	PF_DWARF_LINE_STR,
	PF_DWARF_STR_OFFSETS,
	PF_DWARF_ADDR,
	PF_DWARF_RANGES,
	PF_DWARF_RNGLISTS,
	PF_DWARF_PARTS
};

/* Pieces of the sections, by part. */
struct pf_dwarf_piece {
	uint64_t offset, size;
};

struct pf_dwarf_bytes {
	const uint8_t *at; /* NULL: there is none */
	uint64_t size;
	uint8_t *copy; /* owned */
};

struct pf_dwarf {
	struct pf_elf *elf;
	Dwarf_Debug debug;
	const struct pf_dwarf *supplement; /* what dwz moved out of it; NULL: nothing */
	bool split;                        /* its entries are one unit's, split from what was linked */
	struct pf_dwarf_bytes sections[PF_DWARF_PARTS];
	struct pf_dwarf_object *object; /* owned */
};

/* Opens the debug sections of ELF, which must outlive the session.  PF_ENODEBUG, PF_ENOMEM, and the errors of
 * pf_elf_contents. */
int pf_dwarf_open(struct pf_elf *elf, struct pf_dwarf *dwarf, struct pf_error *error);

/* The same for the sections of a .dwo file, or PIECES of those of a package of such files (NULL: all of it). */
int pf_dwarf_open_split(struct pf_elf *elf, const struct pf_dwarf_piece pieces[PF_DWARF_PARTS], struct pf_dwarf *dwarf,
			struct pf_error *error);

/* A zeroed one can be closed. */
void pf_dwarf_close(struct pf_dwarf *dwarf);

/* A unit of .debug_info. */
struct pf_dwarf_header {
	Dwarf_Die die; /* its first entry, the caller's to release; NULL: that cannot be read */
	uint64_t id;   /* DWARF 5: of a unit that was split in two; 0: none */
};

/* Steps to the next unit of DWARF.  1, 0 behind the last, PF_EFORMAT (its header cannot be read, so that the next one
 * cannot be found). */
int pf_dwarf_next(const struct pf_dwarf *dwarf, struct pf_dwarf_header *header);

/* A cursor over a section from OFFSET on; failed if it has no such place. */
struct pf_cursor pf_dwarf_cursor(const struct pf_dwarf *dwarf, enum pf_dwarf_part part, uint64_t offset);

/* Turns libdwarf's three answers into "it is there", and releases the error object of the third. */
bool pf_dwarf_ok(Dwarf_Debug debug, int answer, Dwarf_Error *error);

#endif
