/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See codegraph.h.  The hard case is what decoding does not show: where indirect jumps go and what only the unwinder
 * enters.  The graph has rather an edge too many than one too few: dominators then claim less, and stay true. */
#include "analysis/codegraph.h"
#include "analysis/jumptable.h"
#include "analysis/noreturn.h"

struct building {
	struct pf_codegraph *machine;
	const struct pf_elf *elf;
	const struct pf_code *code;
	struct pf_jumptables tables;
	bool *ends;              /* of each instruction: it is a call that never comes back */
	PF_ARRAY(uint32_t) lost; /* blocks that end in an indirect jump whose table was not seen */
	uint32_t *joined;        /* for each block, 1 + the last one that was given an edge to it */
	bool *reached;
	uint32_t *queue;
};

static const struct pf_insn *last_of(const struct building *b, uint32_t block)
{
	const struct pf_code_block *m = &b->machine->blocks[block];

	return &b->code->insns.at[m->first + m->count - 1];
}

/* Index of the instruction that runs after INSN if it does not jump; PF_NO_INSN if there is none. */
static uint32_t insn_behind(const struct pf_code *code, const struct pf_insn *insn)
{
	uint32_t next = (uint32_t)(insn - code->insns.at) + 1;

	return !insn->stops && next < code->insns.count && code->insns.at[next].address == insn->address + insn->length
		   ? next
		   : PF_NO_INSN;
}

/* As insn_behind, where calls that never come back are known. */
static uint32_t insn_after(const struct building *b, const struct pf_insn *insn)
{
	return b->ends[insn - b->code->insns.at] ? PF_NO_INSN : insn_behind(b->code, insn);
}

static void mark_ends(struct building *b)
{
	for (size_t i = 0; i < b->code->insns.count; i++) {
		const struct pf_insn *insn = &b->code->insns.at[i];

		b->ends[i] = insn->kind == PF_EDGE_CALL && pf_noreturn_is(b->elf, insn->target);
	}
}

/* What stands behind a gap begins a block, by whatever it is entered. */
static void mark_behind_gaps(const struct building *b, bool *leads)
{
	bool gap = true;

	for (uint32_t i = 0; i < b->code->insns.count; i++) {
		const struct pf_insn *insn = &b->code->insns.at[i];

		if (gap && pf_jumptables_is_filler(b->elf, insn->address))
			continue;
		leads[i] |= gap;
		gap = insn_after(b, insn) == PF_NO_INSN;
	}
}

static int mark_leaders(struct building *b, bool *leads)
{
	for (uint32_t i = 0; i < b->code->insns.count; i++) {
		const struct pf_insn *insn = &b->code->insns.at[i];
		uint32_t target = insn->target ? pf_code_find(b->code, insn->target) : PF_NO_INSN;

		if (target != PF_NO_INSN)
			leads[target] = true;
		if (insn->kind || insn_behind(b->code, insn) == PF_NO_INSN)
			leads[i + 1] = true;
		if (insn->kind != PF_EDGE_INDIRECT)
			continue;
		if (pf_jumptables_find(&b->tables, i) < 0)
			return PF_ENOMEM;
		for (size_t k = 0; k < b->tables.targets.count; k++)
			leads[b->tables.targets.at[k]] = true;
	}
	mark_behind_gaps(b, leads);
	return PF_OK;
}

static int make_blocks(struct building *b, const bool *leads)
{
	struct pf_codegraph *m = b->machine;
	size_t count = b->code->insns.count;

	m->blocks = calloc(count + 1, sizeof *m->blocks);
	m->block_of = calloc(count + 1, sizeof *m->block_of);
	if (!m->blocks || !m->block_of)
		return PF_ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct pf_insn *insn = &b->code->insns.at[i];
		struct pf_code_block *block;

		if (i == 0 || leads[i])
			m->blocks[m->block_count++] = (struct pf_code_block) { .first = i, .filler = true };
		block = &m->blocks[m->block_count - 1];
		block->count++;
		block->filler = block->filler && pf_jumptables_is_filler(b->elf, insn->address);
		if (insn->kind == PF_EDGE_CALL)
			block->callee = insn->target;
		block->ends = b->ends[i];
		m->block_of[i] = m->block_count - 1;
	}
	return PF_OK;
}

static int join(struct building *b, uint32_t from, uint32_t to)
{
	if (b->joined[to] == from + 1)
		return PF_OK;
	b->joined[to] = from + 1;
	return pf_graph_add_edge(b->machine->graph, from, to) == UINT32_MAX ? PF_ENOMEM : PF_OK;
}

/* The block of instruction INSN, which is one's first; the exit for none. */
static uint32_t block_or_exit(const struct building *b, uint32_t insn)
{
	return insn == PF_NO_INSN ? b->machine->graph->exit : b->machine->block_of[insn];
}

static int join_table(struct building *b, uint32_t block)
{
	uint32_t insn = (uint32_t)(last_of(b, block) - b->code->insns.at);
	uint32_t *new = NULL;
	int status = pf_jumptables_find(&b->tables, insn);

	for (size_t k = 0; k < b->tables.targets.count && status == PF_OK; k++)
		status = join(b, block, b->machine->block_of[b->tables.targets.at[k]]);
	if (status == PF_OK && !b->tables.certain) {
		new = pf_array_push(&b->lost);
		status = new ? join(b, block, b->machine->graph->exit) : PF_ENOMEM;
	}
	if (new)
		*new = block;
	return status;
}

