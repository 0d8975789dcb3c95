/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an instruction reads and writes in memory: through the operand of its ModRM byte, and on the stack. */
#ifndef PF_AGENT_ACCESS_H
#define PF_AGENT_ACCESS_H

#include "runtime/agent/decode.h"

#include "perfdata/vectors.h"

struct pf_access {
	bool load, store; /* by the operand; both: first the one, then the other */
	uint8_t size;     /* bytes of that; 0: not known */
	bool push, pop,
	    leave; /* 8 bytes below the stack pointer are written; those at it, at the frame pointer, read */
};

/* The accesses of INSN, whose bytes are BYTES.  All false where there is none, and for what is not looked at: AVX and
 * its successors, string instructions, bit strings, absolute moves, 16-bit pushes, what pop writes to, enter, segment
 * registers, SSE with an immediate operand, states of the processor. */
struct pf_access pf_access_of(const struct pf_insn *insn, const uint8_t *bytes);

/* What a thread is about to run an instruction with. */
struct pf_access_state {
	uint64_t regs[16]; /* in the order of their encoding */
	uint64_t fs;       /* the base of that segment */
	bool lost_rax;     /* what is in that is not known */
};

/* What INSN at PC, whose bytes are BYTES, accesses with STATE: one or two, in the order of translated code's notes.
 * Returns how many; without an address that is known there is none.  No value is loaded. */
uint32_t pf_access_at(const struct pf_insn *insn, const uint8_t *bytes, uint64_t pc,
		      const struct pf_access_state *state, struct pf_vec_access accesses[2]);

#endif
