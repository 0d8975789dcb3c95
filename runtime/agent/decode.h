/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the length and the parts of one x86-64 instruction, and what the translator may do with it. */
#ifndef PF_AGENT_DECODE_H
#define PF_AGENT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_INSN_MAX 15 /* bytes: no instruction is longer */

enum pf_insn_class {
	PF_INSN_PLAIN, /* does the same wherever it is copied to, once its RIP-relative operand is put right */
	PF_INSN_COND,  /* conditional jump, also loop and jrcxz */
	PF_INSN_JUMP,
	PF_INSN_CALL,
	PF_INSN_RET,     /* near */
	PF_INSN_SYSCALL, /* syscall, sysenter, int $0x80 */
	PF_INSN_NATIVE,  /* only the processor itself can run it, at its own address */
	PF_INSN_JUMP_INDIRECT,
	PF_INSN_CALL_INDIRECT,
};

/* Opcode maps: one of the first five, or a vector encoding with the map's number in it added. */
enum pf_insn_map {
	PF_MAP_ONE_BYTE,
	PF_MAP_0F,
	PF_MAP_0F38,
	PF_MAP_0F3A,
	PF_MAP_3DNOW,
	PF_MAP_VEX = 0x10,
	PF_MAP_EVEX = 0x20,
	PF_MAP_XOP = 0x30,
};

struct pf_insn {
	uint8_t length;
	uint8_t map, opcode; /* 3DNow's opcode is its last byte */
	uint8_t rex;         /* 0: none that counts, also in vector encodings */
	uint8_t modrm;
	uint8_t modrm_offset, disp_offset, imm_offset; /* from the first byte; 0: there is none */
	uint8_t disp_size, imm_size;                   /* bytes; the absolute address of a mov is a displacement */
	uint8_t class;                                 /* enum pf_insn_class */
	bool has_modrm, rip_relative;
	bool fs, gs;                     /* the segment prefix in force */
	bool operand_size, address_size; /* a prefix 66, 67, whatever it means here */
	int64_t disp;                    /* sign-extended; of EVEX before its scaling */
	int64_t imm;                     /* sign-extended; the distance of a relative branch; the first of two */
};

/* Decodes the instruction that starts BYTES, of which ROOM may be read.  False if that is none that may be copied or
 * followed: cut short, longer than PF_INSN_MAX, unknown, or invalid in 64-bit mode; INSN is then undefined.  Fields
 * that are reserved for a known opcode are not all checked: such an instruction faults in a copy as it does in place,
 * for it is an invalid opcode in both. */
bool pf_decode(const uint8_t *bytes, size_t room, struct pf_insn *insn);

#endif
