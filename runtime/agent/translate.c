/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translates one extended block: straight code is copied (RIP-relative operands fixed up), conditional jumps stay
 * native and lead out only when taken, and the block ends at the first branch that is always taken, at an instruction
 * that must run natively, or at its greatest length.  The bytes that were translated are kept beside the translation,
 * so that a later burst can tell whether the program has changed them.  The hard cases: return addresses must be the
 * original ones; an instruction that faults in the cache must be found again with the program's registers, so the steps
 * are noted and nothing of the program's is changed before its last possible fault; and restartable sequences, which
 * the kernel only restarts at their original address, must not be entered: the block ends before the instruction that
 * takes a descriptor's address or stores to rseq_cs. */
#include "runtime/agent/access.h"
#include "runtime/agent/decode.h"
#include "runtime/agent/emit.h"
#include "runtime/agent/next.h"
#include "runtime/agent/sightings.h"
#include "runtime/agent/spin.h"
#include "runtime/agent/tablejump.h"

#include "perfdata/vectors.h"

#define MAX_INSTRUCTIONS 64
#define RSEQ_CS_FIELD 8
#define ENDBR_SIZE 4

struct translation {
	struct pf_cache *cache;
	const struct pf_modules *modules;
	const struct pf_module *module;
	uint64_t pc, at, previous; /* start, current instruction, the one before (0: none) */
	uint8_t *code, *emit;
	uint32_t first_step, first_exit;
	const uint8_t *bytes;
	struct pf_insn insn;
};

/* What is emitted next belongs to the instruction at AT. */
static void add_step_at(struct translation *t, uint64_t at, uint16_t flags)
{
	struct pf_step *step = &t->cache->steps[t->cache->step_count++];
	step->code = (uint16_t)(t->emit - t->code);
	step->original = (uint16_t)((at - t->pc) | flags);
}

static void add_step(struct translation *t, uint16_t flags)
{
	add_step_at(t, t->at, flags);
}

/* A way out; the code that leads to it ends in a rel32 just emitted. */
static struct pf_exit *add_exit(struct translation *t, int kind, uint64_t from, uint64_t to)
{
	struct pf_exit *exit = &t->cache->exits[t->cache->exit_count++];
	*exit = (struct pf_exit) { .start = t->pc, .from = from, .to = to, .kind = (uint8_t)kind };
	exit->patch = t->emit - 4;
	exit->zone = (uint8_t)t->module->zone;
	return exit;
}

static void jump_out(struct translation *t, int kind, uint64_t from, uint64_t to, bool spilled, int stop)
{
	EMIT(&t->emit, 0xe9, 0, 0, 0, 0);
	struct pf_exit *exit = add_exit(t, kind, from, to);
	exit->spilled = spilled;
	exit->stop = (uint8_t)stop;
}

/* Pushes the original return address: last of all, after everything that may fault. */
static void push_return(struct translation *t, int reg, uint16_t flags)
{
	emit_load(&t->emit, reg, t->at + t->insn.length);
	add_step(t, flags);
	uint8_t modrm = (uint8_t)(0x44 | reg << 3);
	EMIT(&t->emit, 0x48, 0x89);
	emit_bytes(&t->emit, &modrm, 1);
	EMIT(&t->emit, 0x24, 0xf8);                   /* mov %reg, -8(%rsp) */
	EMIT(&t->emit, 0x48, 0x8d, 0x64, 0x24, 0xf8); /* lea -8(%rsp), %rsp */
}

static uint64_t rip_target(const struct translation *t)
{
	return t->at + t->insn.length + (uint64_t)t->insn.disp;
}

/* Copies the instruction; false if its operand is out of reach. */
static bool copy(struct translation *t)
{
	uint8_t *place = t->emit;
	add_step(t, 0);
	emit_bytes(&t->emit, t->bytes, t->insn.length);
	if (!t->insn.rip_relative)
		return true;
	int64_t distance = (int64_t)(rip_target(t) - (uint64_t)t->emit);
	if (distance != (int32_t)distance)
		return false;
	uint8_t *at = place + t->insn.disp_offset;
	emit_u32(&at, (uint32_t)distance);
	return true;
}

