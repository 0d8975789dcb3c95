/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See path-profile-page.h.  Machine code is put in the form of counted paths: its graph, its numbers, the lines of its
 * blocks' instructions.  The hard case is a count: a flow is an estimate, whose parts of a block are added up before
 * they are rounded. */
#include "cli/path-profile-page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What all flows of FLOW's function have of each of its blocks, in its graph. */
static bool count_blocks(const struct pf_path_profile *p, const struct pf_path_flow *flow, struct pf_graph *g)
{
	uint32_t *blocks = calloc((size_t)g->block_count + 1, sizeof *blocks);
	double *sums = calloc((size_t)g->block_count + 1, sizeof *sums);

	for (size_t i = 0; blocks && sums && i < p->flows.count; i++) {
		const struct pf_path_flow *other = &p->flows.at[i];
		uint32_t count = other->function == flow->function ? pf_path_blocks(p, other, blocks) : 0;

		for (uint32_t k = 0; k < count; k++)
			sums[blocks[k]] += other->weight;
	}
	for (uint32_t b = 0; sums && b < g->block_count; b++)
		g->blocks[b].count = (uint64_t)llround(sums[b]);
	free(blocks);
	free(sums);
	return blocks && sums;
}

static bool add_lines(struct pf_counted_function *f, const struct pf_subject *subject, uint32_t index)
{
	const struct pf_codegraph *m = &subject->functions.at[index].machine;

	f->first_line = calloc((size_t)f->graph->block_count + 1, sizeof *f->first_line);
	if (!f->first_line)
		return false;
	for (uint32_t b = 0; b < f->graph->block_count; b++) {
		uint32_t count = b < m->block_count ? m->blocks[b].count : 0;

		f->first_line[b] = (uint32_t)f->lines.count;
		for (uint32_t k = 0; k < count; k++) {
			struct pf_counted_line line = { 0 }, *last = f->lines.at + f->lines.count, *new;

			line.file = pf_subject_line(subject, index, m->blocks[b].first + k, &line.line);
			if (line.line == 0 || (f->lines.count > f->first_line[b] && last[-1].line == line.line &&
					       strcmp(last[-1].file, line.file) == 0))
				continue;
			new = pf_array_push(&f->lines);
			if (!new)
				return false;
			*new = line;
		}
	}
	f->first_line[f->graph->block_count] = (uint32_t)f->lines.count;
	return true;
}

/* The graph and the numbers stay the profile's. */
static bool describe(struct pf_counted_function *f, const struct pf_subject *subject, const struct pf_path_profile *p,
		     const struct pf_path_flow *flow)
{
	const struct pf_subject_function *function = &subject->functions.at[flow->function];

	f->graph = function->machine.graph;
	f->numbers = p->walk.numbers[flow->function];
	f->name = strndup(function->name, function->name_size);
	f->where.file =
	    pf_subject_line(subject, flow->function, pf_subject_insn(function, function->entry), &f->where.line);
	return f->name && add_lines(f, subject, flow->function) && count_blocks(p, flow, function->machine.graph);
}

static void release(struct pf_counted_function *f)
{
	free((char *)f->name);
	free(f->first_line);
	pf_array_fini(&f->lines);
}

bool pf_path_profile_page_put(struct pf_buffer *out, struct pf_subject *subject, const struct pf_path_profile *p,
			      size_t top, const struct pf_path_page *page)
{
	size_t count = p->flows.count < top ? p->flows.count : top;
	struct pf_counted_function *functions = calloc(count + 1, sizeof *functions);
	struct pf_paged_path *paths = calloc(count + 1, sizeof *paths);
	struct pf_path_page own = *page;
	bool good = functions && paths;

	for (size_t i = 0; i < count && good; i++) {
		const struct pf_path_flow *flow = &p->flows.at[i];

		good = describe(&functions[i], subject, p, flow);
		paths[i] = (struct pf_paged_path) { &functions[i], flow->number, flow->weight,
						    p->total > 0 ? flow->weight / p->total : 0 };
	}
	own.paths = paths;
	own.count = count;
	good = good && pf_path_page_put(out, &own);
	for (size_t i = 0; i < count && functions; i++)
		release(&functions[i]);
	free(functions);
	free(paths);
	return good;
}
