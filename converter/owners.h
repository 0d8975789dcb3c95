/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which addresses are code, and whose: the one place that decides which entry of the debug information describes a
 * piece of machine code.  Knows nothing of DWARF. */
#ifndef PF_CONVERTER_OWNERS_H
#define PF_CONVERTER_OWNERS_H

#include "converter/elf.h"

/* Code that lies together, a bit for each of its bytes: set when the byte has an owner. */
struct pf_code_area {
	uint64_t start, end;
	uint64_t *owned;
};

/* A zeroed one has no code. */
struct pf_owners {
	PF_ARRAY(struct pf_code_area) areas; /* by address, disjoint */
};

/* Takes what BINARY has of code: its executable sections, or without sections its executable segments behind the
 * headers.  PF_ENOMEM. */
int pf_owners_init(struct pf_owners *owners, const struct pf_elf *binary);
void pf_owners_fini(struct pf_owners *owners);

/* Whether the file has code at ADDRESS.  It has none at what linkers write for something that they left out: 0, 1, -1,
 * -2, or a small offset from these. */
bool pf_owners_is_code(const struct pf_owners *owners, uint64_t address);

/* Makes the caller the owner of [START, END).  False, and nothing changed, unless all of it is code of one area and
 * no byte of it has an owner. */
bool pf_owners_claim(struct pf_owners *owners, uint64_t start, uint64_t end);

#endif