/* mov TARGET, %rcx for the operand of an indirect jump or call; false if it is out of reach. */
static bool load_target(struct translation *t)
{
	const struct pf_insn *insn = &t->insn;
	add_step(t, 0);
	if (insn->fs)
		EMIT(&t->emit, 0x64);
	if (insn->address_size)
		EMIT(&t->emit, 0x67);
	uint8_t rex = (uint8_t)(0x48 | (insn->rex & 3)); /* REX.X and REX.B */
	emit_bytes(&t->emit, &rex, 1);
	EMIT(&t->emit, 0x8b);
	uint8_t modrm = (uint8_t)((insn->modrm & 0xc7) | PF_RCX << 3);
	emit_bytes(&t->emit, &modrm, 1);
	unsigned int tail = insn->modrm_offset + 1u;
	emit_bytes(&t->emit, t->bytes + tail, insn->length - tail);
	if (!insn->rip_relative)
		return true;
	int64_t distance = (int64_t)(rip_target(t) - (uint64_t)t->emit);
	uint8_t *at = t->emit - 4;
	emit_u32(&at, (uint32_t)distance);
	return distance == (int32_t)distance;
}

/* The end of an indirect branch, its target in rcx: a site of its own in the table. */
static void look_up(struct translation *t, int kind)
{
	struct pf_cache *cache = t->cache;
	uint32_t site = cache->site_count++;
	cache->site_exits[site] = cache->exit_count;
	struct pf_exit *exit = add_exit(t, kind, t->at, 0);
	exit->patch = NULL;
	exit->site = site;
	exit->spilled = true;
	emit_lookup(&t->emit, pf_cache_site_key(site));
}

/* Notes the size that memcpy or its kin is asked for.  In a stub of the linker's, of which the jump is all, the call is
 * what the burst recorded last, whether it was a call or a tail call: the place of that is noted. */
static void note_size(struct translation *t, int kind)
{
	bool stub = kind == PF_EDGE_INDIRECT && t->at - t->pc <= ENDBR_SIZE;
	uint8_t *begin = emit_sighting_begin(&t->emit);
	if (stub)
		emit_load_count(&t->emit);
	else
		emit_load(&t->emit, PF_RAX, t->at);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, pc));
	emit_sighting_field(&t->emit, PF_RDX, offsetof(struct pf_sighting, value));
	emit_sighting_field(&t->emit, PF_RDI, offsetof(struct pf_sighting, second));
	emit_sighting_end(&t->emit, stub ? PF_SIGHT_STRING | PF_SIGHT_IN_STUB : PF_SIGHT_STRING, begin);
}

/* Is the instruction a div or an idiv? */
static bool is_division(const struct pf_insn *insn)
{
	return insn->map == PF_MAP_ONE_BYTE && (insn->opcode & 0xfe) == 0xf6 && (insn->modrm >> 3 & 7) >= 6;
}

static uint32_t form_of_division(const struct pf_insn *insn)
{
	uint32_t width = insn->opcode == 0xf6 ? 1 : insn->rex & 8 ? 8 : insn->operand_size ? 2 : 4;
	return PF_SIGHT_DIVISION | width << 8 | (uint32_t)((insn->modrm >> 3 & 7) == 7) << 16;
}

/* Notes what a division divides by.  That is loaded by the division itself, as another instruction: mov has the same
 * operand behind it, and can only fault as the division would. */
static bool note_divisor(struct translation *t)
{
	const struct pf_insn *insn = &t->insn;
	emit_spill_rcx(&t->emit);
	emit_spill_rax(&t->emit);
	uint8_t *load = t->emit;
	if (!copy(t))
		return false;
	load[insn->modrm_offset - 1] = insn->opcode == 0xf6 ? 0x8a : 0x8b;
	load[insn->modrm_offset] &= 0xc7; /* to rax */
	if (insn->rex)
		load[insn->modrm_offset - 2] &= 0xfb; /* REX.R */
	uint8_t *begin = emit_sighting_begin(&t->emit);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, value));
	emit_unspill_rax(&t->emit);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, second));
	emit_load(&t->emit, PF_RAX, t->at);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, pc));
	emit_sighting_end(&t->emit, form_of_division(insn), begin);
	return true;
}

