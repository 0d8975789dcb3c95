/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the dynamic linker puts where, by the relocations of a binary. */
#ifndef PF_ANALYSIS_RELOCATIONS_H
#define PF_ANALYSIS_RELOCATIONS_H

#include "converter/elf.h"

struct pf_relocation {
	const struct pf_elf_section *section;
	uint64_t address, addend;
	uint32_t type, symbol; /* symbol: of the section's table */
};

/* Finds the relocation of TYPE (R_X86_64_RELATIVE, R_X86_64_JUMP_SLOT) at ADDRESS. */
bool pf_relocation_find(const struct pf_elf *elf, uint32_t type, uint64_t address, struct pf_relocation *found);

/* The name of its symbol; "" if it has none. */
const char *pf_relocation_name(const struct pf_elf *elf, const struct pf_relocation *relocation);

#endif
