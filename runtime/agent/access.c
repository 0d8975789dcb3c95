/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See access.h.  A value is read by as many bytes as the instruction itself reads, so a size must never be too large:
 * the hard case is SSE, where it is in a prefix, and the instructions that widen, whose size is left open. */
#include "runtime/agent/access.h"

#define RAX 0
#define RSP 4
#define RBP 5
#define REPNE 0xf2
#define REP 0xf3

static const struct pf_access none;

static struct pf_access load(uint8_t size)
{
	return (struct pf_access) { .load = true, .size = size };
}

static struct pf_access store(uint8_t size)
{
	return (struct pf_access) { .store = true, .size = size };
}

static struct pf_access modify(uint8_t size)
{
	return (struct pf_access) { .load = true, .store = true, .size = size };
}

static uint8_t width_of(const struct pf_insn *insn)
{
	return insn->rex & 8 ? 8 : insn->operand_size ? 2 : 4;
}

static unsigned int extension(const struct pf_insn *insn)
{
	return insn->modrm >> 3 & 7;
}

static bool has_prefix(const struct pf_insn *insn, const uint8_t *bytes, uint8_t prefix)
{
	for (unsigned int i = 0; i + 2 < insn->modrm_offset && i < PF_INSN_MAX; i++)
		if (bytes[i] == prefix)
			return true;
	return false;
}

/* Of an instruction that is four, by its prefix: on packed single, packed double, scalar single, scalar double. */
static uint8_t sse_size(const struct pf_insn *insn, const uint8_t *bytes)
{
	return has_prefix(insn, bytes, REP) ? 4 : has_prefix(insn, bytes, REPNE) ? 8 : 16;
}

/* --- the stack ---------------------------------------------------------------------------------------------------- */

static struct pf_access of_stack(const struct pf_insn *insn)
{
	const struct pf_access push = { .push = true }, pop = { .pop = true }, leave = { .leave = true };
	uint8_t opcode = insn->opcode;
	bool wide = !insn->operand_size || insn->rex & 8;

	if (insn->map == PF_MAP_0F && wide && (opcode & 0xf6) == 0xa0) /* fs and gs */
		return opcode & 1 ? pop : push;
	if (insn->map != PF_MAP_ONE_BYTE || !wide)
		return none;
	if ((opcode & 0xf8) == 0x50 || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c || opcode == 0xe8)
		return push;
	if ((opcode & 0xf8) == 0x58 || opcode == 0x8f || opcode == 0x9d || opcode == 0xc2 || opcode == 0xc3)
		return pop;
	if (opcode == 0xff && (extension(insn) == 2 || extension(insn) == 6))
		return push;
	return opcode == 0xc9 ? leave : none;
}

/* --- operands ----------------------------------------------------------------------------------------------------- */

/* d8 to df. */
static struct pf_access of_x87(const struct pf_insn *insn)
{
	unsigned int which = extension(insn);

	switch (insn->opcode) {
	case 0xd8:
	case 0xda:
		return load(4);
	case 0xdc:
		return load(8);
	case 0xde:
		return load(2);
	case 0xd9:
		return which == 0 ? load(4) : which == 2 || which == 3 ? store(4) : none;
	case 0xdd:
		return which == 0 ? load(8) : which >= 1 && which <= 3 ? store(8) : none;
	case 0xdb:
		return which == 0   ? load(4)
		       : which < 4  ? store(4)
		       : which == 5 ? load(10)
		       : which == 7 ? store(10)
				    : none;
	default:
		return which == 0   ? load(2)
		       : which < 4  ? store(2)
		       : which == 5 ? load(8)
		       : which == 7 ? store(8)
				    : none;
	}
}

static struct pf_access of_arithmetic(const struct pf_insn *insn, uint8_t size)
{
	bool compares = (insn->opcode & 0x38) == 0x38;

	if ((insn->opcode & 7) > 3)
		return none;
	return (insn->opcode & 2) || compares ? load(size) : modify(size);
}

/* 80 to 83, c0, c1, c6, c7, d0 to d3, f6, f7, fe, ff. */
static struct pf_access of_group(const struct pf_insn *insn, uint8_t size)
{
	unsigned int which = extension(insn);