/* Notes which entry of its table JUMP is about to take; the instruction that takes it follows. */
static void note_entry(struct translation *t, const struct pf_tablejump *jump)
{
	uint8_t rex = (uint8_t)(0x48 | (jump->index & 8) >> 1), modrm = (uint8_t)(0xc0 | (jump->index & 7) << 3);
	emit_spill_rcx(&t->emit);
	emit_spill_rax(&t->emit);
	emit_bytes(&t->emit, &rex, 1);
	EMIT(&t->emit, 0x89);
	emit_bytes(&t->emit, &modrm, 1); /* mov %index, %rax */
	uint8_t *begin = emit_sighting_begin(&t->emit);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, value));
	emit_load(&t->emit, PF_RAX, jump->jump);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, pc));
	emit_sighting_end(&t->emit, PF_SIGHT_SWITCH, begin);
}

/* lea OPERAND, %rax, or what comes to the same; false if that is not known. */
static bool load_address(struct translation *t)
{
	const struct pf_insn *insn = &t->insn;
	unsigned int tail = (insn->modrm & 7) == 4 ? 1u + insn->disp_size : insn->disp_size;
	uint8_t rex = (uint8_t)(0x48 | (insn->rex & 3)), modrm = (uint8_t)((insn->modrm & 0xc7) | PF_RAX << 3);
	if (insn->gs || (insn->rip_relative && (insn->address_size || insn->fs)))
		return false;
	if (insn->rip_relative) {
		emit_load(&t->emit, PF_RAX, rip_target(t));
		return true;
	}
	if (insn->address_size)
		EMIT(&t->emit, 0x67);
	emit_bytes(&t->emit, &rex, 1);
	EMIT(&t->emit, 0x8d);
	emit_bytes(&t->emit, &modrm, 1);
	emit_bytes(&t->emit, t->bytes + insn->modrm_offset + 1, tail);
	if (insn->fs)
		emit_add_fs(&t->emit);
	return true;
}

/* mov (%rax), %rax and its kin, of SIZE bytes and at most 8. */
static void emit_read(uint8_t **at, uint32_t size)
{
	if (size >= 8)
		EMIT(at, 0x48, 0x8b, 0x00);
	else if (size >= 4)
		EMIT(at, 0x8b, 0x00);
	else if (size >= 2)
		EMIT(at, 0x0f, 0xb7, 0x00);
	else
		EMIT(at, 0x0f, 0xb6, 0x00);
}

/* Notes an access of SIZE bytes at %rax, of KIND; rcx and rax are spilled.  A value is loaded as the instruction itself
 * is about to do, and can only fault as that would. */
static void note_access(struct translation *t, uint32_t kind, uint32_t size)
{
	uint8_t *begin = emit_sighting_begin(&t->emit);
	uint32_t form = kind | size << 8;
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_vec_access, address));
	if (kind & PF_VEC_LOAD && size) {
		add_step(t, PF_STEP_RCX | PF_STEP_RAX);
		emit_read(&t->emit, size);
		emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_vec_access, value));
		form |= PF_VEC_VALUE;
	}
	emit_load(&t->emit, PF_RAX, t->at);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_vec_access, pc));
	emit_sighting_end(&t->emit, form, begin);
}

static void spill(struct translation *t)
{
	emit_spill_rcx(&t->emit);
	emit_spill_rax(&t->emit);
}

