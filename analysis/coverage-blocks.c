/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See coverage-blocks.h.  The unit is the machine block: what is seen of one instruction of it holds for all, since
 * what runs straight through it can begin and end inside of it only where a vector does.  The hard case is what spreads
 * from function to function: a block that is known to run may call another function, whose blocks then are known to
 * run, too; a list of what is still to be followed ends that, since each block joins it once. */
#include "analysis/coverage-blocks.h"
#include "analysis/unserved.h"

struct place {
	uint32_t function, block;
};

struct spreading {
	struct pf_coverage *coverage;
	uint8_t bit;
	bool calls;
	PF_ARRAY(struct place) list;
};

void pf_coverage_init(struct pf_coverage *c, struct pf_subject *subject, uint32_t length, uint32_t every)
{
	*c = (struct pf_coverage) { .subject = subject, .length = length, .every = every, .at = UINT32_MAX };
}

void pf_coverage_fini(struct pf_coverage *c)
{
	for (size_t i = 0; c->functions && i < c->subject->functions.count; i++) {
		free(c->functions[i].blocks);
		free(c->functions[i].steps);
		pf_dominators_fini(&c->functions[i].dominators);
		pf_dominators_fini(&c->functions[i].postdominators);
	}
	free(c->functions);
	pf_array_fini(&c->tallies);
}

static int tally(struct pf_coverage *c, uint32_t edge, uint64_t first, uint64_t seen)
{
	while (c->tallies.count <= edge) {
		if (!pf_array_push(&c->tallies))
			return PF_ENOMEM;
	}
	c->tallies.at[edge].first = pf_sum(c->tallies.at[edge].first, first);
	c->tallies.at[edge].seen = pf_sum(c->tallies.at[edge].seen, seen);
	return PF_OK;
}

/* Whether the vector of a piece at AT is one of those that are used. */
static bool is_used(struct pf_coverage *c, uint32_t at)
{
	bool fresh = at <= c->at;

	c->at = at;
	c->vectors += fresh;
	c->used += fresh && (c->vectors - 1) % c->every == 0;
	return (c->vectors - 1) % c->every == 0;
}

static int take(void *context, const struct pf_tap_piece *piece)
{
	struct pf_coverage *c = context;
	bool counted = piece->at == PF_TAP_NOWHERE;
	int status = PF_OK;

	if (counted ? c->length > 0 || c->every > 1 : !is_used(c, piece->at))
		return PF_OK;
	for (uint32_t i = 0; i < piece->count && status == PF_OK; i++) {
		bool first = !counted && piece->at + i == 0;

		if (c->length > 0 && piece->at + i >= c->length)
			break;
		status = tally(c, piece->edges[i], first ? piece->weights[i] : 0, piece->weights[i]);
	}
	return status;
}

struct pf_listener pf_coverage_listener(struct pf_coverage *c)
{
	return (struct pf_listener) { .take = take, .context = c };
}

static void add_up(uint64_t *sum, uint64_t weight)
{
	*sum = pf_sum(*sum, weight);
}

/* Straight code from START to FROM ran. */
static int place_range(struct pf_coverage *c, uint64_t start, uint64_t from, uint64_t first, uint64_t seen)
{
	uint32_t index = pf_subject_find(c->subject, start), insn;
	const struct pf_subject_function *f;
	struct pf_coverage_function *own;

	if (index == PF_NO_FUNCTION || pf_subject_find(c->subject, from) != index) {
		c->stray++;
		return PF_OK;
	}
	f = pf_subject_function(c->subject, index);
	if (!f)
		return PF_ENOMEM;
	own = &c->functions[index];
	insn = pf_subject_insn(f, start);
	add_up(&own->blocks[f->machine.block_of[insn]].single, first);
	own->steps[insn] += seen;
	own->steps[pf_subject_insn(f, from) + 1] -= seen;
	return PF_OK;
}

