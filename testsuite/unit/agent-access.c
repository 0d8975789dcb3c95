/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loads and stores that the agent sees in instructions against Zydis, which the agent cannot use: every opcode of
 * the maps without AVX, with the prefixes that matter and every ModRM.  What is loaded must never be more than the
 * instruction loads; and of whole numbers and scalars nothing may be missed, but for what a list here names.  The
 * addresses of every ModRM and SIB are Zydis's, too. */
#include "runtime/agent/access.c" /* the files themselves, so that sanitizers see them */
#include "runtime/agent/decode.c"
#include "testsuite/unit/suite.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

static ZydisDecoder zydis;
static unsigned int compared;

static void disagree(const char *what, const uint8_t *bytes, const ZydisDecodedInstruction *z)
{
	char text[3 * PF_INSN_MAX + 1];

	for (int i = 0; i < z->length; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	ck_abort_msg("%s: %s, %s", what, ZydisMnemonicGetString(z->mnemonic), text);
}

/* What the operand does; what it may do counts, since the instruction faults as if it did. */
static bool reads(const ZydisDecodedOperand *o)
{
	return o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

static bool writes(const ZydisDecodedOperand *o)
{
	return o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

/* What access.h says is not looked at. */
static bool is_left_out(const struct pf_insn *insn, const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTS: /* by a register: the address is elsewhere */
		return insn->opcode != 0xba;
	case ZYDIS_MNEMONIC_MOVSXD: /* with a prefix it is half as wide, for some makers */
		return true;
	case ZYDIS_MNEMONIC_POP:
		return insn->opcode == 0x8f;
	case ZYDIS_MNEMONIC_MOV:
		return insn->opcode == 0x8c || insn->opcode == 0x8e;
	default:
		return false;
	}
}

/* Whole numbers and scalars, of which all is wanted. */
static bool is_wanted(const struct pf_insn *insn, const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_UNCOND_BR:
		return insn->map <= PF_MAP_0F && z->meta.isa_set != ZYDIS_ISA_SET_MOVBE;
	default:
		return false;
	}
}

static void check_operand(const struct pf_access *a, const uint8_t *bytes, const struct pf_insn *insn,
			  const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	if (a->load && !reads(o))
		disagree("a load that is none", bytes, z);
	if (a->store && !writes(o))
		disagree("a store that is none", bytes, z);
	if (a->load && a->size && a->size * 8u > o->size)
		disagree("more is loaded than the instruction loads", bytes, z);
	if (is_wanted(insn, z) && !is_left_out(insn, z)) {
		if (a->load != reads(o) || a->store != writes(o))
			disagree("an access is missed", bytes, z);
		if ((a->load || a->store) && a->size * 8u != o->size)
			disagree("another size", bytes, z);
		compared++;
	}
}

static void compare(const uint8_t *bytes)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	struct pf_insn insn;
	struct pf_access a;
	bool pushes = false, pops = false, any = false;

	if (!pf_decode(bytes, PF_INSN_MAX, &insn) || insn.class == PF_INSN_NATIVE ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis, bytes, PF_INSN_MAX, &z, operands)))
		return;
	a = pf_access_of(&insn, bytes);
	for (int i = 0; i < z.operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		bool stack = o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
			     (o->mem.base == ZYDIS_REGISTER_RSP || o->mem.base == ZYDIS_REGISTER_RBP);

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM && insn.has_modrm &&
		    o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
			check_operand(&a, bytes, &insn, &z, o);
			any = true;
		}
		pushes |= stack && writes(o) && o->size == 64;
		pops |= stack && reads(o) && o->size == 64;
	}
	if (!any && (a.load || a.store))
		disagree("it has no operand in memory", bytes, &z);
	if (z.mnemonic == ZYDIS_MNEMONIC_ENTER)
		pushes = pops = false;
	if (a.push != pushes || (a.pop || a.leave) != pops)
		disagree("the stack", bytes, &z);
}

static const char *const prefixes[] = { "",         "\x66",     "\xf3",     "\xf2",     "\x48",         "\x4f",
					"\x66\x48", "\xf3\x48", "\xf2\x4d", "\x66\xf3", "\xf2\x66",     "\x2e",
					"\xf0",     "\x67\x66", "\xf3\x66", "\x66\xf2", "\x66\xf3\x48", "\x64" };

START_TEST(all_opcodes)
{
	static const char *const maps[] = { "", "\x0f", "\x0f\x38", "\x0f\x3a" };
	const char *prefix = prefixes[_i];

	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int map = 0; map < 4; map++)
		for (unsigned int opcode = 0; opcode < 256; opcode++)
			for (unsigned int modrm = 0; modrm < 256; modrm++) {
				uint8_t bytes[PF_INSN_MAX] = { 0 };
				size_t at = strlen(prefix), escape = strlen(maps[map]);

				memcpy(bytes, prefix, at);
				memcpy(bytes + at, maps[map], escape);
				bytes[at + escape] = (uint8_t)opcode;
				bytes[at + escape + 1] = (uint8_t)modrm;
				bytes[at + escape + 2] = 0x21; /* an SIB without RSP */
				compare(bytes);
			}
	ck_assert_uint_gt(compared, 1000);
}
END_TEST

/* The registers have values that show each scale and each byte of a sum. */
static struct pf_access_state states(ZydisRegisterContext *context, bool lost_rax)
{
	struct pf_access_state state = { .fs = 0x7f0000001000, .lost_rax = lost_rax };

	memset(context, 0, sizeof *context);
	for (unsigned int i = 0; i < 16; i++) {
		state.regs[i] = 0x0123456789ab * (i + 3) + (uint64_t)i * i;
		context->values[ZYDIS_REGISTER_RAX + i] = state.regs[i];
		context->values[ZYDIS_REGISTER_EAX + i] = (uint32_t)state.regs[i];
	}
	return state;
}

