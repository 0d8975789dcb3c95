/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See links.h.  The hard case is telling a tail call from a jump, and a call of a function from one of its own split
 * part: what decides is whether another function starts at the destination, and whether its symbol says ".part" behind
 * the name: names of Go have dots of their own (main.partial, main.coldPath). */
#include "converter/links.h"

#define DESTINATION_STEPS 16

struct link {
	uint32_t record;
	bool is_target, taken;
	uint8_t sense;      /* of an outcome */
	const char *name;   /* of a target; interned */
	struct pf_place to; /* of an outcome */
	uint64_t weight;
};

struct links {
	struct link *at;
	size_t count, capacity;
};

static int compare_links(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	if (x->is_target != y->is_target)
		return x->is_target ? -1 : 1;
	if (x->is_target)
		return strcmp(x->name, y->name);
	if (x->taken != y->taken)
		return x->taken ? -1 : 1;
	if (x->sense != y->sense)
		return x->sense < y->sense ? -1 : 1;
	return pf_place_compare(&x->to, &y->to);
}

/* Whether the code at ADDRESS was split off its function by the compiler, so that going there is no call. */
static bool is_part(const struct pf_program_module *m, uint64_t address)
{
	const struct pf_elf_symbol *symbol = pf_elf_symbol_at(&m->binary.elf, address);
	const char *suffixes = symbol ? symbol->name + pf_name_elide(symbol->name) : "";

	return strstr(suffixes, ".part.") || strstr(suffixes, ".cold");
}

static bool own(const struct pf_building *b, uint32_t module, uint64_t address)
{
	return module == b->module && pf_program_function(&b->program->modules[module], address) == b->index;
}

static int add_target(const struct pf_building *b, struct links *links, uint32_t record, const struct pf_jump *jump)
{
	size_t length = 0;
	const char *name =
	    jump->to_module == PF_NO_MODULE ? NULL : pf_program_entry(b->program, jump->to_module, jump->to, &length);
	struct link *new;
	char *text;

	if (!name || is_part(&b->program->modules[jump->to_module], jump->to))
		return PF_OK;
	new = pf_array_push(links);
	text = new ? strndup(name, length) : NULL;
	if (!text)
		return PF_ENOMEM;
	*new = (struct link) { .record = record, .is_target = true, .weight = jump->weight };
	new->name = pf_profile_intern(b->profile, text);
	free(text);
	return new->name ? PF_OK : PF_ENOMEM;
}

/* The first placed instruction from TO on that is not at the place of RECORD: the rest of a condition says nothing of
 * where it leads.  A further decision at that place ends the search. */
static uint32_t past_condition(const struct pf_building *b, uint32_t record, uint32_t first)
{
	uint32_t at = first;

	for (int step = 0; step < DESTINATION_STEPS && at != PF_NO_INSN; step++) {
		if (b->record_of[at] != record)
			return at;
		if (b->code.insns.at[at].kind != 0 || at + 1 >= b->code.insns.count)
			break;
		at = pf_code_first_placed(&b->code, at + 1);
	}
	return first;
}

static uint32_t first_placed(const struct pf_building *b, uint32_t at)
{
	return at < b->code.insns.count ? pf_code_first_placed(&b->code, at) : PF_NO_INSN;
}

/* The end of an arm at the place of RECORD, jumps followed; whether all it does is to set CONSTANTs. */
static uint32_t past_arm(const struct pf_building *b, uint32_t record, uint32_t at, bool *constant)
{
	*constant = true;
	for (int step = 0; step < DESTINATION_STEPS && at != PF_NO_INSN; step++) {
		const struct pf_insn *insn = &b->code.insns.at[at];

		if (b->record_of[at] != record)
			return at;
		if (insn->kind != 0 && insn->kind != PF_EDGE_JUMP)
			break;
		if (insn->kind == 0 && !insn->sets_constant)
			*constant = false;
		at = first_placed(b, insn->kind ? pf_code_find(&b->code, insn->target) : at + 1);
	}
	return PF_NO_INSN;
}

/* Two arms at the jump's own place that lead to one, of which one sets a constant, as of `local ? 15 : allocated`:
 * to the compiler that one is an edge with a value, without a statement, and is named by where it leads. */
static bool by_constant(const struct pf_building *b, uint32_t record, uint32_t first, uint32_t other, uint32_t *named)
{
	bool constant, others;
	uint32_t end = past_arm(b, record, first, &constant);

	if (first == PF_NO_INSN || other == PF_NO_INSN || end == first || end == PF_NO_INSN || end == other ||
	    past_arm(b, record, other, &others) != end || constant == others)
		return false;
	*named = constant ? end : first;
	return true;
}

/* Code at the jump's own place that one way comes by, and then to where the other leads at once, is no rest of a
 * condition.  It is an arm: that of `a < n ? a : a % n`, or one in a macro.  Named by where it leads the arm would be
 * the other one. */
uint32_t pf_links_destination(const struct pf_building *b, uint32_t at, uint32_t to)
{
	const struct pf_insn *jump = &b->code.insns.at[at];
	uint32_t first = first_placed(b, to), end = past_condition(b, b->record_of[at], first), other;

	if (jump->kind != PF_EDGE_COND)
		return end;
	other = first_placed(b, to == at + 1 ? pf_code_find(&b->code, jump->target) : at + 1);
	if (!by_constant(b, b->record_of[at], first, other, &end) && other == end)
		return first;
	return end;
}