static int place_all(struct pf_coverage *c, const struct pf_traffic *t)
{
	uint64_t start, from;
	int status = PF_OK;

	for (size_t i = 0; i < c->tallies.count && status == PF_OK; i++) {
		const struct pf_traffic_edge *e = &t->edges.at[i];
		const struct pf_traffic_module *m =
		    e->from_module == PF_NO_MODULE ? NULL : &t->modules.at[e->from_module];

		if (c->tallies.at[i].seen == 0 || !m || !pf_subject_is(c->subject, m))
			continue;
		if (pf_subject_address(c->subject, m, e->start, &start) &&
		    pf_subject_address(c->subject, m, e->from, &from))
			status = place_range(c, start, from, c->tallies.at[i].first, c->tallies.at[i].seen);
	}
	for (size_t i = 0; i < t->samples.count && status == PF_OK; i++) {
		const struct pf_traffic_sample *s = &t->samples.at[i];

		if (pf_subject_is(c->subject, &t->modules.at[s->module]) &&
		    pf_subject_address(c->subject, &t->modules.at[s->module], s->offset, &start))
			status = place_range(c, start, start, s->weight, s->weight);
	}
	return status;
}

static int open_function(struct pf_coverage *c, uint32_t index)
{
	const struct pf_subject_function *f = pf_subject_function(c->subject, index);
	struct pf_coverage_function *own = &c->functions[index];

	if (!f || pf_dominators_init(&own->dominators, f->machine.graph) ||
	    pf_postdominators_init(&own->postdominators, f->machine.graph))
		return PF_ENOMEM;
	own->blocks = calloc((size_t)f->machine.block_count + 1, sizeof *own->blocks);
	for (uint32_t b = 0; own->blocks && b < f->machine.block_count; b++) {
		own->blocks[b].live = own->dominators.enter[b] != 0;
		c->instructions += own->blocks[b].live ? f->machine.blocks[b].count : 0;
	}
	own->steps = calloc(f->code.insns.count + 1, sizeof *own->steps);
	return own->blocks && own->steps ? PF_OK : PF_ENOMEM;
}

/* The block is known to run; it is followed if that is new. */
static int follow(struct spreading *s, uint32_t function, uint32_t block)
{
	struct pf_coverage_block *b;
	struct place *new;

	if (block >= s->coverage->subject->functions.at[function].machine.block_count)
		return PF_OK;
	b = &s->coverage->functions[function].blocks[block];
	if (b->kinds & s->bit || !b->live)
		return PF_OK;
	b->kinds |= s->bit;
	new = pf_array_push(&s->list);
	if (!new)
		return PF_ENOMEM;
	*new = (struct place) { function, block };
	return PF_OK;
}

/* The function that begins at ENTRY runs. */
static int follow_call(struct spreading *s, uint64_t entry)
{
	const struct pf_subject *subject = s->coverage->subject;
	uint32_t callee = pf_subject_find(subject, entry);
	uint32_t block;

	if (callee == PF_NO_FUNCTION)
		return PF_OK;
	block =
	    pf_codegraph_block_at(&subject->functions.at[callee].machine, &subject->functions.at[callee].code, entry);
	return block == PF_NO_CODE_BLOCK ? PF_OK : follow(s, callee, block);
}

static int spread(struct spreading *s)
{
	int status = PF_OK;

	while (s->list.count > 0 && status == PF_OK) {
		struct place at = s->list.at[--s->list.count];
		const struct pf_coverage_function *f = &s->coverage->functions[at.function];
		const struct pf_codegraph *m = &s->coverage->subject->functions.at[at.function].machine;

		status = follow(s, at.function, f->dominators.parent[at.block]);
		if (status == PF_OK)
			status = follow(s, at.function, f->postdominators.parent[at.block]);
		if (status == PF_OK && s->calls && m->blocks[at.block].callee)
			status = follow_call(s, m->blocks[at.block].callee);
	}
	return status;
}