static bool has_rax(const ZydisDecodedOperand *o)
{
	return o->mem.base == ZYDIS_REGISTER_RAX || o->mem.index == ZYDIS_REGISTER_RAX ||
	       o->mem.base == ZYDIS_REGISTER_EAX || o->mem.index == ZYDIS_REGISTER_EAX;
}

/* mov OPERAND, %rax at PC, or what the prefixes make of it. */
static void check_address(const uint8_t *bytes, bool lost_rax)
{
	const uint64_t pc = 0x555555554321;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	ZydisRegisterContext context;
	struct pf_access_state state = states(&context, lost_rax);
	struct pf_vec_access accesses[2];
	struct pf_insn insn;
	uint64_t wanted;
	uint32_t count;

	ck_assert(pf_decode(bytes, PF_INSN_MAX, &insn));
	ck_assert(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis, bytes, PF_INSN_MAX, &z, operands)));
	count = pf_access_at(&insn, bytes, pc, &state, accesses);
	if (operands[1].type != ZYDIS_OPERAND_TYPE_MEMORY || operands[1].mem.segment == ZYDIS_REGISTER_GS ||
	    (lost_rax && has_rax(&operands[1]))) {
		ck_assert_uint_eq(count, 0);
		return;
	}
	ck_assert(ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&z, &operands[1], pc, &context, &wanted)));
	wanted += operands[1].mem.segment == ZYDIS_REGISTER_FS ? state.fs : 0;
	if (count != 1 || accesses[0].address != wanted || accesses[0].pc != pc ||
	    accesses[0].form != (PF_VEC_LOAD | (operands[1].size / 8u) << 8))
		disagree("another address or size", bytes, &z);
	compared++;
}

START_TEST(addresses)
{
	static const char *const segments[] = { "", "\x64", "\x65", "\x67", "\x64\x67", "\x66" };
	const char *segment = segments[_i];
	size_t at = strlen(segment);

	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (unsigned int rex = 0x40; rex < 0x50; rex += (rex & 3) == 3 ? 5 : 1) /* REX.R is the other operand's */
		for (unsigned int modrm = 0; modrm < 256; modrm++)
			for (unsigned int sib = 0; sib < 256; sib += (modrm & 7) == 4 ? 1 : 256) {
				uint8_t bytes[PF_INSN_MAX] = { 0 };

				memcpy(bytes, segment, at);
				bytes[at] = (uint8_t)rex;
				bytes[at + 1] = 0x8b;
				bytes[at + 2] = (uint8_t)modrm;
				bytes[at + 3] = (uint8_t)sib;
				/* Without a base REX.B has no meaning; Zydis 4.0 takes r13d then. */
				if (_i >= 3 && modrm < 64 && (modrm & 7) == 4 && (sib & 7) == 5)
					bytes[at] &= 0xfe;
				memcpy(bytes + at + 4, "\xfe\xdc\xba\x98", 4);
				check_address(bytes, modrm & 8);
			}
	if (_i == 2) /* gs, whose base is not known */
		ck_assert_uint_eq(compared, 0);
	else
		ck_assert_uint_gt(compared, 1000);
}
END_TEST

/* What has two, and the stack. */
START_TEST(orders)
{
	static const struct {
		const char *bytes;
		uint32_t count, forms[2];
		uint64_t addresses[2];
	} cases[] = {
		{ "\xff\x17", 2, { PF_VEC_LOAD | 8 << 8, PF_VEC_STORE | 8 << 8 }, { 0x700, 0x3f8 } }, /* call *(%rdi) */
		{ "\xff\x37", 2, { PF_VEC_LOAD | 8 << 8, PF_VEC_STORE | 8 << 8 }, { 0x700, 0x3f8 } }, /* push (%rdi) */
		{ "\xc3", 1, { PF_VEC_LOAD | 8 << 8 }, { 0x400 } },                                   /* ret */
		{ "\xc9", 1, { PF_VEC_LOAD | 8 << 8 }, { 0x500 } },                                   /* leave */
		{ "\x53", 1, { PF_VEC_STORE | 8 << 8 }, { 0x3f8 } },                                  /* push %rbx */
		{ "\x01\x0f", 1, { PF_VEC_LOAD | PF_VEC_STORE | 4 << 8 }, { 0x700 } }, /* add %ecx, (%rdi) */
		{ "\x90", 0, { 0 }, { 0 } },
	};
	struct pf_access_state state = { .regs = { 0, 0x100, 0x200, 0x300, 0x400, 0x500, 0x600, 0x700 } };
	struct pf_vec_access accesses[2];
	struct pf_insn insn;
	uint8_t bytes[PF_INSN_MAX] = { 0 };

	memcpy(bytes, cases[_i].bytes, strlen(cases[_i].bytes));
	ck_assert(pf_decode(bytes, PF_INSN_MAX, &insn));
	ck_assert_uint_eq(pf_access_at(&insn, bytes, 0x1000, &state, accesses), cases[_i].count);
	for (uint32_t i = 0; i < cases[_i].count; i++) {
		ck_assert_uint_eq(accesses[i].form, cases[_i].forms[i]);
		ck_assert_uint_eq(accesses[i].address, cases[_i].addresses[i]);
		ck_assert_uint_eq(accesses[i].pc, 0x1000);
	}
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("agent-access");

	tcase_add_loop_test(cases, all_opcodes, 0, sizeof prefixes / sizeof *prefixes);
	tcase_add_loop_test(cases, addresses, 0, 6);
	tcase_add_loop_test(cases, orders, 0, 7);
	return run_case("agent-access", cases);
}
