/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See code.h.  The hard case is the targets of jump tables, which decoding does not show: the recorded transfers give
 * those that matter, as leaders. */
#include "converter/code.h"
#include "converter/sense.h"
#include "support/cursor.h"
#include "support/error.h"
#include "support/filename.h"
#include "support/search.h"

#define PLACE_STEPS 64 /* instructions without a position that are looked past */
#define LONGEST 15     /* bytes of an instruction */

/* What instructions of VEX and EVEX begin with. */
enum { EVEX = 0x62, VEX_3 = 0xc4, VEX_2 = 0xc5 };

/* Length of the VEX or EVEX instruction at BYTES, of which LEFT are there: whatever it does, its form is the same.  0
 * if it is none. */
static uint8_t vector_length(const uint8_t *bytes, uint64_t left)
{
	struct pf_cursor c = pf_cursor_over(bytes, left < LONGEST ? left : LONGEST, 0);
	uint8_t prefix = pf_cursor_u8(&c), map = pf_cursor_u8(&c), opcode, mode, base;

	if (prefix != VEX_2 && prefix != VEX_3 && prefix != EVEX)
		return 0;
	map = prefix == VEX_2 ? 1 : prefix == VEX_3 ? map & 0x1f : map & 7;
	pf_cursor_bytes(&c, prefix == VEX_2 ? 0 : prefix == VEX_3 ? 1 : 2);
	opcode = pf_cursor_u8(&c);
	mode = pf_cursor_u8(&c);
	base = mode & 7;
	mode >>= 6;
	if (mode < 3 && base == 4)
		base = pf_cursor_u8(&c) & 7;
	pf_cursor_bytes(&c, mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0);
	/* All of map 3 have a constant; shuffles, shifts, comparisons and what moves words have one in map 1. */
	if (map == 3 ||
	    (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6))))
		pf_cursor_u8(&c);
	return c.failed || map == 0 || map == 4 || map > 6 ? 0 : (uint8_t)c.at;
}

/* Of an instruction that is newer than the decoder, the length is known if it is a vector's. */
static bool decode(const uint8_t *bytes, uint64_t left, ZydisDecodedInstruction *insn)
{
	ZydisDecoder decoder;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	if (ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, left < LONGEST ? left : LONGEST, insn)))
		return true;
	*insn = (ZydisDecodedInstruction) { .length = vector_length(bytes, left) };
	return insn->length > 0;
}

static bool is_direct(const ZydisDecodedInstruction *insn)
{
	return insn->raw.imm[0].size > 0 && insn->raw.imm[0].is_relative;
}

static uint8_t transfer_kind(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return PF_EDGE_COND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return is_direct(insn) ? PF_EDGE_JUMP : PF_EDGE_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return is_direct(insn) ? PF_EDGE_CALL : PF_EDGE_INDIRECT_CALL;
	case ZYDIS_CATEGORY_RET:
		return PF_EDGE_RETURN;
	default:
		return 0;
	}
}

static bool is_stop(const ZydisDecodedInstruction *insn, uint8_t kind)
{
	return kind == PF_EDGE_JUMP || kind == PF_EDGE_INDIRECT || kind == PF_EDGE_RETURN ||
	       insn->mnemonic == ZYDIS_MNEMONIC_UD2 || insn->mnemonic == ZYDIS_MNEMONIC_HLT;
}

struct pf_step pf_code_step(const struct pf_elf *elf, uint64_t address)
{
	ZydisDecodedInstruction insn;
	struct pf_step step = { .length = 1, .stops = true };
	uint64_t left;
	const uint8_t *bytes = pf_elf_code(elf, address, &left);

	if (bytes && decode(bytes, left, &insn)) {
		step.length = insn.length;
		step.kind = transfer_kind(&insn);
		step.stops = is_stop(&insn, step.kind);
		step.repeats =
		    insn.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	}
	return step;
}

