/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sense.h.  The hard case is what the flags say of something else: floating-point numbers, which may be neither
 * equal nor different; single bits and exchanges, which leave their answer in a flag that means another thing
 * elsewhere; two variables, either of which the compiler may have put first. */
#include "converter/sense.h"

/* What stands between a comparison and its jump and leaves flags as they are. */
static bool keeps_flags(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		return true;
	default:
		return insn->mnemonic == ZYDIS_MNEMONIC_LEA;
	}
}

/* Whether INSN has an operand twice, both times a register: `test %eax,%eax` compares it with 0. */
static bool is_with_itself(const ZydisDecodedInstruction *insn)
{
	return insn->raw.modrm.mod == 3 && insn->raw.modrm.reg == insn->raw.modrm.rm && !insn->raw.imm[0].size &&
	       insn->raw.rex.R == insn->raw.rex.B;
}

enum pf_flags pf_sense_flags(const ZydisDecodedInstruction *insn, enum pf_flags before)
{
	if (keeps_flags(insn))
		return before;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
		return insn->raw.imm[0].size > 0 ? PF_FLAGS_CONSTANT : PF_FLAGS_RESULT;
	case ZYDIS_MNEMONIC_TEST:
		return is_with_itself(insn) ? PF_FLAGS_CONSTANT : PF_FLAGS_RESULT;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SAR:
		return PF_FLAGS_RESULT;
	default:
		return PF_FLAGS_UNKNOWN;
	}
}

enum pf_sense pf_sense_of_jump(const ZydisDecodedInstruction *insn, enum pf_flags flags)
{
	bool ordered = flags == PF_FLAGS_CONSTANT;

	if (flags == PF_FLAGS_UNKNOWN)
		return PF_SENSE_NONE;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_JZ:
		return PF_SENSE_EQUAL;
	case ZYDIS_MNEMONIC_JNZ:
		return PF_SENSE_DIFFERENT;
	case ZYDIS_MNEMONIC_JL:
	case ZYDIS_MNEMONIC_JLE:
	case ZYDIS_MNEMONIC_JB:
	case ZYDIS_MNEMONIC_JBE:
	case ZYDIS_MNEMONIC_JS:
		return ordered ? PF_SENSE_LESS : PF_SENSE_NONE;
	case ZYDIS_MNEMONIC_JNL:
	case ZYDIS_MNEMONIC_JNLE:
	case ZYDIS_MNEMONIC_JNB:
	case ZYDIS_MNEMONIC_JNBE:
	case ZYDIS_MNEMONIC_JNS:
		return ordered ? PF_SENSE_GREATER : PF_SENSE_NONE;
	default:
		return PF_SENSE_NONE;
	}
}
