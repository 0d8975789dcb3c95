/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jumps through tables that compilers make of switch statements: which register says where to. */
#ifndef PF_AGENT_TABLEJUMP_H
#define PF_AGENT_TABLEJUMP_H

#include "runtime/agent/decode.h"

struct pf_tablejump {
	uint64_t jump; /* the indirect jump */
	uint8_t index; /* the register that says which entry is wanted, in front of the instruction that was asked of */
};

/* Does INSN, which is at AT in code that ends at END, take an entry of a table for the indirect jump that it is, or
 * that is the next branch behind it?  The code is read in place. */
bool pf_tablejump_at(const struct pf_insn *insn, uint64_t at, uint64_t end, struct pf_tablejump *found);

#endif