	switch (insn->opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return which == 7 ? load(size) : modify(size);
	case 0xc6:
	case 0xc7:
		return which == 0 ? store(size) : none;
	case 0xf6:
	case 0xf7:
		return which == 2 || which == 3 ? modify(size) : load(size);
	case 0xfe:
		return which < 2 ? modify(1) : none;
	case 0xff:
		if (which < 2)
			return modify(size);
		return which == 2 || which == 4 ? load(8) : which == 6 ? load(width_of(insn) == 2 ? 2 : 8) : none;
	default:
		return modify(size);
	}
}

static struct pf_access of_one_byte(const struct pf_insn *insn)
{
	uint8_t opcode = insn->opcode, width = width_of(insn), size = opcode & 1 ? width : 1;

	if (opcode < 0x40)
		return of_arithmetic(insn, size);
	if (opcode >= 0xd8 && opcode <= 0xdf)
		return of_x87(insn);
	switch (opcode) {
	case 0x63:
		return load(insn->operand_size && !(insn->rex & 8) ? 2 : 4);
	case 0x69:
	case 0x6b:
		return load(width);
	case 0x84:
	case 0x85:
		return load(size);
	case 0x86:
	case 0x87:
		return modify(size);
	case 0x88:
	case 0x89:
		return store(size);
	case 0x8a:
	case 0x8b:
		return load(opcode == 0x8a ? 1 : width);
	case 0x80:
	case 0x81:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xc7:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff:
		return of_group(insn, opcode == 0x83 ? width : size);
	default:
		return none;
	}
}

/* 10 to 17, 28 to 2f: moves of SSE. */
static struct pf_access of_sse_moves(const struct pf_insn *insn, const uint8_t *bytes)
{
	uint8_t size = sse_size(insn, bytes);

	switch (insn->opcode) {
	case 0x10:
		return load(size);
	case 0x11:
		return store(size);
	case 0x12:
	case 0x16:
		return load(has_prefix(insn, bytes, REP) ? 16 : 8);
	case 0x13:
	case 0x17:
		return store(8);
	case 0x14:
	case 0x15:
	case 0x28:
		return load(16);
	case 0x29:
		return store(16);
	case 0x2b:
		return store(size);
	case 0x2a:
		return load(size == 16 ? 8 : insn->rex & 8 ? 8 : 4);
	case 0x2c:
	case 0x2d:
		return load(size == 4 ? 4 : size == 8 || !insn->operand_size ? 8 : 16);
	default: /* ucomiss, comiss, and those on doubles */
		return load(insn->operand_size ? 8 : 4);
	}
}

/* 60 to 7f, c2, c6, d0 to ff: vectors of whole numbers. */
static struct pf_access of_vectors(const struct pf_insn *insn, const uint8_t *bytes)
{
	bool rep = has_prefix(insn, bytes, REP), repne = has_prefix(insn, bytes, REPNE);
	uint8_t wide = insn->operand_size || rep || repne ? 16 : 8;

	switch (insn->opcode) {
	case 0x6e:
		return load(insn->rex & 8 ? 8 : 4);
	case 0x7e:
		return rep ? load(8) : store(insn->rex & 8 ? 8 : 4);
	case 0xd6:
		return store(8);
	case 0x7f:
	case 0xe7:
		return store(wide);
	case 0xc2:
		return load(sse_size(insn, bytes));
	case 0x60:
	case 0x61:
	case 0x62:
	case 0xe6:
	case 0xff:
		return (struct pf_access) { .load = true }; /* some read half */
	case 0xf7:
		return none; /* its address is in a register */
	default:
		return load(insn->opcode == 0xc6 ? 16 : wide);
	}
}

/* a3 to c7 and 90 to 9f. */
static struct pf_access of_others(const struct pf_insn *insn)
{
	uint8_t width = width_of(insn);

	switch (insn->opcode) {
	case 0xa4:
	case 0xa5:
	case 0xac:
	case 0xad:
	case 0xb1:
	case 0xc1:
		return modify(width);
	case 0xb0:
	case 0xc0:
		return modify(1);
	case 0xaf:
	case 0xb8:
	case 0xbc:
	case 0xbd:
		return load(width);
	case 0xb6:
	case 0xbe:
		return load(1);
	case 0xb7:
	case 0xbf:
		return load(2);
	case 0xba:
		return extension(insn) == 4 ? load(width) : modify(width);
	case 0xc3:
		return store(width);
	case 0xc7:
		return extension(insn) == 1 ? modify(insn->rex & 8 ? 16 : 8) : none;
	default:
		return insn->opcode >= 0x90 && insn->opcode <= 0x9f ? store(1) : none;
	}
}

