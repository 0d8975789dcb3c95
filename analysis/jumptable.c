/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See jumptable.h.  A table is an array of 4-byte distances from its own start (position-independent code) or of 8-byte
 * addresses; the jump's register is traced back to the load from it, and the load's base to the instruction that made
 * the table's address.  The hard case is the table's length, which nothing in the file says: it is read until an entry
 * leads out of the function, or until another address that the function is certain to use, and so can be too long,
 * which costs precision, but never too short, which would be wrong: what dominates a block then seems to have run. */
#include "analysis/jumptable.h"
#include "analysis/relocations.h"
#include "support/search.h"

#include <elf.h>

#define TRACE_STEPS 48u /* instructions looked back from the jump */
#define MOST_ENTRIES 65536u

struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const struct pf_elf *elf, uint64_t address, struct decoded *d)
{
	ZydisDecoder decoder;
	uint64_t left;
	const uint8_t *bytes = pf_elf_code(elf, address, &left);

	return bytes && ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, left < 15 ? left : 15, &d->insn, d->operands));
}

bool pf_jumptables_is_filler(const struct pf_elf *elf, uint64_t address)
{
	struct decoded d;

	return decode(elf, address, &d) &&
	       (d.insn.meta.category == ZYDIS_CATEGORY_NOP || d.insn.meta.category == ZYDIS_CATEGORY_WIDENOP ||
		d.insn.mnemonic == ZYDIS_MNEMONIC_NOP || d.insn.mnemonic == ZYDIS_MNEMONIC_UD2 ||
		d.insn.mnemonic == ZYDIS_MNEMONIC_INT3);
}

static ZydisRegister whole(ZydisRegister part)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
}