/* The way from instruction AT to TO.  It stands for as many executions of the source as both its ends do: the jump back
 * of a vectorised loop for each of those that are done at once, the one out of it for one. */
static int add_outcome(const struct pf_building *b, struct links *links, uint32_t at, uint32_t to, bool taken,
		       uint64_t weight)
{
	uint32_t record = b->record_of[at], placed = pf_links_destination(b, at, to);
	uint8_t times = b->code.insns.at[at].times;
	struct link *new;

	if (placed == PF_NO_INSN || weight == 0)
		return PF_OK;
	if (b->code.insns.at[placed].times < times)
		times = b->code.insns.at[placed].times;
	new = pf_array_push(links);
	if (!new)
		return PF_ENOMEM;
	*new = (struct link) {
		.record = record, .taken = taken, .weight = pf_multiple(weight, times), .to = pf_build_place(b, placed)
	};
	new->sense = taken ? b->code.insns.at[at].sense : pf_sense_opposite(b->code.insns.at[at].sense);
	return PF_OK;
}

/* The jumps of instruction AT, which start at NEXT of the module's list. */
static int link_insn(const struct pf_building *b, struct links *links, uint32_t at, size_t next, struct pf_built *built)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	const struct pf_insn *insn = &b->code.insns.at[at];
	uint32_t record = b->record_of[at];
	uint64_t taken = 0, ran = pf_program_level(m, insn->address);
	int status = PF_OK;

	for (; next < m->jumps.count && m->jumps.at[next].from == insn->address && status == PF_OK; next++) {
		const struct pf_jump *jump = &m->jumps.at[next];

		if (record == UINT32_MAX)
			continue;
		pf_build_note(b, insn, jump->weight, built);
		if (pf_edge_is_call(jump->kind) || (pf_edge_is_jump(jump->kind) && !own(b, jump->to_module, jump->to)))
			status = add_target(b, links, record, jump);
		else if (jump->kind == PF_EDGE_COND || jump->kind == PF_EDGE_INDIRECT)
			status = add_outcome(b, links, at, pf_code_find(&b->code, jump->to), true, jump->weight);
		if (pf_edge_is_jump(jump->kind))
			taken += jump->weight;
	}
	if (status == PF_OK && record != UINT32_MAX && insn->kind == PF_EDGE_COND && ran > taken)
		status = add_outcome(b, links, at, at + 1, false, ran - taken);
	return status;
}

static int collect(const struct pf_building *b, struct links *links, struct pf_built *built)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	int status = PF_OK;

	for (uint32_t i = 0; i < b->code.insns.count && status == PF_OK; i++) {
		size_t next = pf_program_first_jump(m, b->code.insns.at[i].address);

		status = link_insn(b, links, i, next, built);
	}
	return status;
}

static size_t merge(struct links *links)
{
	size_t kept = 0;

	pf_array_sort(links, compare_links);
	for (size_t i = 0; i < links->count; i++) {
		if (kept > 0 && compare_links(&links->at[kept - 1], &links->at[i]) == 0)
			links->at[kept - 1].weight = pf_sum(links->at[kept - 1].weight, links->at[i].weight);
		else
			links->at[kept++] = links->at[i];
	}
	return kept;
}

/* Hands the links [FIRST, END), all of one record, over to it. */
static int fill_record(const struct pf_building *b, struct pf_record *r, const struct link *first, size_t count)
{
	size_t targets = 0;

	while (targets < count && first[targets].is_target)
		targets++;
	r->targets = targets ? pf_profile_reserve(b->profile, targets * sizeof *r->targets) : NULL;
	r->outcomes = count > targets ? pf_profile_reserve(b->profile, (count - targets) * sizeof *r->outcomes) : NULL;
	if ((targets && !r->targets) || (count > targets && !r->outcomes))
		return PF_ENOMEM;
	for (size_t i = 0; i < targets; i++)
		r->targets[i] = (struct pf_target) { first[i].name, pf_build_count(first[i].weight) };
	for (size_t i = targets; i < count; i++) {
		const struct link *l = &first[i];

		r->outcomes[i - targets] = (struct pf_outcome) { l->to, l->taken, l->sense, pf_build_count(l->weight) };
	}
	r->target_count = (uint32_t)targets;
	r->outcome_count = (uint32_t)(count - targets);
	return PF_OK;
}

int pf_links_build(const struct pf_building *b, struct pf_function *function, struct pf_built *built)
{
	struct links links = { 0 };
	int status = collect(b, &links, built);
	size_t count = merge(&links);

	for (size_t first = 0, end; first < count && status == PF_OK; first = end) {
		for (end = first; end < count && links.at[end].record == links.at[first].record; end++)
			;
		status = fill_record(b, &function->records[links.at[first].record], &links.at[first], end - first);
	}
	pf_array_fini(&links);
	return status;
}

uint64_t pf_links_head(const struct pf_building *b)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	uint64_t entry = b->function->nodes.at[0].entry, sum = 0;
	size_t at = pf_program_first_arrival(m, entry);

	if (is_part(m, entry))
		return 0;
	for (; at < m->arrivals.count && m->arrivals.at[at].to == entry; at++) {
		const struct pf_arrival *a = &m->arrivals.at[at];
		bool outside = a->from_module == PF_NO_MODULE || !own(b, a->from_module, a->from);

		if (pf_edge_is_call(a->kind) || (pf_edge_is_jump(a->kind) && outside) ||
		    (a->from_module == PF_NO_MODULE && a->kind == 0))
			sum = pf_sum(sum, a->weight);
	}
	return sum;
}
