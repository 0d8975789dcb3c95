/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See entries.h.  An instance is entered as often as the statement runs at which it begins, and no more often than
 * control comes into its code from outside of it.  Neither is right alone: the compiler copies the first statement, or
 * moves it into a loop of the instance; and it mixes the instance's instructions with its caller's, so that control
 * goes out and in again during one execution.  Hence the lesser of the two; and in a straight line of code an instance
 * is entered once.
 *
 * The hard case is an instance that was entered too seldom to be seen, once perhaps, and ran long: whatever its loops
 * count, and whatever range of its code begins in one of them, nothing ran at its beginning. */
#include "converter/entries.h"

struct inflow {
	const struct pf_building *b;
	uint64_t *entered; /* by node of the source: what came in, in 1/256 */
	uint32_t *line_of; /* by node: the last straight line that had an instruction of it */
	uint32_t line;     /* the present one, from 1 on */
};

static const struct pf_source_node *node_at(const struct pf_building *b, uint32_t n)
{
	return &b->function->nodes.at[n];
}

/* The innermost instance that both A and B are in. */
static uint32_t common(const struct pf_building *b, uint32_t a, uint32_t other)
{
	while (a != other) {
		if (node_at(b, a)->depth >= node_at(b, other)->depth)
			a = node_at(b, a)->parent;
		else
			other = node_at(b, other)->parent;
	}
	return a;
}

/* Control went from instruction FROM (PF_NO_INSN: another function's) to instruction TO.  The way stands for as many
 * executions of the source as both its ends do: into a vectorised loop for one, around a vectorised call for all. */
static void come(struct inflow *in, uint32_t from, uint32_t to, uint64_t weight, bool straight)
{
	const struct pf_insn *insns = in->b->code.insns.at;
	uint32_t outer = from == PF_NO_INSN ? 0 : common(in->b, insns[from].node, insns[to].node);
	uint8_t times = insns[to].times;

	if (from != PF_NO_INSN && insns[from].times < times)
		times = insns[from].times;
	for (uint32_t n = insns[to].node; n != outer; n = node_at(in->b, n)->parent) {
		if (!straight || in->line_of[n] != in->line)
			in->entered[n] = pf_sum(in->entered[n], pf_multiple(weight, times));
	}
}

/* The jumps and calls that arrive at instruction AT; the sum of them. */
static uint64_t come_by_jumps(struct inflow *in, uint32_t at)
{
	const struct pf_program_module *m = &in->b->program->modules[in->b->module];
	uint64_t address = in->b->code.insns.at[at].address, sum = 0;
	size_t next = pf_program_first_arrival(m, address);

	for (; next < m->arrivals.count && m->arrivals.at[next].to == address; next++) {
		const struct pf_arrival *a = &m->arrivals.at[next];
		bool jump = pf_edge_is_jump(a->kind);

		if (!jump && !pf_edge_is_call(a->kind))
			continue;
		come(in, jump && a->from_module == in->b->module ? pf_code_find(&in->b->code, a->from) : PF_NO_INSN, at,
		     a->weight, false);
		sum = pf_sum(sum, a->weight);
	}
	return sum;
}

/* What goes on from instruction AT, which ran LEVEL times, to the next one. */
static uint64_t goes_on(const struct pf_building *b, uint32_t at, uint64_t level)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	const struct pf_insn *insn = &b->code.insns.at[at];
	size_t next = pf_program_first_jump(m, insn->address);
	uint64_t taken = 0;

	for (; next < m->jumps.count && m->jumps.at[next].from == insn->address; next++) {
		const struct pf_jump *jump = &m->jumps.at[next];

		if (pf_edge_is_jump(jump->kind))
			taken = pf_sum(taken, jump->weight);
	}
	return insn->stops || taken > level ? 0 : level - taken;
}

static void sum_inflow(struct inflow *in)
{
	const struct pf_building *b = in->b;
	const struct pf_insn *insns = b->code.insns.at;
	uint64_t before = 0;

	for (uint32_t i = 0; i < b->code.insns.count; i++) {
		uint64_t level = pf_program_level(&b->program->modules[b->module], insns[i].address);
		bool adjacent = i > 0 && insns[i - 1].address + insns[i - 1].length == insns[i].address;
		uint64_t jumped = come_by_jumps(in, i), on = level > jumped ? level - jumped : 0;

		in->line += jumped > 0 || !adjacent;
		/* A recording that begins at this instruction came from nowhere. */
		on = on < before ? on : before;
		if (adjacent && on > 0)
			come(in, i - 1, i, on, true);
		for (uint32_t n = insns[i].node; n != 0; n = node_at(b, n)->parent)
			in->line_of[n] = in->line;
		before = goes_on(b, i, level);
	}
}

/* The least weight that is not 0 of the starts of a node's ranges.  Without branches nobody knows what came in; this is
 * for an entry whose block got no sample. */
static uint64_t least_start(const struct pf_building *b, const struct pf_source_node *node)
{
	uint64_t least = 0;

	for (uint32_t k = 0; k < node->range_count; k++) {
		uint32_t at = pf_code_find(&b->code, b->function->ranges.at[node->first_range + k].start);
		uint64_t weight = at == PF_NO_INSN ? 0 : b->code.insns.at[at].weight;

		if (weight > 0 && (least == 0 || weight < least))
			least = weight;
	}
	return least;
}

/* How often the statement ran at which node N begins, its own or one of what is inlined there; UINT64_MAX: the compiler
 * left none of it. */
static uint64_t first_statement(const struct pf_building *b, const struct pf_function *function, uint32_t n)
{
	uint32_t at = pf_code_find(&b->code, node_at(b, n)->entry);

	if (at != PF_NO_INSN)
		at = pf_code_first_placed(&b->code, at);
	if (at == PF_NO_INSN || common(b, b->code.insns.at[at].node, n) != n)
		return UINT64_MAX;
	return function->records[b->record_of[at]].count;
}

static uint64_t entries_of(const struct inflow *in, const struct pf_function *function, uint32_t n)
{
	uint64_t first = first_statement(in->b, function, n), other;

	if (in->b->program->traffic->edges.count > 0) {
		other = pf_build_count(in->entered[n]);
		return first < other ? first : other;
	}
	other = pf_build_count(least_start(in->b, node_at(in->b, n)));
	return first > 0 && first < UINT64_MAX ? first : other;
}

int pf_entries_build(const struct pf_building *b, struct pf_function *function)
{
	size_t count = b->function->nodes.count;
	struct inflow in = { .b = b, .entered = calloc(count + 1, sizeof *in.entered), .line = 1 };
	int status;

	in.line_of = calloc(count + 1, sizeof *in.line_of);
	status = in.entered && in.line_of ? PF_OK : PF_ENOMEM;
	if (status == PF_OK && b->program->traffic->edges.count > 0)
		sum_inflow(&in);
	function->nodes[0].entries = function->head;
	for (uint32_t n = 1; status == PF_OK && n < count; n++) {
		if (b->node_of[n] != UINT32_MAX && b->node_of[n] != b->node_of[node_at(b, n)->parent])
			function->nodes[b->node_of[n]].entries = entries_of(&in, function, n);
	}
	free(in.line_of);
	free(in.entered);
	return status;
}
