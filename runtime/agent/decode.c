/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A decoder of lengths and classes: prefixes, opcode, ModRM, displacement and immediate follow from two tables, and a
 * few groups of opcodes are told apart here.  It lives in other people's programs, so it calls nothing.  The hard case
 * is to be wrong in one direction only: an opcode nobody knew when this was written must not be copied on the guess
 * that it is harmless, for it might be a branch; and what is known to depend on its own address, on segments, on
 * protection keys, to be privileged, or to need more of a signal's frame than there is, must not be copied either. */
#include "runtime/agent/decode.h"
#include "runtime/agent/decode-table.h"

#define REX_W 8

/* Reads past the end give 0, and are remembered. */
struct reader {
	const uint8_t *bytes;
	size_t room, at;
	bool cut;
};

struct prefixes {
	uint8_t repeat; /* the last of F2 and F3, 0 none */
	bool lock, contradictory;
};

static uint8_t next(struct reader *r)
{
	if (r->at < r->room)
		return r->bytes[r->at++];
	r->cut = true;
	return 0;
}

static int64_t next_signed(struct reader *r, uint8_t size)
{
	uint64_t value = 0;
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)next(r) << 8 * i;
	unsigned int unused = 64 - 8u * size;
	return size ? (int64_t)(value << unused) >> unused : 0;
}

/* Takes the prefixes and returns the byte after them.  A REX prefix only counts right before the opcode. */
static uint8_t take_prefixes(struct reader *r, struct pf_insn *insn, struct prefixes *p)
{
	for (;;) {
		uint8_t byte = next(r);
		if ((byte & 0xf0) == 0x40) {
			insn->rex = byte;
			continue;
		}
		switch (byte) {
		case 0x26: /* es, cs, ss, ds: without effect, also after fs and gs */
		case 0x2e:
		case 0x36:
		case 0x3e:
			break;
		case 0x64:
		case 0x65:
			insn->fs = byte == 0x64;
			insn->gs = byte == 0x65;
			break;
		case 0x66:
			insn->operand_size = true;
			break;
		case 0x67:
			insn->address_size = true;
			break;
		case 0xf0:
			p->lock = true;
			break;
		case 0xf2:
		case 0xf3:
			p->contradictory |= p->repeat && p->repeat != byte;
			p->repeat = byte;
			break;
		default:
			return byte;
		}
		insn->rex = 0;
	}
}

static bool is_memory(const struct pf_insn *insn)
{
	return insn->has_modrm && insn->modrm < 0xc0;
}

static uint8_t reg_field(const struct pf_insn *insn)
{
	return insn->modrm >> 3 & 7;
}

static void take_displacement(struct reader *r, struct pf_insn *insn, uint8_t size)
{
	if (!size)
		return;
	insn->disp_offset = (uint8_t)r->at;
	insn->disp_size = size;
	insn->disp = next_signed(r, size);
}

static void take_modrm(struct reader *r, struct pf_insn *insn)
{
	insn->has_modrm = true;
	insn->modrm_offset = (uint8_t)r->at;
	insn->modrm = next(r);
	if (!is_memory(insn) || (insn->map == PF_MAP_0F && (insn->opcode & 0xfc) == 0x20))
		return; /* moves of control registers take every mod for a register's */
	uint8_t mod = insn->modrm >> 6, base = insn->modrm & 7;
	insn->rip_relative = mod == 0 && base == 5;
	if (base == 4)
		base = next(r) & 7;
	take_displacement(r, insn, mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0);
}

static void take_immediate(struct reader *r, struct pf_insn *insn, uint8_t kind)
{
	static const uint8_t sizes[] = { [IMM_8] = 1,     [IMM_16] = 2,     [IMM_32] = 4, [IMM_FULL] = 4,
					 [IMM_ENTER] = 2, [IMM_BRANCH] = 4, [IMM_8_8] = 1 };
	bool wide = insn->rex & REX_W;
	uint8_t size = kind == IMM_MOFFS ? 0 : sizes[kind];
	if (kind == IMM_MOFFS)
		take_displacement(r, insn, insn->address_size ? 4 : 8);
	if (kind == IMM_FULL && wide)
		size = 8;
	else if ((kind == IMM_32 || kind == IMM_FULL) && insn->operand_size && !wide)
		size = 2;
	if (!size)
		return;
	insn->imm_offset = (uint8_t)r->at;
	insn->imm_size = size;
	insn->imm = next_signed(r, size);
	if (kind == IMM_ENTER || kind == IMM_8_8)
		next(r);
}

