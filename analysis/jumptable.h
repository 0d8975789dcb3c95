/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an indirect jump of a function can go, read from the tables that compilers lay down for switch statements. */
#ifndef PF_ANALYSIS_JUMPTABLE_H
#define PF_ANALYSIS_JUMPTABLE_H

#include "converter/code.h"

#include <Zydis/Zydis.h>

/* An instruction that puts a fixed address into a register. */
struct pf_jumptable_base {
	uint32_t insn;
	ZydisRegister into;
	uint64_t address;
	bool certain; /* it is an address, by its form, and no other constant */
};

/* What is needed of one function; the pointers are the caller's. */
struct pf_jumptables {
	const struct pf_elf *elf;
	const struct pf_code *code;
	PF_ARRAY(struct pf_jumptable_base) bases; /* in the order of the code */
	PF_ARRAY(uint64_t) labels;                /* tables of addresses of its instructions */
	PF_ARRAY(uint32_t) targets;               /* of the jump that was asked for last: instructions, rising */
	bool certain;                             /* whether the table of that jump was seen, so it has no others */
};

/* PF_ENOMEM; *T is the caller's, to pf_jumptables_fini, in any case. */
int pf_jumptables_init(struct pf_jumptables *t, const struct pf_elf *elf, const struct pf_code *code);
void pf_jumptables_fini(struct pf_jumptables *t);

/* Finds all the targets of the indirect jump INSN, and perhaps more than there are, never less; none if no table is
 * found.  PF_ENOMEM. */
int pf_jumptables_find(struct pf_jumptables *t, uint32_t insn);

/* Whether the instruction at ADDRESS does nothing or traps, as what fills the gap in front of an aligned block or
 * stands behind what does not return. */
bool pf_jumptables_is_filler(const struct pf_elf *elf, uint64_t address);

#endif