static int join_block(struct building *b, uint32_t block)
{
	const struct pf_insn *last = last_of(b, block);
	uint32_t behind = insn_after(b, last);
	int status = PF_OK;

	if (last->kind == PF_EDGE_INDIRECT)
		return join_table(b, block);
	if (last->kind == PF_EDGE_RETURN)
		return join(b, block, b->machine->graph->exit);
	if (last->kind == PF_EDGE_COND || last->kind == PF_EDGE_JUMP)
		status = join(b, block, block_or_exit(b, pf_code_find(b->code, last->target)));
	if (status == PF_OK && behind != PF_NO_INSN)
		status = join(b, block, b->machine->block_of[behind]);
	return status;
}

/* Marks what FROM leads to, over the edges that were there when the graph was finished. */
static void reach(struct building *b, uint32_t from)
{
	const struct pf_graph *g = b->machine->graph;
	uint32_t head = 0, tail = 0;

	b->reached[from] = true;
	b->queue[tail++] = from;
	while (head < tail) {
		uint32_t block = b->queue[head++];

		for (uint32_t i = g->out_first[block]; i < g->out_first[block + 1]; i++) {
			uint32_t to = g->edges[g->out_edges[i]].to;

			if (b->reached[to])
				continue;
			b->reached[to] = true;
			b->queue[tail++] = to;
		}
	}
}

/* Gives an entrance to what has none. */
static int join_unreached(struct building *b)
{
	struct pf_graph *g = b->machine->graph;
	int status = PF_OK;

	reach(b, g->entry);
	for (uint32_t k = 0; k < b->machine->block_count && status == PF_OK; k++) {
		if (b->reached[k] || b->machine->blocks[k].filler)
			continue;
		reach(b, k);
		for (size_t i = 0; i < b->lost.count && status == PF_OK; i++)
			status = join(b, b->lost.at[i], k);
		if (status == PF_OK)
			status = join(b, g->entry, k);
	}
	return status;
}

static int make_graph(struct building *b, uint64_t entry)
{
	struct pf_codegraph *m = b->machine;
	uint32_t first = pf_code_find(b->code, entry), blocks = m->block_count + 2;
	int status;

	m->graph = pf_graph_alloc(blocks, m->block_count, m->block_count + 1);
	b->joined = calloc(blocks, sizeof *b->joined);
	b->reached = calloc(blocks, sizeof *b->reached);
	b->queue = calloc(blocks, sizeof *b->queue);
	if (!m->graph || !b->joined || !b->reached || !b->queue)
		return PF_ENOMEM;
	status = m->block_count == 0 ? PF_OK : join(b, m->graph->entry, m->block_of[first == PF_NO_INSN ? 0 : first]);
	for (uint32_t k = 0; k < m->block_count && status == PF_OK; k++)
		status = join_block(b, k);
	if (status == PF_OK && pf_graph_finish(m->graph))
		status = PF_ENOMEM;
	if (status == PF_OK)
		status = join_unreached(b);
	return status == PF_OK && pf_graph_finish(m->graph) ? PF_ENOMEM : status;
}

int pf_codegraph_read(struct pf_codegraph *m, const struct pf_elf *elf, const struct pf_code *code, uint64_t entry)
{
	struct building b = { .machine = m, .elf = elf, .code = code };
	bool *leads = calloc(code->insns.count + 1, sizeof *leads);
	int status;

	b.ends = calloc(code->insns.count + 1, sizeof *b.ends);
	status = leads && b.ends ? PF_OK : PF_ENOMEM;
	*m = (struct pf_codegraph) { 0 };
	if (status == PF_OK) {
		mark_ends(&b);
		status = pf_jumptables_init(&b.tables, elf, code);
	}
	if (status == PF_OK)
		status = mark_leaders(&b, leads);
	if (status == PF_OK)
		status = make_blocks(&b, leads);
	if (status == PF_OK)
		status = make_graph(&b, entry);
	pf_jumptables_fini(&b.tables);
	pf_array_fini(&b.lost);
	free(b.joined);
	free(b.reached);
	free(b.queue);
	free(b.ends);
	free(leads);
	return status;
}

void pf_codegraph_fini(struct pf_codegraph *m)
{
	pf_graph_free(m->graph);
	free(m->blocks);
	free(m->block_of);
	*m = (struct pf_codegraph) { 0 };
}

uint32_t pf_codegraph_block_at(const struct pf_codegraph *m, const struct pf_code *code, uint64_t address)
{
	uint32_t insn = pf_code_find(code, address);

	return insn != PF_NO_INSN && m->blocks[m->block_of[insn]].first == insn ? m->block_of[insn] : PF_NO_CODE_BLOCK;
}

uint32_t pf_codegraph_edge(const struct pf_codegraph *m, uint32_t from, uint32_t to)
{
	const struct pf_graph *g = m->graph;

	for (uint32_t i = g->out_first[from]; i < g->out_first[from + 1]; i++) {
		if (g->edges[g->out_edges[i]].to == to)
			return g->out_edges[i];
	}
	return UINT32_MAX;
}

uint32_t pf_codegraph_next(const struct pf_codegraph *m, const struct pf_code *code, uint32_t block)
{
	const struct pf_code_block *b = &m->blocks[block];
	uint32_t behind = b->ends ? PF_NO_INSN : insn_behind(code, &code->insns.at[b->first + b->count - 1]);

	return behind == PF_NO_INSN ? PF_NO_CODE_BLOCK : m->block_of[behind];
}
