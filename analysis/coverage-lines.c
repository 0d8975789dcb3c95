/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See coverage-lines.h.  The hard case is a line with several instances: code that was inlined in many places, or
 * copied by the optimiser.  Each instance's instructions are first reduced to one figure, then instances add up. */
#include "analysis/coverage-lines.h"

/* Instructions of a line in one instance. */
struct spot {
	struct pf_coverage_line line;
	uint32_t function, node;
};

struct spots {
	PF_ARRAY(struct spot) list;
};

static int compare_names(const struct pf_coverage_line *x, const struct pf_coverage_line *y)
{
	size_t size = x->name_size < y->name_size ? x->name_size : y->name_size;
	int order = memcmp(x->function, y->function, size);

	return order ? order : (x->name_size > y->name_size) - (x->name_size < y->name_size);
}

static int compare_lines(const void *a, const void *b)
{
	const struct pf_coverage_line *x = a, *y = b;
	int order = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (order == 0 && x->function_line != y->function_line)
		order = x->function_line < y->function_line ? -1 : 1;
	if (order == 0)
		order = compare_names(x, y);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int order = compare_lines(&x->line, &y->line);

	if (order == 0 && x->function != y->function)
		order = x->function < y->function ? -1 : 1;
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* What a block counts: whole sightings, at least one if it is covered. */
static uint64_t sightings(const struct pf_coverage_block *b, enum pf_coverage_kind kind)
{
	bool single = kind == PF_COVERAGE_SINGLE || kind == PF_COVERAGE_SINGLE_DOMINATORS;
	uint64_t count = (single ? b->single : b->seen) / PF_WEIGHT_ONE;

	return !(b->kinds >> kind & 1) ? 0 : count > 0 ? count : 1;
}

static int add_insn(struct spots *spots, const struct pf_coverage *c, uint32_t function, uint32_t insn, uint64_t count)
{
	const struct pf_source *source = &c->subject->module.source;
	const struct pf_subject_function *f = &c->subject->functions.at[function];
	uint32_t node = f->code.insns.at[insn].node;
	const struct pf_source_node *n = &source->functions.at[function].nodes.at[node];
	const struct pf_origin *origin = &source->origins.at[n->origin];
	struct spot *new;
	uint32_t line;
	const char *file = pf_subject_line(c->subject, function, insn, &line);

	if (!*file || line == 0)
		return PF_OK;
	new = pf_array_push(&spots->list);
	if (!new)
		return PF_ENOMEM;
	*new = (struct spot) {
		.line = { .file = file,
			  .function = origin->name,
			  .line = line,
			  .function_line = origin->line,
			  .count = count,
			  .instructions = 1,
			  .covered = count > 0,
			  .elsewhere = *origin->file && file != origin->file },
		.function = function,
		.node = node,
	};
	new->line.name_size = strlen(origin->name);
	new->line.entry = f->code.insns.at[insn].address == (node == 0 ? f->entry : n->entry);
	if (node == 0) {
		new->line.function = f->name;
		new->line.name_size = f->name_size;
	}
	return PF_OK;
}

static int list_spots(struct spots *spots, const struct pf_coverage *c, enum pf_coverage_kind kind)
{
	int status = PF_OK;

	for (uint32_t f = 0; f < c->subject->functions.count; f++) {
		const struct pf_codegraph *m = &c->subject->functions.at[f].machine;

		for (uint32_t b = 0; b < m->block_count; b++) {
			const struct pf_coverage_block *block = &c->functions[f].blocks[b];

			for (uint32_t i = 0; block->live && i < m->blocks[b].count && status == PF_OK; i++)
				status = add_insn(spots, c, f, m->blocks[b].first + i, sightings(block, kind));
		}
	}
	pf_array_sort(&spots->list, compare_spots);
	return status;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void join(struct pf_coverage_line *into, const struct pf_coverage_line *from, uint64_t count)
{
	into->count = count;
	into->instructions += from->instructions;
	into->covered += from->covered;
	into->entry |= from->entry;
}

/* Of spots of one instance the most, of instances the sum. */
static int reduce(struct pf_coverage_lines *lines, struct spots *spots)
{
	size_t kept = 0;

	for (size_t i = 0; i < spots->list.count; i++) {
		struct spot *s = &spots->list.at[i];

		if (kept > 0 && compare_spots(&spots->list.at[kept - 1], s) == 0)
			join(&spots->list.at[kept - 1].line, &s->line,
			     larger(spots->list.at[kept - 1].line.count, s->line.count));
		else
			spots->list.at[kept++] = *s;
	}
	for (size_t i = 0; i < kept; i++) {
		const struct pf_coverage_line *line = &spots->list.at[i].line;
		struct pf_coverage_line *last = lines->list.count ? &lines->list.at[lines->list.count - 1] : NULL;
		struct pf_coverage_line *new;

		if (last && compare_lines(last, line) == 0) {
			join(last, line, pf_sum(last->count, line->count));
			continue;
		}
		new = pf_array_push(&lines->list);
		if (!new)
			return PF_ENOMEM;
		*new = *line;
	}
	return PF_OK;
}

int pf_coverage_lines_make(struct pf_coverage_lines *lines, const struct pf_coverage *c, enum pf_coverage_kind kind)
{
	struct spots spots = { 0 };
	int status = list_spots(&spots, c, kind);

	*lines = (struct pf_coverage_lines) { 0 };
	if (status == PF_OK)
		status = reduce(lines, &spots);
	pf_array_fini(&spots.list);
	return status;
}

void pf_coverage_lines_fini(struct pf_coverage_lines *lines)
{
	pf_array_fini(&lines->list);
}
