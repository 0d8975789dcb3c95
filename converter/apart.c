/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See apart.h.  Within one turn of all loops around them, control gets from one block to another by edges that go
 * forward alone; so of the flow graph, in which a depth-first walk has found the edges that lead back to what it is
 * still in, all paths of the rest are looked at.  The walk leaves a block when it has left all that follow it: their
 * rows are complete then.
 *
 * The hard case is the indirect jump, of whose ways the code tells nothing: it has those that were recorded, as the
 * others have no weight. */
#include "converter/apart.h"

#define BLOCK_LIMIT 16384

/* The ways from block to block: those of block B are to[first[B]] to to[first[B + 1] - 1]. */
struct ways {
	uint32_t *first;
	PF_ARRAY(uint32_t) to;
};

static uint32_t words(const struct pf_apart *a)
{
	return (a->blocks + 63) / 64;
}

static uint64_t *row(const struct pf_apart *a, uint32_t block)
{
	return a->reached + (size_t)block * words(a);
}

static int add_way(struct ways *w, const struct pf_code *code, uint32_t insn)
{
	uint32_t *new;

	if (insn >= code->insns.count)
		return PF_OK;
	new = pf_array_push(&w->to);
	if (!new)
		return PF_ENOMEM;
	*new = code->insns.at[insn].block;
	return PF_OK;
}

static int add_recorded(struct ways *w, const struct pf_building *b, uint64_t from)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	int status = PF_OK;

	for (size_t i = pf_program_first_jump(m, from);
	     status == PF_OK && i < m->jumps.count && m->jumps.at[i].from == from; i++) {
		if (m->jumps.at[i].to_module == b->module)
			status = add_way(w, &b->code, pf_code_find(&b->code, m->jumps.at[i].to));
	}
	return status;
}

/* The ways out of the block whose last instruction is INSN. */
static int add_ways(struct ways *w, const struct pf_building *b, const struct pf_insn *insn)
{
	int status = PF_OK;

	if (insn->kind == PF_EDGE_INDIRECT)
		status = add_recorded(w, b, insn->address);
	else if (insn->kind == PF_EDGE_COND || insn->kind == PF_EDGE_JUMP)
		status = add_way(w, &b->code, pf_code_find(&b->code, insn->target));
	if (status == PF_OK && !insn->stops)
		status = add_way(w, &b->code, pf_code_find(&b->code, insn->address + insn->length));
	return status;
}

static int find_ways(struct ways *w, const struct pf_building *b)
{
	const struct pf_code *code = &b->code;
	uint32_t count = (uint32_t)code->insns.count;
	int status = PF_OK;

	w->first = calloc((size_t)code->block_count + 1, sizeof *w->first);
	if (!w->first)
		return PF_ENOMEM;
	for (uint32_t i = 0; status == PF_OK && i < count; i++) {
		uint32_t block = code->insns.at[i].block;

		if (i + 1 < count && code->insns.at[i + 1].block == block)
			continue;
		status = add_ways(w, b, &code->insns.at[i]);
		w->first[block + 1] = (uint32_t)w->to.count;
	}
	return status;
}

enum visit { UNSEEN, INSIDE, LEFT };

struct walk {
	const struct ways *ways;
	uint8_t *visits;            /* enum visit of each block */
	uint32_t *stack, *way, top; /* the blocks that the walk is in, and the way it takes next from each */
};

static void enter(struct walk *w, uint32_t block)
{
	w->visits[block] = INSIDE;
	w->way[w->top] = w->ways->first[block];
	w->stack[w->top++] = block;
}

static void follow(struct pf_apart *a, uint32_t block, uint32_t next)
{
	uint64_t *into = row(a, block), *from = row(a, next);

	for (uint32_t i = 0; i < words(a); i++)
		into[i] |= from[i];
	into[next / 64] |= (uint64_t)1 << next % 64;
}

static void walk_from(struct pf_apart *a, struct walk *w, uint32_t start)
{
	enter(w, start);
	while (w->top > 0) {
		uint32_t block = w->stack[w->top - 1], next;

		if (w->way[w->top - 1] < w->ways->first[block + 1]) {
			next = w->ways->to.at[w->way[w->top - 1]++];
			if (w->visits[next] == UNSEEN)
				enter(w, next);
			else if (w->visits[next] == LEFT)
				follow(a, block, next);
			continue;
		}
		w->visits[block] = LEFT;
		w->top--;
		if (w->top > 0)
			follow(a, w->stack[w->top - 1], block);
	}
}

static int walk_all(struct pf_apart *a, const struct ways *ways)
{
	struct walk w = { .ways = ways };
	int status = PF_ENOMEM;

	w.visits = calloc(a->blocks, sizeof *w.visits);
	w.stack = calloc(a->blocks, sizeof *w.stack);
	w.way = calloc(a->blocks, sizeof *w.way);
	if (w.visits && w.stack && w.way) {
		for (uint32_t b = 0; b < a->blocks; b++) {
			if (w.visits[b] == UNSEEN)
				walk_from(a, &w, b);
		}
		status = PF_OK;
	}
	free(w.visits);
	free(w.stack);
	free(w.way);
	return status;
}

int pf_apart_init(struct pf_apart *a, const struct pf_building *b)
{
	struct ways ways = { 0 };
	int status;

	*a = (struct pf_apart) { 0 };
	if (b->code.block_count == 0 || b->code.block_count > BLOCK_LIMIT)
		return PF_OK;
	a->blocks = b->code.block_count;
	a->reached = calloc((size_t)a->blocks * words(a), sizeof *a->reached);
	status = a->reached ? find_ways(&ways, b) : PF_ENOMEM;
	if (status == PF_OK)
		status = walk_all(a, &ways);
	free(ways.first);
	pf_array_fini(&ways.to);
	if (status != PF_OK)
		pf_apart_fini(a);
	return status;
}

void pf_apart_fini(struct pf_apart *a)
{
	free(a->reached);
	*a = (struct pf_apart) { 0 };
}

bool pf_apart_are(const struct pf_apart *a, uint32_t x, uint32_t y)
{
	return a->reached && x != y && !(row(a, x)[y / 64] >> y % 64 & 1) && !(row(a, y)[x / 64] >> x % 64 & 1);
}