/* Makes KIND what follows from what FROM covers. */
static int spread_from(struct pf_coverage *c, enum pf_coverage_kind from, enum pf_coverage_kind kind)
{
	struct spreading s = { .coverage = c, .bit = (uint8_t)(1u << kind), .calls = kind == PF_COVERAGE_CALLS };
	int status = PF_OK;

	for (uint32_t i = 0; i < c->subject->functions.count; i++) {
		for (uint32_t b = 0; b < c->subject->functions.at[i].machine.block_count && status == PF_OK; b++) {
			if (c->functions[i].blocks[b].kinds >> from & 1)
				status = follow(&s, i, b);
		}
	}
	if (status == PF_OK)
		status = spread(&s);
	pf_array_fini(&s.list);
	return status;
}

uint32_t pf_coverage_size(const struct pf_coverage *c, uint32_t function, uint32_t block)
{
	return c->subject->functions.at[function].machine.blocks[block].count;
}

/* Sums the steps up to what was seen of each block. */
static void sum_up(struct pf_coverage *c, uint32_t function)
{
	const struct pf_subject_function *f = &c->subject->functions.at[function];
	struct pf_coverage_function *own = &c->functions[function];
	uint64_t level = 0;

	for (size_t i = 0; i < f->code.insns.count; i++) {
		struct pf_coverage_block *block = &own->blocks[f->machine.block_of[i]];

		level += own->steps[i];
		block->seen = level > block->seen ? level : block->seen;
	}
}

/* Covers what was directly seen; the number of these blocks. */
static uint64_t mark_seen(struct pf_coverage *c)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < c->subject->functions.count; i++) {
		sum_up(c, i);
		for (uint32_t b = 0; b < c->subject->functions.at[i].machine.block_count; b++) {
			struct pf_coverage_block *block = &c->functions[i].blocks[b];

			/* What ran is live, whatever the graph says: then the graph has an edge too few. */
			if (block->seen > 0 && !block->live) {
				block->live = true;
				c->instructions += pf_coverage_size(c, i, b);
			}
			block->kinds |= block->single > 0 ? 1u << PF_COVERAGE_SINGLE : 0;
			block->kinds |= block->seen > 0 ? 1u << PF_COVERAGE_VECTORS : 0;
			blocks += block->seen > 0;
		}
	}
	return blocks;
}

static void count_covered(struct pf_coverage *c)
{
	for (uint32_t i = 0; i < c->subject->functions.count; i++) {
		for (uint32_t b = 0; b < c->subject->functions.at[i].machine.block_count; b++) {
			for (int kind = 0; kind < PF_COVERAGE_KINDS; kind++)
				c->covered[kind] +=
				    c->functions[i].blocks[b].kinds >> kind & 1 ? pf_coverage_size(c, i, b) : 0;
		}
	}
}

int pf_coverage_finish(struct pf_coverage *c, const struct pf_traffic *t, struct pf_error *error)
{
	int status = PF_OK;

	c->functions = calloc(c->subject->functions.count + 1, sizeof *c->functions);
	if (!c->functions)
		status = PF_ENOMEM;
	for (uint32_t i = 0; i < c->subject->functions.count && status == PF_OK; i++)
		status = open_function(c, i);
	if (status == PF_OK)
		status = place_all(c, t);
	if (status == PF_OK && mark_seen(c) == 0)
		return pf_unserved(c->subject, t, false, error);
	if (status == PF_OK)
		status = spread_from(c, PF_COVERAGE_SINGLE, PF_COVERAGE_SINGLE_DOMINATORS);
	if (status == PF_OK)
		status = spread_from(c, PF_COVERAGE_VECTORS, PF_COVERAGE_VECTORS_DOMINATORS);
	if (status == PF_OK)
		status = spread_from(c, PF_COVERAGE_VECTORS, PF_COVERAGE_CALLS);
	if (status < 0)
		return pf_fail(error, status, "%s: out of memory", c->subject->module.binary.elf.path);
	count_covered(c);
	return PF_OK;
}

const char *pf_coverage_name(enum pf_coverage_kind kind)
{
	static const char *const names[PF_COVERAGE_KINDS] = { "single block", "single block + dominators", "vectors",
							      "vectors + dominators", "vectors + dominators + calls" };

	return names[kind];
}
