/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The basic blocks of a function as BOLT has them: it wants to be told how often control went on from one to the next
 * without a jump. */
#ifndef PF_CONVERTER_BOLT_BLOCKS_H
#define PF_CONVERTER_BOLT_BLOCKS_H

#include "converter/code.h"

struct pf_bolt_block {
	uint32_t first, last; /* instructions */
};

/* A zeroed one is empty. */
struct pf_bolt_blocks {
	struct pf_code code; /* `block` of each instruction is an index of `list` */
	PF_ARRAY(struct pf_bolt_block) list;
};

/* Finds the blocks of RANGE.  LABELS are COUNT addresses that are known to be jumped to beside those of direct
 * jumps.  PF_ENOMEM.  B is the caller's, to pf_bolt_blocks_fini, in any case. */
int pf_bolt_blocks_find(struct pf_bolt_blocks *b, const struct pf_elf *elf, const struct pf_range *range,
			const uint64_t *labels, size_t count);
void pf_bolt_blocks_fini(struct pf_bolt_blocks *b);

/* The blocks of the instructions at START and END, between which control ran straight on; false if it cannot have. */
bool pf_bolt_blocks_between(const struct pf_bolt_blocks *b, uint64_t start, uint64_t end, uint32_t *first,
			    uint32_t *last);

/* The block that ends with a call which returns to ADDRESS, the start of the next; PF_NO_INSN if none does. */
uint32_t pf_bolt_blocks_returning(const struct pf_bolt_blocks *b, uint64_t address);

#endif
