/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See bolt-blocks.h.  The hard case is a habit of BOLT: a conditional jump and the unconditional one behind it are one
 * block. */
#include "converter/bolt-blocks.h"

static void mark(struct pf_code *code, uint64_t address, bool *labels)
{
	uint32_t at = pf_code_find(code, address);

	if (at != PF_NO_INSN)
		labels[at] = true;
}

static bool jumps_within(const struct pf_code *code, const struct pf_insn *insn, uint8_t kind)
{
	return insn->kind == kind && pf_code_find(code, insn->target) != PF_NO_INSN;
}

/* Whether instruction I, to which nothing jumps, stays in the block that ended in front of it. */
static bool stays(const struct pf_bolt_blocks *b, size_t i)
{
	const struct pf_code *code = &b->code;

	return b->list.count > 0 && jumps_within(code, &code->insns.at[i], PF_EDGE_JUMP) &&
	       jumps_within(code, &code->insns.at[b->list.at[b->list.count - 1].last], PF_EDGE_COND);
}

static int divide(struct pf_bolt_blocks *b, const bool *labels)
{
	bool open = false;

	for (uint32_t i = 0; i < b->code.insns.count; i++) {
		struct pf_insn *insn = &b->code.insns.at[i];

		if (labels[i] || (!open && !stays(b, i))) {
			struct pf_bolt_block *new = pf_array_push(&b->list);

			if (!new)
				return PF_ENOMEM;
			*new = (struct pf_bolt_block) { i, i };
		}
		insn->block = (uint32_t)b->list.count - 1;
		b->list.at[insn->block].last = i;
		open = !insn->stops && insn->kind != PF_EDGE_COND;
	}
	return PF_OK;
}

int pf_bolt_blocks_find(struct pf_bolt_blocks *b, const struct pf_elf *elf, const struct pf_range *range,
			const uint64_t *labels, size_t count)
{
	bool *marks = NULL;
	int status = pf_code_decode(elf, range, &b->code);

	if (status == PF_OK)
		marks = calloc(b->code.insns.count + 1, sizeof *marks);
	if (!marks)
		return PF_ENOMEM;
	marks[0] = true;
	for (size_t i = 0; i < b->code.insns.count; i++) {
		const struct pf_insn *insn = &b->code.insns.at[i];

		if (insn->kind == PF_EDGE_COND || insn->kind == PF_EDGE_JUMP)
			mark(&b->code, insn->target, marks);
	}
	for (size_t i = 0; i < count; i++)
		mark(&b->code, labels[i], marks);
	status = divide(b, marks);
	free(marks);
	return status;
}

void pf_bolt_blocks_fini(struct pf_bolt_blocks *b)
{
	pf_code_fini(&b->code);
	pf_array_fini(&b->list);
}

static bool goes_on(const struct pf_bolt_blocks *b, uint32_t block)
{
	return !b->code.insns.at[b->list.at[block].last].stops;
}

bool pf_bolt_blocks_between(const struct pf_bolt_blocks *b, uint64_t start, uint64_t end, uint32_t *first,
			    uint32_t *last)
{
	uint32_t from = pf_code_find(&b->code, start), to = pf_code_find(&b->code, end);

	if (from == PF_NO_INSN || to == PF_NO_INSN)
		return false;
	*first = b->code.insns.at[from].block;
	*last = b->code.insns.at[to].block;
	for (uint32_t k = *first; k < *last; k++) {
		if (!goes_on(b, k))
			return false;
	}
	return *first <= *last;
}

uint32_t pf_bolt_blocks_returning(const struct pf_bolt_blocks *b, uint64_t address)
{
	uint32_t at = pf_code_find(&b->code, address), block = at == PF_NO_INSN ? 0 : b->code.insns.at[at].block;
	uint8_t kind;

	if (block == 0 || b->list.at[block].first != at || !goes_on(b, block - 1))
		return PF_NO_INSN;
	kind = b->code.insns.at[b->list.at[block - 1].last].kind;
	return pf_edge_is_call(kind) ? block - 1 : PF_NO_INSN;
}