/* The number of the mandatory prefix, as in the second table. */
static uint8_t mandatory(const struct pf_insn *insn, const struct prefixes *p)
{
	return p->repeat ? p->repeat == 0xf3 ? 2 : 3 : insn->operand_size;
}

static bool has_form(const struct pf_insn *insn, unsigned int table, uint8_t prefix)
{
	bool in_register = insn->has_modrm && !is_memory(insn);
	return forms[table][insn->opcode] >> (prefix + 4 * in_register) & 1;
}

static uint8_t class_if(bool known)
{
	return known ? PF_INSN_PLAIN : SHAPE_UNKNOWN;
}

static uint8_t native_unless(bool plain)
{
	return plain ? PF_INSN_PLAIN : PF_INSN_NATIVE;
}

/* The groups of the one-byte map. */
static uint8_t one_byte_class(const struct pf_insn *insn, uint8_t class)
{
	uint8_t reg = reg_field(insn);
	switch (insn->opcode) {
	case 0x8d: /* lea */
		return class_if(is_memory(insn));
	case 0x8f:
		return class_if(reg == 0);
	case 0xc6:
	case 0xc7: /* also xabort, xbegin */
		return insn->modrm == 0xf8 ? PF_INSN_NATIVE : class_if(reg == 0);
	case 0xcd:
		return (uint8_t)insn->imm == 0x80 ? PF_INSN_SYSCALL : PF_INSN_NATIVE;
	case 0xfe:
		return class_if(reg < 2);
	case 0xff:
		if (reg == 2)
			return PF_INSN_CALL_INDIRECT;
		if (reg == 4)
			return PF_INSN_JUMP_INDIRECT;
		return reg == 3 || reg == 5 ? PF_INSN_NATIVE : class_if(reg != 7); /* far: native */
	default:
		break;
	}
	if ((insn->opcode & 0xf8) != 0xd8)
		return class;
	unsigned int row = insn->opcode & 7;
	return class_if(is_memory(insn) ? x87_memory[row] >> reg & 1
					: x87_registers[row][reg] >> (insn->modrm & 7) & 1);
}

/* fxsave and its kin, fences, clwb, clflushopt, ptwrite; the others write segment bases or shadow stacks, or wait. */
static bool is_plain_0fae(bool memory, uint8_t prefix, uint8_t reg)
{
	static const uint8_t plain[2][4] = { { 0xe0, 0, 0x10, 0 }, { 0xff, 0xc0, 0x10, 0 } };
	return plain[memory][prefix] >> reg & 1;
}

/* cmpxchg8b and cmpxchg16b, xsavec; rdrand, rdseed, rdpid.  The others are privileged or send interrupts. */
static bool is_plain_0fc7(bool memory, uint8_t prefix, uint8_t reg)
{
	if (memory)
		return reg == 1 || (reg == 4 && !prefix);
	return reg == 7 ? prefix < 3 : reg == 6 && prefix < 2;
}

/* The groups behind 0F. */
static uint8_t two_byte_class(const struct pf_insn *insn, uint8_t prefix, uint8_t class)
{
	bool memory = is_memory(insn);
	uint8_t reg = reg_field(insn), modrm = insn->modrm;
	switch (insn->opcode) {
	case 0x01: /* xgetbv, serialize, rdtscp, clzero */
		return native_unless(((modrm == 0xd0 || modrm == 0xe8) && !prefix) || modrm == 0xf9 || modrm == 0xfc);
	case 0x71:
	case 0x72:
		return class_if(reg == 2 || reg == 4 || reg == 6);
	case 0x73:
		return class_if(reg == 2 || reg == 6 || (prefix && (reg == 3 || reg == 7)));
	case 0x78: /* AMD's extrq and insertq; without prefix vmread and vmwrite */
	case 0x79:
		if (insn->opcode == 0x78 && prefix == 1 && reg != 0)
			return SHAPE_UNKNOWN;
		return prefix ? class : PF_INSN_NATIVE;
	case 0xae:
		return native_unless(is_plain_0fae(memory, prefix, reg));
	case 0xba:
		return class_if(reg >= 4);
	case 0xc7:
		return native_unless(is_plain_0fc7(memory, prefix, reg));
	default:
		return class;
	}
}