/* Copies of an instruction have its mnemonic and its constant; registers and displacements may differ. */
static uint16_t likeness(const ZydisDecodedInstruction *insn)
{
	bool constant = insn->raw.imm[0].size > 0 && !insn->raw.imm[0].is_relative;
	uint64_t hash = ((uint64_t)insn->mnemonic << 32 | (constant ? insn->raw.imm[0].value.u & UINT32_MAX : 0)) *
			0x9e3779b97f4a7c15u;

	return (uint16_t)(hash >> 48);
}

/* mov of an immediate to a register, xor of a register with itself. */
static bool sets_constant(const ZydisDecodedInstruction *insn)
{
	bool registers = insn->raw.modrm.mod == 3;

	if (insn->mnemonic == ZYDIS_MNEMONIC_XOR)
		return registers && (insn->opcode == 0x31 || insn->opcode == 0x33) &&
		       insn->raw.modrm.reg == insn->raw.modrm.rm;
	return insn->mnemonic == ZYDIS_MNEMONIC_MOV && ((insn->opcode >= 0xb0 && insn->opcode <= 0xbf) ||
							((insn->opcode == 0xc6 || insn->opcode == 0xc7) && registers));
}

int pf_code_decode(const struct pf_elf *elf, const struct pf_range *range, struct pf_code *code)
{
	enum pf_flags flags = PF_FLAGS_UNKNOWN;
	uint64_t address = range->start, left;
	const uint8_t *bytes = pf_elf_code(elf, address, &left);

	while (bytes && left > 0 && address < range->end) {
		ZydisDecodedInstruction insn;
		bool good = decode(bytes, left, &insn);
		struct pf_insn *new = pf_array_push(&code->insns);

		if (!new)
			return PF_ENOMEM;
		new->address = address;
		new->length = good ? insn.length : 1;
		new->times = 1;
		new->kind = good ? transfer_kind(&insn) : 0;
		new->stops = !good || is_stop(&insn, new->kind);
		new->sets_constant = good &&sets_constant(&insn);
		new->likeness = good ? likeness(&insn) : 0;
		new->sense = good &&new->kind == PF_EDGE_COND ? pf_sense_of_jump(&insn, flags) : PF_SENSE_NONE;
		flags = new->stops ? PF_FLAGS_UNKNOWN : pf_sense_flags(&insn, flags);
		if (new->kind && is_direct(&insn))
			new->target = address + insn.length + (uint64_t)insn.raw.imm[0].value.s;
		address += new->length;
		bytes += new->length;
		left -= new->length;
	}
	return PF_OK;
}

