/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tablejump.h.  A table has addresses of 8 bytes, by which the jump itself goes or a register that is loaded from
 * it, or distances of 4 bytes from the table's own start, which is added before.  The hard case is a load of that form
 * which is any other: it is told by the jump through the register that was loaded, a few instructions on. */
#include "runtime/agent/tablejump.h"

#define LOOK_AHEAD 4 /* instructions: the addition, and what a scheduler puts between */
#define NO_INDEX 4
#define OPCODE_MOVSXD 0x63
#define OPCODE_MOV 0x8b
#define OPCODE_GROUP 0xff

enum { BY_DISTANCE = 2, BY_ADDRESS = 3 }; /* the power of two that the index is multiplied by */

static uint8_t register_of(const struct pf_insn *insn)
{
	return (uint8_t)((insn->modrm & 7) | (insn->rex & 1) << 3);
}

/* The index of INSN's memory operand if it is multiplied by 2 to the SCALE; NO_INDEX: it is not. */
static uint8_t index_of(const struct pf_insn *insn, const uint8_t *bytes, int scale)
{
	uint8_t sib;

	if (insn->modrm >> 6 == 3 || (insn->modrm & 7) != 4 || insn->address_size || insn->fs || insn->gs)
		return NO_INDEX;
	sib = bytes[insn->modrm_offset + 1];
	return sib >> 6 == scale ? (uint8_t)((sib >> 3 & 7) | (insn->rex & 2) << 2) : NO_INDEX;
}

/* The jump through REGISTER that is the next branch from AT on; 0: there is none near. */
static uint64_t jump_through(uint8_t reg, uint64_t at, uint64_t end)
{
	struct pf_insn insn;

	for (int i = 0; i < LOOK_AHEAD && at < end; i++, at += insn.length) {
		uint64_t room = end - at;

		if (!pf_decode((const uint8_t *)at, room < PF_INSN_MAX ? room : PF_INSN_MAX, &insn))
			return 0;
		if (insn.class == PF_INSN_JUMP_INDIRECT)
			return insn.modrm >> 6 == 3 && register_of(&insn) == reg ? at : 0;
		if (insn.class != PF_INSN_PLAIN)
			return 0;
	}
	return 0;
}

bool pf_tablejump_at(const struct pf_insn *insn, uint64_t at, uint64_t end, struct pf_tablejump *found)
{
	const uint8_t *bytes = (const uint8_t *)at;
	uint8_t loaded = (uint8_t)((insn->modrm >> 3 & 7) | (insn->rex & 4) << 1);

	*found = (struct pf_tablejump) { .index = NO_INDEX };
	if (insn->map != PF_MAP_ONE_BYTE || !insn->has_modrm)
		return false;
	if (insn->class == PF_INSN_JUMP_INDIRECT && insn->opcode == OPCODE_GROUP)
		*found = (struct pf_tablejump) { at, index_of(insn, bytes, BY_ADDRESS) };
	else if (insn->rex & 8 && (insn->opcode == OPCODE_MOVSXD || insn->opcode == OPCODE_MOV))
		found->index = index_of(insn, bytes, insn->opcode == OPCODE_MOV ? BY_ADDRESS : BY_DISTANCE);
	if (found->index != NO_INDEX && !found->jump)
		found->jump = jump_through(loaded, at + insn->length, end);
	return found->index != NO_INDEX && found->jump;
}