/* Behind 0F 38 and 0F 3A: invept, invvpid, invpcid, wrss, wruss, enqcmds, hreset. */
static uint8_t three_byte_class(const struct pf_insn *insn, uint8_t prefix)
{
	uint8_t op = insn->opcode;
	if (insn->map == PF_MAP_0F3A)
		return native_unless(op != 0xf0);
	if (op == 0xd8) /* Key Locker */
		return class_if(reg_field(insn) < 4);
	return native_unless((op & 0xfc) != 0x80 && op != 0xf5 && (op != 0xf6 || prefix) &&
			     (op != 0xf8 || prefix != 2));
}

/* May the instruction have a lock prefix? */
static bool is_lockable(const struct pf_insn *insn)
{
	uint8_t op = insn->opcode, reg = reg_field(insn);
	if (!is_memory(insn) || insn->map > PF_MAP_0F)
		return false;
	if (insn->map == PF_MAP_0F)
		return op == 0xab || op == 0xb0 || op == 0xb1 || op == 0xb3 || op == 0xbb || op == 0xc0 || op == 0xc1 ||
		       (op == 0xba && reg >= 5) || (op == 0xc7 && reg == 1);
	if (op < 0x38)
		return (op & 6) == 0;
	if (op <= 0x83)
		return op >= 0x80 && reg != 7;
	return op == 0x86 || op == 0x87 || (op >= 0xfe && reg < 2) || ((op & 0xfe) == 0xf6 && (reg == 2 || reg == 3));
}

static bool is_branch(uint8_t class)
{
	return class != PF_INSN_PLAIN && class != PF_INSN_SYSCALL && class != PF_INSN_NATIVE;
}

/* The rules for all opcodes.  The agent's own data are behind gs; a copy's RIP has more than 32 bits; and processors
 * differ in what a 16-bit branch is, and in which of two repeat prefixes counts.  In a call of __tls_get_addr REX.W
 * makes the operand size prefix mere padding. */
static bool must_stay(const struct pf_insn *insn, const struct prefixes *p)
{
	return insn->gs || p->contradictory || (insn->rip_relative && insn->address_size) ||
	       (is_branch(insn->class) && insn->operand_size && !(insn->rex & REX_W));
}

static bool finish(const struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	if (r->cut || insn->class == SHAPE_UNKNOWN || (p->lock && !is_lockable(insn)))
		return false;
	insn->length = (uint8_t)r->at;
	if (must_stay(insn, p))
		insn->class = PF_INSN_NATIVE;
	return true;
}

/* What has a shape of its own: one-byte opcodes and those behind 0F. */
static bool decode_shaped(struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	uint8_t shape = shapes[insn->map][insn->opcode], prefix = mandatory(insn, p), immediate = shape & 15;
	if (shape == SHAPE_UNKNOWN)
		return false;
	if (shape & SHAPE_MODRM)
		take_modrm(r, insn);
	insn->class = shape >> 5;
	if (insn->map == PF_MAP_ONE_BYTE) {
		if ((insn->opcode & 0xfe) == 0xf6 && reg_field(insn) < 2) /* test, unlike the rest of its group */
			immediate = insn->opcode == 0xf6 ? IMM_8 : IMM_32;
		take_immediate(r, insn, immediate);
		insn->class = one_byte_class(insn, insn->class);
		return finish(r, insn, p);
	}
	if (!has_form(insn, TABLE_0F, prefix))
		return false;
	take_immediate(r, insn, insn->opcode == 0x78 && prefix ? IMM_8_8 : immediate);
	insn->class = two_byte_class(insn, prefix, insn->class);
	return finish(r, insn, p);
}

/* 0F 0F: the opcode comes last. */
static bool decode_3dnow(struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	static const uint8_t known[] = { 0x0c, 0x0d, 0x1c, 0x1d, 0x8a, 0x8e, 0x90, 0x94, 0x96, 0x97, 0x9a, 0x9e,
					 0xa0, 0xa4, 0xa6, 0xa7, 0xaa, 0xae, 0xb0, 0xb4, 0xb6, 0xb7, 0xbb, 0xbf };
	insn->map = PF_MAP_3DNOW;
	take_modrm(r, insn);
	insn->opcode = next(r);
	for (size_t i = 0; i < sizeof known; i++)
		if (known[i] == insn->opcode)
			return finish(r, insn, p);
	return false;
}

static bool decode_three_byte(struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	uint8_t prefix = mandatory(insn, p);
	insn->map = insn->opcode == 0x38 ? PF_MAP_0F38 : PF_MAP_0F3A;
	insn->opcode = next(r);
	take_modrm(r, insn);
	if (!has_form(insn, insn->map == PF_MAP_0F38 ? TABLE_0F38 : TABLE_0F3A, prefix))
		return false;
	if (insn->map == PF_MAP_0F3A)
		take_immediate(r, insn, IMM_8);
	insn->class = three_byte_class(insn, prefix);
	return finish(r, insn, p);
}

