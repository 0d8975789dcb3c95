/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an instruction reads and writes in memory: through the operand of its ModRM byte, and on the stack. */
#ifndef PF_AGENT_ACCESS_H
#define PF_AGENT_ACCESS_H

#include "runtime/agent/decode.h"

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

#endif
