/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See paths.h.  A decision is a conditional jump, taken or not, or an indirect one: the place of the jump, and the
 * place where it went on, as the jump's outcomes have them.  The hard case is a sequence that leaves the function
 * and comes back: it goes on in a segment of its own, of which nothing before is known. */
#include "converter/paths.h"
#include "converter/links.h"
#include "converter/windows.h"
#include "support/search.h"

static int compare_segments(const void *a, const void *b)
{
	const struct pf_segment *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Function in which EDGE's straight code lies. */
static bool locate(const struct pf_program *p, uint32_t edge, uint32_t *module, uint32_t *function)
{
	*module = p->traffic->edges.at[edge].from_module;
	if (*module == PF_NO_MODULE || !p->modules[*module].binary.elf.path)
		return false;
	*function = pf_program_function(&p->modules[*module], p->edges[edge].from);
	return *function != UINT32_MAX;
}

static int cut_sequence(struct pf_paths *paths, const struct pf_program *p, const struct pf_traffic_sequence *s)
{
	struct pf_segment *open = NULL;

	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t module, function;

		if (!locate(p, p->traffic->pool.at[s->first + i], &module, &function)) {
			open = NULL;
			continue;
		}
		if (!open || open->module != module || open->function != function) {
			open = pf_array_push(&paths->segments);
			if (!open)
				return PF_ENOMEM;
			*open = (struct pf_segment) { module, function, s->first + i, 0, 0, s->weight };
		}
		open->count++;
		open->past += i < s->past;
	}
	return PF_OK;
}

int pf_paths_prepare(struct pf_paths *paths, const struct pf_program *program)
{
	const struct pf_traffic *t = program->traffic;
	int status = PF_OK;

	for (size_t i = 0; i < t->sequences.count && status == PF_OK; i++)
		status = cut_sequence(paths, program, &t->sequences.at[i]);
	pf_array_sort(&paths->segments, compare_segments);
	return status;
}

void pf_paths_fini(struct pf_paths *paths)
{
	pf_array_fini(&paths->segments);
}

/* The jump AT went on at instruction TO. */
static int add_decision(const struct pf_building *b, struct pf_windows *w, uint32_t at, uint32_t to)
{
	uint32_t placed = b->record_of[at] == UINT32_MAX ? PF_NO_INSN : pf_links_destination(b, at, to);
	struct pf_decision *new;

	if (placed == PF_NO_INSN)
		return PF_OK;
	new = pf_array_push(&w->decisions);
	if (!new)
		return PF_ENOMEM;
	*new = (struct pf_decision) { pf_build_place(b, at), pf_build_place(b, placed) };
	return PF_OK;
}

static bool decides(const struct pf_building *b, const struct pf_jump *jump)
{
	return (jump->kind == PF_EDGE_COND || jump->kind == PF_EDGE_INDIRECT) && jump->to_module == b->module &&
	       pf_program_function(&b->program->modules[b->module], jump->to) == b->index;
}

/* The decisions of one edge: the jumps in its straight code that were not taken, and its own. */
static int walk_edge(const struct pf_building *b, struct pf_windows *w, const struct pf_jump *jump)
{
	uint32_t at = pf_code_find(&b->code, jump->start);
	int status = PF_OK;

	if (at == PF_NO_INSN)
		return PF_OK;
	for (; status == PF_OK && at < b->code.insns.count && b->code.insns.at[at].address < jump->from; at++) {
		if (b->code.insns.at[at].kind == PF_EDGE_COND)
			status = add_decision(b, w, at, at + 1);
	}
	if (status == PF_OK && at < b->code.insns.count && decides(b, jump))
		status = add_decision(b, w, at, pf_code_find(&b->code, jump->to));
	return status;
}

static int translate(const struct pf_building *b, struct pf_windows *w, const struct pf_segment *s)
{
	const struct pf_program *p = b->program;
	uint32_t first = (uint32_t)w->decisions.count, fresh = first;
	int status = PF_OK;

	for (uint32_t i = 0; i < s->count && status == PF_OK; i++) {
		if (i == s->past)
			fresh = (uint32_t)w->decisions.count;
		status = walk_edge(b, w, &p->edges[p->traffic->pool.at[s->first + i]]);
	}
	return status != PF_OK || s->past == s->count ? status : pf_windows_add(w, first, fresh, s->weight);
}

static int write_paths(const struct pf_building *b, const struct pf_windows *w, struct pf_function *function)
{
	function->paths =
	    w->list.count ? pf_profile_reserve(b->profile, w->list.count * sizeof *function->paths) : NULL;
	if (w->list.count && !function->paths)
		return PF_ENOMEM;
	for (size_t i = 0; i < w->list.count; i++) {
		struct pf_path *path = &function->paths[i];

		path->count = pf_build_count(w->list.at[i].weight);
		path->place_count = 2 * w->list.at[i].count;
		path->places = pf_profile_reserve(b->profile, path->place_count * sizeof *path->places);
		if (!path->places)
			return PF_ENOMEM;
		for (uint32_t k = 0; k < w->list.at[i].count; k++) {
			const struct pf_decision *d =
			    &w->decisions.at[w->list.at[i].last + 1 - w->list.at[i].count + k];

			path->places[2 * k] = d->from;
			path->places[2 * k + 1] = d->to;
		}
		function->path_count++;
	}
	return PF_OK;
}

static size_t first_segment(const struct pf_paths *paths, uint32_t module, uint32_t function)
{
	struct pf_segment key = { .module = module, .function = function };
	struct pf_search search = pf_search_over(paths->segments.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_segments(&paths->segments.at[search.middle], &key) < 0);
	return search.low;
}

int pf_paths_build(const struct pf_paths *paths, const struct pf_building *b, struct pf_function *function)
{
	struct pf_windows w = { 0 };
	int status = PF_OK;

	for (size_t i = first_segment(paths, b->module, b->index); status == PF_OK && i < paths->segments.count; i++) {
		const struct pf_segment *s = &paths->segments.at[i];

		if (s->module != b->module || s->function != b->index)
			break;
		status = translate(b, &w, s);
	}
	if (status == PF_OK) {
		struct pf_windows_lost lost = pf_windows_reduce(&w, PF_PATHS_PER_FUNCTION);

		function->dropped_paths = lost.count;
		function->dropped_path_count = pf_build_count(lost.weight);
		status = write_paths(b, &w, function);
	}
	pf_windows_fini(&w);
	return status;
}