/* The register that an instruction's first operand writes; ZYDIS_REGISTER_NONE if it is none. */
static ZydisRegister written(const struct decoded *d)
{
	return d->insn.operand_count > 0 && d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       (d->operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		   ? whole(d->operands[0].reg.value)
		   : ZYDIS_REGISTER_NONE;
}

static int note_base(struct pf_jumptables *t, uint32_t insn, const struct decoded *d)
{
	struct pf_jumptable_base *new;
	uint64_t address = 0;
	bool certain = d->insn.mnemonic == ZYDIS_MNEMONIC_LEA && d->operands[1].mem.base == ZYDIS_REGISTER_RIP;

	if (certain)
		address = t->code->insns.at[insn].address + d->insn.length + (uint64_t)d->operands[1].mem.disp.value;
	else if (d->insn.mnemonic == ZYDIS_MNEMONIC_MOV && d->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		address = d->operands[1].imm.value.u;
	if (address == 0 || written(d) == ZYDIS_REGISTER_NONE)
		return PF_OK;
	new = pf_array_push(&t->bases);
	if (!new)
		return PF_ENOMEM;
	*new = (struct pf_jumptable_base) { insn, written(d), address, certain };
	return PF_OK;
}

/* SIZE bytes of the file that lie at ADDRESS when it runs; NULL if they are not in it. */
static const uint8_t *bytes_at(const struct pf_elf *elf, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < elf->segments.count; i++) {
		const struct pf_elf_segment *s = &elf->segments.at[i];

		if (address >= s->address && address - s->address < s->file_size &&
		    size <= s->file_size - (address - s->address))
			return elf->bytes + s->offset + (address - s->address);
	}
	return NULL;
}

/* Where entry INDEX of a table leads; 0 if it is not in the file. */
static uint64_t entry_of(const struct pf_elf *elf, uint64_t table, uint32_t size, uint32_t index)
{
	const uint8_t *bytes = bytes_at(elf, table + (uint64_t)index * size, size);
	struct pf_relocation loaded;
	uint64_t value = 0;

	/* What the loader puts there the file need not have: lld's has zeros. */
	if (bytes && size == 8 && pf_relocation_find(elf, R_X86_64_RELATIVE, table + (uint64_t)index * size, &loaded))
		return loaded.addend;
	for (uint32_t i = size; bytes && i-- > 0;)
		value = value << 8 | bytes[i];
	if (bytes && size == 4)
		value = table + (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	return value;
}

/* Keeps the address of BASE if a table of addresses of the function begins there: labels, of a computed goto. */
static int note_labels(struct pf_jumptables *t, const struct pf_jumptable_base *base)
{
	uint64_t *new;

	if (!base->certain || pf_code_find(t->code, entry_of(t->elf, base->address, 8, 0)) == PF_NO_INSN)
		return PF_OK;
	for (size_t i = 0; i < t->labels.count; i++)
		if (t->labels.at[i] == base->address)
			return PF_OK;
	new = pf_array_push(&t->labels);
	if (!new)
		return PF_ENOMEM;
	*new = base->address;
	return PF_OK;
}

int pf_jumptables_init(struct pf_jumptables *t, const struct pf_elf *elf, const struct pf_code *code)
{
	struct decoded d;
	bool indirect = false;
	int status = PF_OK;

	*t = (struct pf_jumptables) { .elf = elf, .code = code };
	for (size_t i = 0; i < code->insns.count; i++)
		indirect |= code->insns.at[i].kind == PF_EDGE_INDIRECT;
	for (uint32_t i = 0; indirect && i < code->insns.count && status == PF_OK; i++) {
		if (decode(elf, code->insns.at[i].address, &d))
			status = note_base(t, i, &d);
	}
	for (size_t i = 0; i < t->bases.count && status == PF_OK; i++)
		status = note_labels(t, &t->bases.at[i]);
	return status;
}

void pf_jumptables_fini(struct pf_jumptables *t)
{
	pf_array_fini(&t->bases);
	pf_array_fini(&t->labels);
	pf_array_fini(&t->targets);
}

/* The next address behind TABLE that the function uses for something.  A constant may be as large by chance. */
static uint64_t end_of(const struct pf_jumptables *t, uint64_t table)
{
	uint64_t end = UINT64_MAX;

	for (size_t i = 0; i < t->bases.count; i++) {
		if (t->bases.at[i].certain && t->bases.at[i].address > table && t->bases.at[i].address < end)
			end = t->bases.at[i].address;
	}
	return end;
}

static int compare_targets(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Whether the function's code, or a part of it, ends at ADDRESS: where compilers may send what cannot be. */
static bool ends_at(const struct pf_code *code, uint64_t address)
{
	struct pf_search search = pf_search_over(code->insns.count);
	const struct pf_insn *last;

	while (pf_search_goes_on(&search))
		pf_search_step(&search, code->insns.at[search.middle].address < address);
	last = search.low > 0 ? &code->insns.at[search.low - 1] : NULL;
	return last && last->address + last->length == address;
}

static int read_table(struct pf_jumptables *t, uint64_t table, uint32_t size)
{
	uint64_t end = end_of(t, table);

	for (uint32_t i = 0; i < MOST_ENTRIES && (uint64_t)i * size < end - table; i++) {
		uint64_t address = entry_of(t->elf, table, size, i);
		uint32_t target = pf_code_find(t->code, address);
		uint32_t *new = target == PF_NO_INSN ? NULL : pf_array_push(&t->targets);

		if (target == PF_NO_INSN && ends_at(t->code, address))
			continue;
		if (target == PF_NO_INSN)
			break;
		if (!new)
			return PF_ENOMEM;
		*new = target;
	}
	pf_array_sort(&t->targets, compare_targets);
	return PF_OK;
}

/* The address in REGISTER at INSN: as the nearest instruction in front of it says, else the first one behind it. */
static uint64_t base_of(const struct pf_jumptables *t, uint32_t insn, ZydisRegister reg)
{
	uint64_t address = 0;

	for (size_t i = 0; i < t->bases.count; i++) {
		const struct pf_jumptable_base *b = &t->bases.at[i];

		if (b->into == reg && (b->insn < insn || address == 0))
			address = b->address;
	}
	return address;
}

/* Reads the table of entries of SIZE bytes at DISTANCE from what REGISTER holds at INSN, if that is known. */
static int read_at(struct pf_jumptables *t, uint32_t insn, ZydisRegister reg, uint64_t distance, uint32_t size)
{
	uint64_t base = reg == ZYDIS_REGISTER_NONE ? 0 : base_of(t, insn, whole(reg));

	return (base || reg == ZYDIS_REGISTER_NONE) && base + distance ? read_table(t, base + distance, size) : PF_OK;
}

/* Reads the table that instruction INSN loads from, if it does.  Without optimisation the place in the table is
 * reckoned beforehand, and either register can be the other's base. */
static int read_loaded(struct pf_jumptables *t, uint32_t insn, const ZydisDecodedOperand *memory)
{
	uint32_t size = memory->size / 8;
	uint64_t distance = (uint64_t)memory->mem.disp.value;
	int status;

	if ((size != 4 && size != 8) || memory->mem.index == ZYDIS_REGISTER_NONE)
		return PF_OK;
	if (memory->mem.scale == size)
		return read_at(t, insn, memory->mem.base, distance, size);
	if (memory->mem.scale != 1 || memory->mem.base == ZYDIS_REGISTER_NONE)
		return PF_OK;
	status = read_at(t, insn, memory->mem.index, distance, size);
	return status < 0 || t->targets.count > 0 ? status : read_at(t, insn, memory->mem.base, distance, size);
}

/* The table that is seen to be loaded from. */
static int find_seen(struct pf_jumptables *t, uint32_t insn)
{
	const struct pf_insn *insns = t->code->insns.at;
	struct decoded d;
	ZydisRegister wanted, other = ZYDIS_REGISTER_NONE;

	if (!decode(t->elf, insns[insn].address, &d))
		return PF_OK;
	if (d.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
		return read_loaded(t, insn, &d.operands[0]);
	wanted = whole(d.operands[0].reg.value);
	for (uint32_t i = insn; i-- > 0 && insn - i <= TRACE_STEPS && decode(t->elf, insns[i].address, &d);) {
		if (written(&d) != wanted && (other == ZYDIS_REGISTER_NONE || written(&d) != other))
			continue;
		if (d.insn.mnemonic == ZYDIS_MNEMONIC_CDQE) /* of a distance, in place */
			continue;
		if (d.insn.mnemonic == ZYDIS_MNEMONIC_ADD && d.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
			other = whole(d.operands[1].reg.value);
		else if (d.operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			 (d.insn.mnemonic == ZYDIS_MNEMONIC_MOVSXD || d.insn.mnemonic == ZYDIS_MNEMONIC_MOV))
			return read_loaded(t, i, &d.operands[1]);
		else if (written(&d) == wanted)
			break;
	}
	return PF_OK;
}

/* A label may have been kept in memory on its way from the table to the jump: then it may be one of any table. */
int pf_jumptables_find(struct pf_jumptables *t, uint32_t insn)
{
	int status;

	t->targets.count = 0;
	status = find_seen(t, insn);
	t->certain = t->targets.count > 0;
	if (t->certain)
		return status;
	for (size_t i = 0; i < t->labels.count && status == PF_OK; i++)
		status = read_table(t, t->labels.at[i], 8);
	return status;
}
