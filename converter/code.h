/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine code of one function: its instructions, in which machine block and at which source position each is. */
#ifndef PF_CONVERTER_CODE_H
#define PF_CONVERTER_CODE_H

#include "converter/elf.h"
#include "converter/source.h"
#include "perfdata/vectors.h"

#define PF_NO_INSN UINT32_MAX

struct pf_insn {
	uint64_t address;
	uint64_t target; /* of a direct jump or call; 0 otherwise */
	uint8_t length;
	uint8_t kind;                /* enum pf_edge_kind of the transfer it makes; 0: none */
	bool stops;                  /* control does not go on to the next instruction */
	uint8_t sense;               /* enum pf_sense: what holds where a conditional jump is taken */
	bool sets_constant;          /* it puts a constant into a register, and does nothing else but to flags */
	uint16_t likeness;           /* equal in copies of one another */
	uint32_t block;              /* number of its machine block, rising with the address */
	uint32_t node;               /* of the source function: innermost inlined instance */
	bool entered;                /* a jump is known to lead to it */
	bool placed;                 /* it has a source position */
	bool goes_on;                /* the line table has it where the instruction in front of it is */
	struct pf_position position; /* relative to the node's function */
	uint32_t file;               /* of that, as in a source's row */
	uint16_t copy;               /* of the source's code, and */
	uint8_t times;               /* executions of that for each of its own (discriminator.h) */
	uint64_t weight;             /* how often it ran, in the source's executions, in 1/256 */
};

struct pf_code {
	PF_ARRAY(struct pf_insn) insns; /* by address */
	uint32_t block_count;
};

/* What the instruction at an address does. */
struct pf_step {
	uint8_t length; /* 1 if it cannot be decoded */
	uint8_t kind;   /* enum pf_edge_kind of the transfer it makes; 0: none */
	bool stops;     /* control does not go on to the next instruction, or it cannot be decoded */
	bool repeats;   /* a string instruction with a repeat prefix */
};

struct pf_step pf_code_step(const struct pf_elf *elf, uint64_t address);

/* Appends the instructions of RANGE to CODE, by their bytes alone: neither blocks nor positions.  PF_ENOMEM. */
int pf_code_decode(const struct pf_elf *elf, const struct pf_range *range, struct pf_code *code);

/* Decodes F (a function of SOURCE).  LEADERS are addresses, sorted, at which blocks are known to start beside those
 * that direct jumps tell.  PF_ENOMEM. */
int pf_code_read(const struct pf_elf *elf, const struct pf_source *source, const struct pf_source_function *f,
		 const uint64_t *leaders, size_t leader_count, struct pf_code *code);
void pf_code_fini(struct pf_code *code);

/* The source file that INSN of F (a function of SOURCE) is in; "" unknown.  ABROAD (which may be NULL): whether it is
 * another than where the function, or the instance, is declared. */
const char *pf_code_file(const struct pf_source *source, const struct pf_source_function *f, const struct pf_insn *insn,
			 bool *abroad);

/* Index of the instruction that starts at ADDRESS; PF_NO_INSN if none does. */
uint32_t pf_code_find(const struct pf_code *code, uint64_t address);

/* Index of the first placed instruction that runs from AT on, jumps followed; PF_NO_INSN if there is none near. */
uint32_t pf_code_first_placed(const struct pf_code *code, uint32_t at);

#endif
