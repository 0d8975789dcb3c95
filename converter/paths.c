/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See paths.h.  A decision is a conditional jump, taken or not, or an indirect one: the place of the jump, and the
 * place where it went on, as the jump's outcomes have them.  The hard case is number: programs have few hot paths and
 * very many that ran once.  A light path is therefore shortened until it is one with others that ended as it did: what
 * is lost is the distant past, and the counts of what ended so stay right. */
#include "converter/paths.h"
#include "converter/building.h"
#include "converter/links.h"
#include "support/search.h"

#define LEAST_SHARE 1000 /* a path below 1/1000 of its function's path weight is light */

struct decision {
	struct pf_place from, to;
};

/* What ended with one decision. */
struct window {
	uint32_t last, count; /* in `decisions` */
	uint64_t weight;
};

struct windows {
	PF_ARRAY(struct window) list;
	PF_ARRAY(struct decision) decisions;
};

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
	*function = pf_program_function(p, *module, p->edges[edge].from);
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
static int add_decision(const struct pf_building *b, struct windows *w, uint32_t at, uint32_t to)
{
	uint32_t record = b->record_of[at];
	uint32_t placed = record == UINT32_MAX ? PF_NO_INSN : pf_links_destination(b, record, to);
	struct decision *new;

	if (placed == PF_NO_INSN)
		return PF_OK;
	new = pf_array_push(&w->decisions);
	if (!new)
		return PF_ENOMEM;
	*new = (struct decision) { pf_build_place(b, at), pf_build_place(b, placed) };
	return PF_OK;
}

static bool decides(const struct pf_building *b, const struct pf_jump *jump)
{
	return (jump->kind == PF_EDGE_COND || jump->kind == PF_EDGE_INDIRECT) && jump->to_module == b->module &&
	       pf_program_function(b->program, b->module, jump->to) == b->index;
}

/* The decisions of one edge: the jumps in its straight code that were not taken, and its own. */
static int walk_edge(const struct pf_building *b, struct windows *w, const struct pf_jump *jump)
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

/* A window ends with each decision from number FRESH on. */
static int add_windows(struct windows *w, uint32_t first, uint32_t fresh, uint64_t weight)
{
	for (uint32_t i = fresh; i < w->decisions.count; i++) {
		struct window *new = pf_array_push(&w->list);

		if (!new)
			return PF_ENOMEM;
		*new = (struct window) { i, i + 1 - first, weight };
		if (new->count > PF_PATH_DECISIONS)
			new->count = PF_PATH_DECISIONS;
	}
	return PF_OK;
}

static int translate(const struct pf_building *b, struct windows *w, const struct pf_segment *s)
{
	const struct pf_program *p = b->program;
	uint32_t first = (uint32_t)w->decisions.count, fresh = first;
	int status = PF_OK;

	for (uint32_t i = 0; i < s->count && status == PF_OK; i++) {
		if (i == s->past)
			fresh = (uint32_t)w->decisions.count;
		status = walk_edge(b, w, &p->edges[p->traffic->pool.at[s->first + i]]);
	}
	return status != PF_OK || s->past == s->count ? status : add_windows(w, first, fresh, s->weight);
}

static int compare_decisions(const struct decision *a, const struct decision *b)
{
	int order = pf_place_compare(&a->from, &b->from);

	return order ? order : pf_place_compare(&a->to, &b->to);
}

/* By the newest decision, then by those before it. */
static int by_decisions(const void *a, const void *b, void *decisions)
{
	const struct window *x = a, *y = b;
	const struct decision *all = decisions;

	for (uint32_t i = 0; i < x->count && i < y->count; i++) {
		int order = compare_decisions(&all[x->last - i], &all[y->last - i]);

		if (order != 0)
			return order;
	}
	return x->count < y->count ? -1 : x->count > y->count;
}

/* Sorts, adds up equal ones, and returns the sum of all. */
static uint64_t rank(struct windows *w)
{
	size_t kept = 0;
	uint64_t total = 0;

	if (w->list.count > 1)
		qsort_r(w->list.at, w->list.count, sizeof *w->list.at, by_decisions, w->decisions.at);
	for (size_t i = 0; i < w->list.count; i++) {
		struct window *last = kept ? &w->list.at[kept - 1] : NULL;

		total = pf_sum(total, w->list.at[i].weight);
		if (last && by_decisions(last, &w->list.at[i], w->decisions.at) == 0)
			last->weight = pf_sum(last->weight, w->list.at[i].weight);
		else
			w->list.at[kept++] = w->list.at[i];
	}
	w->list.count = kept;
	return total;
}

/* Whether X ends with the last COUNT decisions of Y. */
static bool ends_alike(const struct windows *w, const struct window *x, const struct window *y, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && i < x->count &&
	       compare_decisions(&w->decisions.at[x->last - i], &w->decisions.at[y->last - i]) == 0)
		i++;
	return i == count;
}

/* The windows from I on that end with as many as COUNT decisions of that: where they stop, and their weight. */
static size_t group(const struct windows *w, size_t i, uint32_t count, uint64_t *weight)
{
	size_t end = i;

	for (*weight = 0; end < w->list.count && ends_alike(w, &w->list.at[end], &w->list.at[i], count); end++)
		*weight = pf_sum(*weight, w->list.at[end].weight);
	/* What has saturated is lighter than the highest limit, too, so that reduce comes to an end. */
	*weight -= *weight == UINT64_MAX;
	return end;
}

/* Shortens every window to the longest end that is not lighter than LEAST, to nothing where there is none.  The windows
 * that go on to end alike stay together. */
static void shorten_light(struct windows *w, uint64_t least)
{
	for (uint32_t length = PF_PATH_DECISIONS; length > 0; length--) {
		for (size_t i = 0, end; i < w->list.count; i = end) {
			uint64_t weight;

			end = i + 1;
			if (w->list.at[i].count < length)
				continue;
			end = group(w, i, length, &weight);
			for (size_t k = i; k < end && weight < least; k++)
				w->list.at[k].count = length - 1;
		}
	}
}

static void drop_empty(struct windows *w, struct pf_function *function)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->list.count; i++) {
		if (w->list.at[i].count > 0) {
			w->list.at[kept++] = w->list.at[i];
		} else {
			function->dropped_paths++;
			function->dropped_path_count += pf_build_count(w->list.at[i].weight);
		}
	}
	w->list.count = kept;
}

/* Until there are few enough. */
static void reduce(struct windows *w, struct pf_function *function)
{
	uint64_t least = rank(w) / LEAST_SHARE + 1;

	do {
		shorten_light(w, least);
		drop_empty(w, function);
		rank(w);
		least = pf_sum(least, least);
	} while (w->list.count > PF_PATHS_PER_FUNCTION);
}

static int write_paths(const struct pf_building *b, const struct windows *w, struct pf_function *function)
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
			const struct decision *d = &w->decisions.at[w->list.at[i].last + 1 - w->list.at[i].count + k];

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
	struct windows w = { 0 };
	int status = PF_OK;

	for (size_t i = first_segment(paths, b->module, b->index); status == PF_OK && i < paths->segments.count; i++) {
		const struct pf_segment *s = &paths->segments.at[i];

		if (s->module != b->module || s->function != b->index)
			break;
		status = translate(b, &w, s);
	}
	if (status == PF_OK) {
		reduce(&w, function);
		status = write_paths(b, &w, function);
	}
	pf_array_fini(&w.list);
	pf_array_fini(&w.decisions);
	return status;
}