/* Notes what the instruction is about to load and store. */
static void note_accesses(struct translation *t)
{
	struct pf_access access = pf_access_of(&t->insn, t->bytes);
	uint8_t *begin = t->emit;
	if (access.load || access.store) {
		spill(t);
		if (load_address(t))
			note_access(t, (access.load ? PF_VEC_LOAD : 0) | (access.store ? PF_VEC_STORE : 0),
				    access.size);
		else
			t->emit = begin;
	}
	if (!access.push && !access.pop && !access.leave)
		return;
	spill(t);
	if (access.push)
		EMIT(&t->emit, 0x48, 0x8d, 0x44, 0x24, 0xf8); /* lea -8(%rsp), %rax */
	else if (access.pop)
		EMIT(&t->emit, 0x48, 0x8d, 0x04, 0x24); /* lea (%rsp), %rax */
	else
		EMIT(&t->emit, 0x48, 0x8d, 0x45, 0x00); /* lea 0(%rbp), %rax */
	note_access(t, access.push ? PF_VEC_STORE : PF_VEC_LOAD, 8);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Of 8 bytes at most; AVX, string instructions and the stack's own traffic are not looked at. */
static bool has_word(bool accessed, uint32_t size)
{
	return accessed && size > 0 && size <= 8;
}

/* Sights what lies at the instruction's operand, SIZE bytes.  A load faults as the instruction is about to; behind a
 * store another thread may have taken the memory away, and the program goes on with the next instruction. */
static void sight_word(struct translation *t, uint32_t kind, uint32_t size)
{
	uint8_t *begin = t->emit;

	spill(t);
	if (!load_address(t)) {
		t->emit = begin;
		return;
	}
	begin = emit_sighting_begin(&t->emit);
	add_step_at(t, kind == PF_SIGHT_STORE ? t->at + t->insn.length : t->at, PF_STEP_RCX | PF_STEP_RAX);
	emit_read(&t->emit, size);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, value));
	emit_load(&t->emit, PF_RAX, t->at);
	emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, pc));
	emit_sighting_end(&t->emit, kind | size << 8, begin);
}

/* Copies an instruction that is no branch, and sights what it loads and stores.  What it has stored is read behind it;
 * so it must have left the registers of its address alone, as xchg and its kin may not. */
static bool copy_sighted(struct translation *t)
{
	struct pf_access access = pf_access_of(&t->insn, t->bytes);
	bool swaps = t->insn.map == PF_MAP_ONE_BYTE
			 ? (t->insn.opcode & 0xfe) == 0x86
			 : (t->insn.opcode & 0xfe) == 0xc0 || t->insn.opcode == 0xc7 || (t->insn.opcode & 0xfe) == 0xb0;

	if (has_word(access.load, access.size))
		sight_word(t, PF_SIGHT_LOAD, access.size);
	if (!copy(t))
		return false;
	if (has_word(access.store, access.size) && !swaps)
		sight_word(t, PF_SIGHT_STORE, access.size);
	return true;
}

/* Sights the registers in which a function gets its arguments; which of them it has is known to debug information. */
static void sight_arguments(struct translation *t)
{
	static const uint8_t registers[PF_SIGHT_ARGUMENTS] = { PF_RDI, PF_RSI, PF_RDX, PF_RCX, PF_R8, PF_R8 + 1 };

	for (uint32_t i = 0; i < PF_SIGHT_ARGUMENTS; i++) {
		uint8_t rex = (uint8_t)(0x48 | (registers[i] & 8) >> 1),
			modrm = (uint8_t)(0xc0 | (registers[i] & 7) << 3);

		spill(t);
		emit_bytes(&t->emit, &rex, 1);
		EMIT(&t->emit, 0x89);
		emit_bytes(&t->emit, &modrm, 1); /* mov %register, %rax */
		uint8_t *begin = emit_sighting_begin(&t->emit);
		emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, value));
		emit_load(&t->emit, PF_RAX, t->at);
		emit_sighting_field(&t->emit, PF_RAX, offsetof(struct pf_sighting, pc));
		emit_sighting_end(&t->emit, PF_SIGHT_ARGUMENT | i << 8, begin);
	}
}

static bool indirect(struct translation *t, int kind)
{
	emit_spill_rcx(&t->emit);
	emit_spill_rax(&t->emit);
	if (!t->cache->memory && t->insn.rip_relative && pf_modules_is_string_slot(t->modules, rip_target(t)))
		note_size(t, kind);
	if (!load_target(t))
		return false;
	if (kind == PF_EDGE_INDIRECT_CALL)
		push_return(t, PF_RAX, PF_STEP_RCX | PF_STEP_RAX);
	look_up(t, kind);
	return true;
}