static uint8_t vector_immediate(uint8_t map, uint8_t opcode)
{
	switch (map & 15) {
	case 1: /* shuffles and shifts by a constant, compare, insert, extract */
		return (opcode & 0xfc) == 0x70 || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6) ? IMM_8
												       : IMM_NONE;
	case 3:
	case 8:
		return IMM_8;
	case 10:
		return IMM_32;
	default:
		return IMM_NONE;
	}
}

/* Does it work on AMX's tiles?  Those the kernel gives to a thread at its first such instruction only, and a frame from
 * before has no room for them: the return through it would clear them. */
static bool is_on_tiles(const struct pf_insn *insn, uint8_t prefix)
{
	uint8_t op = insn->opcode;
	return insn->map == (PF_MAP_VEX | 2) &&
	       (op == 0x4b || op == 0x5c || op == 0x5e || op == 0x6c || (op == 0x49 && prefix == 3));
}

/* The rest of a VEX, EVEX or XOP instruction, after its prefix. */
static bool decode_vector(struct reader *r, struct pf_insn *insn, const struct prefixes *p, unsigned int table,
			  uint8_t prefix)
{
	if (p->lock || p->repeat || insn->operand_size || insn->rex)
		return false;
	insn->opcode = next(r);
	if (insn->map != (PF_MAP_VEX | 1) || insn->opcode != 0x77) /* vzeroupper */
		take_modrm(r, insn);
	if (!has_form(insn, table, prefix))
		return false;
	take_immediate(r, insn, vector_immediate(insn->map, insn->opcode));
	if (insn->map > PF_MAP_XOP + 8 && insn->opcode == 0x12) /* AMD's profiling: it notes its own address */
		insn->class = PF_INSN_NATIVE;
	if (is_on_tiles(insn, prefix))
		insn->class = PF_INSN_NATIVE;
	return finish(r, insn, p);
}

static bool decode_vex(struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	uint8_t number = insn->opcode == 0xc5 ? 1 : next(r) & 0x1f, payload = next(r);
	if (number < 1 || number > 3)
		return false;
	insn->map = PF_MAP_VEX | number;
	return decode_vector(r, insn, p, TABLE_VEX_1 + number - 1u, payload & 3);
}

static bool decode_xop(struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	uint8_t number = next(r) & 0x1f, payload = next(r);
	if (number > 10)
		return false;
	insn->map = PF_MAP_XOP | number;
	return decode_vector(r, insn, p, TABLE_XOP_8 + number - 8u, payload & 3);
}

static bool decode_evex(struct reader *r, struct pf_insn *insn, const struct prefixes *p)
{
	uint8_t first = next(r), second = next(r), number = first & 7;
	next(r);
	if ((first & 8) || !(second & 4) || number < 1 || number > 6)
		return false; /* the fixed bits have other values in encodings to come */
	insn->map = PF_MAP_EVEX | number;
	return decode_vector(r, insn, p, TABLE_EVEX_1 + number - 1u, second & 3);
}

bool pf_decode(const uint8_t *bytes, size_t room, struct pf_insn *insn)
{
	struct reader r = { .bytes = bytes, .room = room < PF_INSN_MAX ? room : PF_INSN_MAX };
	struct prefixes p = { 0 };
	*insn = (struct pf_insn) { 0 };
	insn->opcode = take_prefixes(&r, insn, &p);
	switch (insn->opcode) {
	case 0x62:
		return decode_evex(&r, insn, &p);
	case 0xc4:
	case 0xc5:
		return decode_vex(&r, insn, &p);
	case 0x8f: /* pop, whose ModRM has zeros where XOP has a map of at least 8 */
		if (r.at < r.room && (bytes[r.at] & 0x1f) >= 8)
			return decode_xop(&r, insn, &p);
		return decode_shaped(&r, insn, &p);
	case 0x0f:
		insn->map = PF_MAP_0F;
		insn->opcode = next(&r);
		if (insn->opcode == 0x0f)
			return decode_3dnow(&r, insn, &p);
		if (insn->opcode == 0x38 || insn->opcode == 0x3a)
			return decode_three_byte(&r, insn, &p);
		return decode_shaped(&r, insn, &p);
	default:
		return decode_shaped(&r, insn, &p);
	}
}