static int compare_insns(const void *a, const void *b)
{
	const struct pf_insn *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Index of the first instruction at or behind ADDRESS. */
static uint32_t lower_bound(const struct pf_code *code, uint64_t address)
{
	struct pf_search search = pf_search_over(code->insns.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, code->insns.at[search.middle].address < address);
	return (uint32_t)search.low;
}

/* A file can be spelled otherwise in the entries than in the table of lines: the former's name is kept. */
const char *pf_code_file(const struct pf_source *source, const struct pf_source_function *f, const struct pf_insn *insn,
			 bool *abroad)
{
	const char *declared = source->origins.at[f->nodes.at[insn->node].origin].file,
		   *file = insn->placed && insn->file ? source->files.at[insn->file - 1] : "";
	bool other = *file && strcmp(pf_filename_base(file), pf_filename_base(declared)) != 0;

	if (abroad)
		*abroad = other && *declared;
	return other ? file : insn->placed ? declared : "";
}

uint32_t pf_code_find(const struct pf_code *code, uint64_t address)
{
	uint32_t at = lower_bound(code, address);

	return at < code->insns.count && code->insns.at[at].address == address ? at : PF_NO_INSN;
}

static void mark(struct pf_code *code, uint64_t address, bool *leads)
{
	uint32_t at = pf_code_find(code, address);

	if (at != PF_NO_INSN)
		leads[at] = code->insns.at[at].entered = true;
}

/* Numbers the machine blocks: a block ends at a jump or return (not at a call, which comes back) and in front of
 * whatever is jumped to. */
static int number_blocks(struct pf_code *code, const uint64_t *leaders, size_t leader_count)
{
	bool *leads = calloc(code->insns.count + 1, sizeof *leads);

	if (!leads)
		return PF_ENOMEM;
	for (size_t i = 0; i < code->insns.count; i++) {
		const struct pf_insn *insn = &code->insns.at[i];

		if (insn->kind == PF_EDGE_COND || insn->kind == PF_EDGE_JUMP)
			mark(code, insn->target, leads);
		if (insn->stops || insn->kind == PF_EDGE_COND ||
		    (i + 1 < code->insns.count && insn->address + insn->length != insn[1].address))
			leads[i + 1] = true;
	}
	for (size_t i = 0; i < leader_count; i++)
		mark(code, leaders[i], leads);
	for (size_t i = 0; i < code->insns.count; i++) {
		code->block_count += i == 0 || leads[i];
		code->insns.at[i].block = code->block_count - 1;
	}
	free(leads);
	return PF_OK;
}

/* Parents stand before their children, so that the innermost instance is painted last. */
static void paint_nodes(struct pf_code *code, const struct pf_source_function *f)
{
	for (uint32_t n = 1; n < f->nodes.count; n++) {
		const struct pf_source_node *node = &f->nodes.at[n];

		for (uint32_t k = 0; k < node->range_count; k++) {
			const struct pf_range *range = &f->ranges.at[node->first_range + k];

			for (uint32_t i = lower_bound(code, range->start);
			     i < code->insns.count && code->insns.at[i].address < range->end; i++)
				code->insns.at[i].node = n;
		}
	}
}

static bool is_one_line(const struct pf_source_row *x, const struct pf_source_row *y)
{
	return x && y && x->file == y->file && x->line == y->line && x->column == y->column &&
	       x->discriminator.block == y->discriminator.block && x->discriminator.copy == y->discriminator.copy;
}

/* Whether the function that NODE is of is in the file BASE, and LINE behind its declaration. */
static bool may_have(const struct pf_source *source, const struct pf_source_function *f, uint32_t node,
		     const char *base, uint32_t line)
{
	const struct pf_origin *origin = &source->origins.at[f->nodes.at[node].origin];

	return line >= origin->line && strcmp(pf_filename_base(origin->file), base) == 0;
}

/* Whose ROW is, of which an instruction is in the instance NODE.  Code that has a line and no scope, such as leaves the
 * host, is in the scope of what is in front of it.  So what is of another file than the function that NODE is of is its
 * host's, if that is of this file; where none is, the function includes the file. */
static uint32_t owner_of(const struct pf_source *source, const struct pf_source_function *f,
			 const struct pf_source_row *row, uint32_t node)
{
	const char *base = row->file ? pf_filename_base(source->files.at[row->file - 1]) : "";

	if (!*base || strcmp(pf_filename_base(source->origins.at[f->nodes.at[node].origin].file), base) == 0)
		return node;
	for (uint32_t owner = node; owner != 0;) {
		owner = f->nodes.at[owner].parent;
		if (may_have(source, f, owner, base, row->line))
			return owner;
	}
	return node;
}

static void place_insns(struct pf_code *code, const struct pf_source *source, const struct pf_source_function *f)
{
	const struct pf_source_row *r = NULL;
	size_t row = 0;

	for (size_t i = 0; i < code->insns.count; i++) {
		struct pf_insn *insn = &code->insns.at[i];
		const struct pf_source_row *before = r;

		while (row < f->rows.count && f->rows.at[row].end <= insn->address)
			row++;
		r = row < f->rows.count && f->rows.at[row].start <= insn->address ? &f->rows.at[row] : NULL;
		if (!r)
			continue;
		insn->placed = true;
		insn->goes_on = is_one_line(r, before);
		insn->node = owner_of(source, f, r, insn->node);
		insn->position.line = (int32_t)(r->line - source->origins.at[f->nodes.at[insn->node].origin].line);
		insn->position.column = r->column;
		insn->position.discriminator = r->discriminator.block;
		insn->file = r->file;
		insn->copy = r->discriminator.copy;
		insn->times = r->discriminator.times;
	}
}

/* Whether the table can have AT, which a block begins with, where other code is for want of a line of its own. */
static bool may_inherit(const struct pf_code *code, size_t at)
{
	const struct pf_insn *insn = &code->insns.at[at];

	return insn->goes_on && insn->entered && (insn[-1].stops || insn[-1].kind == PF_EDGE_COND);
}

/* What the compiler gives no line, such as a constant or a copy of a register that a way ends with, has that of the
 * code in front of it, as the table has no gaps.  Where ways meet behind a jump that is another block's, often of code
 * that runs for others: of a loop's test, where all ways past the loop meet.  Calls, and what decides where control
 * goes, have lines of their own. */
static void forget_inherited(struct pf_code *code)
{
	for (size_t first = 1, end; first < code->insns.count; first = end) {
		bool own = !may_inherit(code, first);

		for (end = first; end < code->insns.count; end++) {
			const struct pf_insn *insn = &code->insns.at[end];

			if (!insn->goes_on || insn->block != code->insns.at[first].block)
				break;
			own |= insn->kind && insn->kind != PF_EDGE_JUMP;
		}
		for (size_t i = first; i < end && !own; i++)
			code->insns.at[i].placed = false;
		end += end == first;
	}
}

/* Gives AT the place of the instruction FROM, if they are in one block. */
static void take_place(struct pf_code *code, size_t at, size_t from)
{
	struct pf_insn *insn = &code->insns.at[at];
	const struct pf_insn *other = &code->insns.at[from];

	if (insn->placed || !other->placed || insn->block != other->block)
		return;
	insn->placed = true;
	insn->position = other->position;
	insn->file = other->file;
	insn->copy = other->copy;
	insn->times = other->times;
	insn->node = other->node;
}

/* What the compiler says has no line (Clang's line 0) runs as often as its block, so it may stand where a neighbour in
 * that does: the one before, or else the one behind.  A block without any line has no place. */
static void place_lineless(struct pf_code *code)
{
	for (size_t i = 1; i < code->insns.count; i++)
		take_place(code, i, i - 1);
	for (size_t i = code->insns.count; i-- > 1;)
		take_place(code, i - 1, i);
}

int pf_code_read(const struct pf_elf *elf, const struct pf_source *source, const struct pf_source_function *f,
		 const uint64_t *leaders, size_t leader_count, struct pf_code *code)
{
	int status = PF_OK;

	*code = (struct pf_code) { 0 };
	for (uint32_t k = 0; k < f->nodes.at[0].range_count && status == PF_OK; k++)
		status = pf_code_decode(elf, &f->ranges.at[k], code);
	if (status == PF_OK) {
		pf_array_sort(&code->insns, compare_insns);
		status = number_blocks(code, leaders, leader_count);
	}
	if (status < 0) {
		pf_code_fini(code);
		return status;
	}
	paint_nodes(code, f);
	place_insns(code, source, f);
	forget_inherited(code);
	place_lineless(code);
	return PF_OK;
}

void pf_code_fini(struct pf_code *code)
{
	pf_array_fini(&code->insns);
}

uint32_t pf_code_first_placed(const struct pf_code *code, uint32_t at)
{
	for (int step = 0; step < PLACE_STEPS && at < code->insns.count; step++) {
		const struct pf_insn *insn = &code->insns.at[at];

		if (insn->placed)
			return at;
		if (insn->kind == PF_EDGE_JUMP)
			at = pf_code_find(code, insn->target);
		else if (insn->stops)
			return PF_NO_INSN;
		else
			at++;
	}
	return PF_NO_INSN;
}