static void direct_call(struct translation *t, uint64_t to)
{
	emit_spill_rcx(&t->emit);
	push_return(t, PF_RCX, PF_STEP_RCX);
	jump_out(t, PF_EDGE_CALL, t->at, to, true, 0);
}

static void ret(struct translation *t)
{
	uint32_t pop = 8 + (t->insn.opcode == 0xc2 ? (uint32_t)t->insn.imm & 0xffff : 0);
	add_step(t, 0);
	emit_spill_rcx(&t->emit);
	emit_spill_rax(&t->emit);
	EMIT(&t->emit, 0x48, 0x8b, 0x0c, 0x24); /* mov (%rsp), %rcx */
	EMIT(&t->emit, 0x48, 0x8d, 0xa4, 0x24); /* lea POP(%rsp), %rsp */
	emit_u32(&t->emit, pop);
	look_up(t, PF_EDGE_RETURN);
}

static void conditional(struct translation *t, uint64_t to)
{
	uint8_t opcode = t->insn.opcode;
	if (t->insn.map == 0 && opcode >= 0xe0 && opcode <= 0xe3) { /* loop, jrcxz: only a short form exists */
		if (t->insn.address_size)
			EMIT(&t->emit, 0x67);
		emit_bytes(&t->emit, &opcode, 1);
		EMIT(&t->emit, 0x02, 0xeb, 0x05, 0xe9, 0, 0, 0, 0);
	} else {
		uint8_t near = (uint8_t)(0x80 | (opcode & 15));
		EMIT(&t->emit, 0x0f);
		emit_bytes(&t->emit, &near, 1);
		EMIT(&t->emit, 0, 0, 0, 0);
	}
	add_exit(t, PF_EDGE_COND, t->at, to);
}

/* Does the instruction begin a restartable sequence?  Descriptors have their address taken by lea, by a load from
 * the offset table, or as an immediate; the store itself is known by its place in the thread block. */
static bool enters_rseq(const struct translation *t)
{
	const struct pf_insn *insn = &t->insn;
	const int64_t *rseq = pf_next_rseq_offset();
	if (rseq && insn->fs && insn->disp_size == 4 && insn->disp == *rseq + RSEQ_CS_FIELD)
		return true;
	if (insn->map != 0)
		return false;
	if (insn->opcode == 0x8d && insn->rip_relative)
		return pf_modules_is_rseq(t->modules, rip_target(t));
	if (insn->opcode == 0x8b && insn->rip_relative && (insn->rex & 8)) {
		uint64_t slot = rip_target(t);
		if (slot % 8 || slot < t->module->load_lo || slot >= t->module->load_hi)
			return false;
		return pf_modules_is_rseq(t->modules, *(const uint64_t *)slot);
	}
	if (insn->opcode == 0xc7 || (insn->opcode & 0xf8) == 0xb8)
		return pf_modules_is_rseq(t->modules, (uint64_t)insn->imm);
	return false;
}

enum outcome { GO_ON, COMPLETE, STOP };

static enum outcome branch(struct translation *t)
{
	const struct pf_insn *insn = &t->insn;
	uint64_t to = t->at + insn->length + (uint64_t)insn->imm;
	switch (insn->class) {
	case PF_INSN_COND:
		add_step(t, 0);
		conditional(t, to);
		return GO_ON;
	case PF_INSN_JUMP:
		jump_out(t, PF_EDGE_JUMP, t->at, to, false, 0);
		return COMPLETE;
	case PF_INSN_JUMP_INDIRECT:
		return indirect(t, PF_EDGE_INDIRECT) ? COMPLETE : STOP;
	case PF_INSN_CALL:
		if (t->cache->values)
			sight_arguments(t);
		direct_call(t, to);
		return COMPLETE;
	case PF_INSN_CALL_INDIRECT:
		return indirect(t, PF_EDGE_INDIRECT_CALL) ? COMPLETE : STOP;
	case PF_INSN_RET:
		ret(t);
		return COMPLETE;
	default:
		return STOP;
	}
}