static struct pf_access of_0f(const struct pf_insn *insn, const uint8_t *bytes)
{
	uint8_t opcode = insn->opcode;

	if ((opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f))
		return of_sse_moves(insn, bytes);
	if (opcode >= 0x40 && opcode <= 0x4f)
		return load(width_of(insn));
	if (opcode == 0x5a || opcode == 0x5b || opcode == 0x50)
		return (struct pf_access) { .load = opcode != 0x50 }; /* conversions: some read half */
	if (opcode >= 0x51 && opcode <= 0x5f)
		return load(sse_size(insn, bytes));
	if ((opcode >= 0x60 && opcode <= 0x76 && (opcode < 0x71 || opcode > 0x73)) || opcode == 0x7c ||
	    opcode == 0x7d || opcode == 0x7e || opcode == 0x7f || opcode == 0xc2 || opcode == 0xc6 || opcode >= 0xd0)
		return of_vectors(insn, bytes);
	return of_others(insn);
}

struct pf_access pf_access_of(const struct pf_insn *insn, const uint8_t *bytes)
{
	struct pf_access access = none, stack = of_stack(insn);
	bool memory = insn->has_modrm && insn->modrm >> 6 != 3;

	if (memory && insn->map == PF_MAP_ONE_BYTE)
		access = of_one_byte(insn);
	else if (memory && insn->map == PF_MAP_0F)
		access = of_0f(insn, bytes);
	else if (memory && (insn->map == PF_MAP_0F38 || insn->map == PF_MAP_0F3A))
		access.load = insn->map == PF_MAP_0F38 && insn->opcode < 0x80; /* they widen */
	access.push |= stack.push;
	access.pop |= stack.pop;
	access.leave |= stack.leave;
	return access;
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static bool add_register(const struct pf_access_state *state, unsigned int number, unsigned int scale, uint64_t *sum)
{
	*sum += state->regs[number] << scale;
	return number != RAX || !state->lost_rax;
}

/* The address of the operand in memory; false if it is not known. */
static bool operand_at(const struct pf_insn *insn, const uint8_t *bytes, uint64_t pc,
		       const struct pf_access_state *state, uint64_t *address)
{
	unsigned int mod = insn->modrm >> 6, base = insn->modrm & 7, high = (insn->rex & 1u) << 3;
	bool known = !insn->gs;
	uint64_t sum = (uint64_t)insn->disp;

	if (insn->rip_relative) {
		sum += pc + insn->length;
	} else if (base != RSP) {
		known &= add_register(state, base | high, 0, &sum);
	} else {
		uint8_t sib = bytes[insn->modrm_offset + 1];
		unsigned int index = (sib >> 3 & 7u) | (insn->rex & 2u) << 2;

		base = sib & 7;
		if (mod != 0 || base != RBP)
			known &= add_register(state, base | high, 0, &sum);
		if (index != RSP)
			known &= add_register(state, index, sib >> 6, &sum);
	}
	*address = (insn->address_size ? (uint32_t)sum : sum) + (insn->fs ? state->fs : 0);
	return known;
}

uint32_t pf_access_at(const struct pf_insn *insn, const uint8_t *bytes, uint64_t pc,
		      const struct pf_access_state *state, struct pf_vec_access accesses[2])
{
	struct pf_access access = pf_access_of(insn, bytes);
	uint32_t count = 0;
	uint64_t address;

	if ((access.load || access.store) && operand_at(insn, bytes, pc, state, &address))
		accesses[count++] = (struct pf_vec_access) {
			.form = (access.load ? PF_VEC_LOAD : 0) | (access.store ? PF_VEC_STORE : 0) | access.size << 8u,
			.pc = pc,
			.address = address,
		};
	if (access.push || access.pop || access.leave)
		accesses[count++] = (struct pf_vec_access) {
			.form = (access.push ? PF_VEC_STORE : PF_VEC_LOAD) | 8u << 8,
			.pc = pc,
			.address = state->regs[access.leave ? RBP : RSP] - (access.push ? 8u : 0),
		};
	return count;
}
