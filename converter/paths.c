/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See paths.h.  A place is added for each machine block that control reached by a decision: the destination of a taken
 * jump, and the block behind a conditional jump that was not taken.  The hard case is number: programs have few hot
 * paths and very many that ran once, so each function keeps only those that carry weight. */
#include "converter/paths.h"
#include "converter/building.h"
#include "support/search.h"

#define LEAST_SHARE 1000 /* a path below 1/1000 of its function's path weight is dropped */

struct found_path {
	uint32_t first, count; /* in `places` */
	uint64_t weight;
};

struct found_paths {
	struct found_path *at;
	size_t count, capacity;
	PF_ARRAY(struct pf_place) places;
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
			*open = (struct pf_segment) { module, function, s->first + i, 0, s->weight };
		}
		open->count++;
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

/* Adds the place that runs first from instruction AT on. */
static int add_place(const struct pf_building *b, struct found_paths *found, uint32_t at)
{
	struct found_path *path = &found->at[found->count - 1];
	uint32_t placed = at < b->code.insns.count ? pf_code_first_placed(&b->code, at) : PF_NO_INSN;
	struct pf_place *new;

	if (placed == PF_NO_INSN || path->count == PF_PATH_PLACES)
		return PF_OK;
	new = pf_array_push(&found->places);
	if (!new)
		return PF_ENOMEM;
	*new = pf_build_place(b, placed);
	path->count++;
	return PF_OK;
}

/* The places of one edge's straight code; FRESH if its start was reached by a decision (not by a call's return). */
static int walk_edge(const struct pf_building *b, struct found_paths *found, const struct pf_jump *jump, bool fresh)
{
	uint32_t at = pf_code_find(&b->code, jump->start);
	int status = PF_OK;

	if (at == PF_NO_INSN)
		return PF_OK;
	if (fresh)
		status = add_place(b, found, at);
	for (; status == PF_OK && at < b->code.insns.count && b->code.insns.at[at].address < jump->from; at++) {
		if (b->code.insns.at[at].kind == PF_EDGE_COND)
			status = add_place(b, found, at + 1);
	}
	return status;
}

static bool goes_on(const struct pf_building *b, const struct pf_jump *jump)
{
	return (jump->kind == PF_EDGE_COND || jump->kind == PF_EDGE_JUMP || jump->kind == PF_EDGE_INDIRECT) &&
	       jump->to_module == b->module && pf_program_function(b->program, b->module, jump->to) == b->index;
}

static int translate(const struct pf_building *b, struct found_paths *found, const struct pf_segment *s)
{
	const struct pf_program *p = b->program;
	struct found_path *path = pf_array_push(found);
	const struct pf_jump *jump = NULL;
	bool fresh = true;
	int status = PF_OK;

	if (!path)
		return PF_ENOMEM;
	*path = (struct found_path) { .first = (uint32_t)found->places.count, .weight = s->weight };
	for (uint32_t i = 0; i < s->count && status == PF_OK; i++) {
		jump = &p->edges[p->traffic->pool.at[s->first + i]];
		status = walk_edge(b, found, jump, fresh);
		fresh = jump->kind != PF_EDGE_CALL && jump->kind != PF_EDGE_INDIRECT_CALL && jump->kind != PF_EDGE_FALL;
	}
	if (status == PF_OK && goes_on(b, jump))
		status = add_place(b, found, pf_code_find(&b->code, jump->to));
	if (found->at[found->count - 1].count < 2) {
		found->count--;
		found->places.count = found->at[found->count].first;
	}
	return status;
}

static int compare_places(const struct pf_place *places, const struct found_path *x, const struct found_path *y)
{
	for (uint32_t i = 0; i < x->count && i < y->count; i++) {
		int order = pf_place_compare(&places[x->first + i], &places[y->first + i]);

		if (order != 0)
			return order;
	}
	return x->count < y->count ? -1 : x->count > y->count;
}

static int by_places(const void *a, const void *b, void *places)
{
	return compare_places(places, a, b);
}

static int by_weight(const void *a, const void *b, void *places)
{
	const struct found_path *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return compare_places(places, x, y);
}

/* Adds up equal paths and sorts by weight; the sum of all. */
static uint64_t rank(struct found_paths *found)
{
	size_t kept = 0;
	uint64_t total = 0;

	if (found->count > 1)
		qsort_r(found->at, found->count, sizeof *found->at, by_places, found->places.at);
	for (size_t i = 0; i < found->count; i++) {
		total = pf_sum(total, found->at[i].weight);
		if (kept > 0 && compare_places(found->places.at, &found->at[kept - 1], &found->at[i]) == 0)
			found->at[kept - 1].weight = pf_sum(found->at[kept - 1].weight, found->at[i].weight);
		else
			found->at[kept++] = found->at[i];
	}
	found->count = kept;
	if (kept > 1)
		qsort_r(found->at, kept, sizeof *found->at, by_weight, found->places.at);
	return total;
}

static int write_paths(const struct pf_building *b, const struct found_paths *found, size_t count,
		       struct pf_function *function)
{
	function->paths = count ? pf_profile_reserve(b->profile, count * sizeof *function->paths) : NULL;
	if (count && !function->paths)
		return PF_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct pf_path *path = &function->paths[i];

		path->count = pf_build_count(found->at[i].weight);
		path->place_count = found->at[i].count;
		path->places = pf_profile_reserve(b->profile, path->place_count * sizeof *path->places);
		if (!path->places)
			return PF_ENOMEM;
		memcpy(path->places, &found->places.at[found->at[i].first], path->place_count * sizeof *path->places);
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
	struct found_paths found = { 0 };
	size_t count = 0;
	uint64_t total;
	int status = PF_OK;

	for (size_t i = first_segment(paths, b->module, b->index); status == PF_OK && i < paths->segments.count; i++) {
		const struct pf_segment *s = &paths->segments.at[i];

		if (s->module != b->module || s->function != b->index)
			break;
		status = translate(b, &found, s);
	}
	total = rank(&found);
	while (count < found.count && count < PF_PATHS_PER_FUNCTION && found.at[count].weight >= total / LEAST_SHARE)
		count++;
	for (size_t i = count; i < found.count; i++) {
		function->dropped_paths++;
		function->dropped_path_count += pf_build_count(found.at[i].weight);
	}
	if (status == PF_OK)
		status = write_paths(b, &found, count, function);
	pf_array_fini(&found.places);
	pf_array_fini(&found);
	return status;
}