/* One instruction.  After STOP nothing of it remains in the block. */
static enum outcome step(struct translation *t, int *why)
{
	struct pf_cache *cache = t->cache;
	uint64_t room = t->module->end - t->at;
	t->bytes = (const uint8_t *)t->at;
	*why = PF_END_UNHANDLED;
	if (!pf_decode(t->bytes, room < 15 ? room : 15, &t->insn) || t->insn.class == PF_INSN_NATIVE)
		return STOP;
	if (!cache->whole && pf_spin_is_pause(t->bytes, room))
		return STOP;
	if (t->insn.class == PF_INSN_SYSCALL) {
		*why = PF_END_SYSCALL;
		return STOP;
	}
	if (enters_rseq(t)) {
		*why = PF_END_RSEQ;
		return STOP;
	}
	uint8_t *emit = t->emit;
	uint32_t steps = cache->step_count;
	struct pf_tablejump table;
	bool divides = t->insn.class == PF_INSN_PLAIN && is_division(&t->insn) && !cache->memory;
	bool noted = !divides || note_divisor(t);
	if (cache->memory)
		note_accesses(t);
	else if (pf_tablejump_at(&t->insn, t->at, t->module->end, &table))
		note_entry(t, &table);
	enum outcome outcome = STOP;
	if (noted && t->insn.class != PF_INSN_PLAIN)
		outcome = branch(t);
	else if (noted && (cache->values ? copy_sighted(t) : copy(t)))
		outcome = GO_ON;
	if (outcome == STOP) {
		t->emit = emit;
		cache->step_count = steps;
	}
	return outcome;
}

/* Behind the block: where its exits leave for C until they are linked. */
static void emit_exits(struct translation *t)
{
	for (uint32_t i = t->first_exit; i < t->cache->exit_count; i++) {
		const struct pf_exit *exit = &t->cache->exits[i];
		if (!exit->patch)
			continue;
		int32_t distance = (int32_t)(t->emit - (exit->patch + 4));
		__builtin_memcpy(exit->patch, &distance, sizeof distance);
		if (!exit->spilled)
			emit_spill_rcx(&t->emit);
		emit_leave(&t->emit, i);
	}
}

static void finish(struct translation *t, struct pf_block *block)
{
	struct pf_cache *cache = t->cache;
	uint8_t *code_end = t->emit;
	emit_exits(t);
	cache->zones[t->module->zone].used = (uint32_t)(t->emit - cache->zones[t->module->zone].base);
	cache->translated++;
	*block = (struct pf_block) { .pc = t->pc,
				     .code = t->code,
				     .code_end = code_end,
				     .first_step = t->first_step,
				     .step_count = (uint16_t)(cache->step_count - t->first_step),
				     .size = (uint16_t)(t->at - t->pc) };
}

int pf_translate(struct pf_cache *cache, const struct pf_modules *modules, const struct pf_module *module, uint64_t pc,
		 struct pf_block *block)
{
	struct pf_zone *zone = &cache->zones[module->zone];
	struct translation t = { .cache = cache, .modules = modules, .module = module, .pc = pc, .at = pc };
	t.code = t.emit = zone->base + zone->used;
	t.first_step = cache->step_count;
	t.first_exit = cache->exit_count;
	enum outcome outcome = GO_ON;
	for (int i = 0; outcome == GO_ON; i++) {
		int why = 0;
		if (i == MAX_INSTRUCTIONS || t.at >= module->end) {
			jump_out(&t, PF_EDGE_FALL, t.previous, t.at, false, 0);
			break;
		}
		outcome = step(&t, &why);
		if (outcome == STOP && !t.previous)
			return why;
		if (outcome == STOP) {
			jump_out(&t, PF_EDGE_FALL, t.previous, t.at, false, why);
			break;
		}
		t.previous = t.at;
		t.at += t.insn.length;
	}
	finish(&t, block);
	return 0;
}
