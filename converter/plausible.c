/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See plausible.h.  Right binaries have next to nothing impossible: an interrupted instruction, code that the program
 * changed.  The hard case is cost: the straight code in front of millions of branches overlaps, so the end of what can
 * run on from an address is found once for each start, last start first, and taken over from the next one. */
#include "converter/plausible.h"
#include "converter/code.h"
#include "converter/mapping.h"
#include "support/search.h"

#include <stdio.h>

/* An edge with its addresses in its module. */
struct run {
	uint32_t module, edge;
	uint64_t start, from;
};

/* From `start` on, code runs to the instruction at `stop` at most. */
struct stop {
	uint64_t start, stop;
};

struct runs {
	PF_ARRAY(struct run) all;
	PF_ARRAY(struct stop) stops; /* of the module, by falling start */
};

/* By module, the last start first. */
static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start > y->start ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* An edge of weight WEIGHT from where the file of M has no code. */
static void count_outside(struct pf_program_module *m, uint64_t weight)
{
	struct pf_plausibility *all = &m->plausibility;

	all->branches = pf_sum(all->branches, weight);
	all->at_none = pf_sum(all->at_none, weight);
}

static bool in_code(const struct pf_program *p, uint32_t module, uint64_t offset, uint64_t *address)
{
	uint64_t left;

	return pf_program_address(p, module, offset, address) &&
	       pf_elf_code(&p->modules[module].binary.elf, *address, &left);
}

static int list_runs(const struct pf_program *p, struct runs *runs, bool *impossible)
{
	const struct pf_traffic *t = p->traffic;

	for (uint32_t i = 0; i < t->edges.count; i++) {
		const struct pf_traffic_edge *e = &t->edges.at[i];
		struct pf_program_module *m = e->from_module == PF_NO_MODULE ? NULL : &p->modules[e->from_module];
		struct run run = { .module = e->from_module, .edge = i }, *new;

		if (!m || !m->binary.elf.path)
			continue;
		if (!in_code(p, e->from_module, e->start, &run.start) ||
		    !in_code(p, e->from_module, e->from, &run.from)) {
			count_outside(m, e->weight);
			impossible[i] = true;
			continue;
		}
		new = pf_array_push(&runs->all);
		if (!new)
			return PF_ENOMEM;
		*new = run;
	}
	pf_array_sort(&runs->all, compare_runs);
	return PF_OK;
}

/* The instruction behind which code from START on never goes on. */
static uint64_t find_stop(const struct pf_elf *elf, const struct runs *runs, uint64_t start)
{
	uint64_t address = start;
	size_t next = runs->stops.count;

	while (address - start <= PF_RANGE_LIMIT) {
		struct pf_step step = pf_code_step(elf, address);

		while (next > 0 && runs->stops.at[next - 1].start < address)
			next--;
		if (next > 0 && runs->stops.at[next - 1].start == address)
			return runs->stops.at[next - 1].stop;
		if (step.stops)
			return address;
		address += step.length;
	}
	return UINT64_MAX;
}

/* Judges one edge, of which code can run on to STOP. */
static bool judge(const struct pf_program *p, const struct run *run, uint64_t stop)
{
	const struct pf_traffic_edge *e = &p->traffic->edges.at[run->edge];
	struct pf_program_module *m = &p->modules[run->module];
	struct pf_plausibility *all = &m->plausibility;
	bool through = stop < run->from, at_none = false;

	all->runs = pf_sum(all->runs, e->weight);
	all->through = pf_sum(all->through, through ? e->weight : 0);
	/* The kernel, and what it comes back to, interrupt any instruction. */
	if (e->to_module != PF_NO_MODULE && e->kind != PF_EDGE_FALL) {
		at_none = pf_code_step(&m->binary.elf, run->from).kind == 0;
		all->branches = pf_sum(all->branches, e->weight);
		all->at_none = pf_sum(all->at_none, at_none ? e->weight : 0);
	}
	return through || at_none;
}

static int judge_all(const struct pf_program *p, struct runs *runs, bool *impossible)
{
	for (size_t i = 0; i < runs->all.count; i++) {
		const struct run *run = &runs->all.at[i];
		struct stop *last = runs->stops.count ? &runs->stops.at[runs->stops.count - 1] : NULL;

		if (i > 0 && run[-1].module != run->module) {
			runs->stops.count = 0;
			last = NULL;
		}
		if (!last || last->start != run->start) {
			uint64_t stop = find_stop(&p->modules[run->module].binary.elf, runs, run->start);

			last = pf_array_push(&runs->stops);
			if (!last)
				return PF_ENOMEM;
			*last = (struct stop) { run->start, stop };
		}
		impossible[run->edge] = judge(p, run, last->stop);
	}
	return PF_OK;
}

int pf_plausible_branches(struct pf_program *p, bool *impossible, struct pf_error *error)
{
	struct runs runs = { 0 };
	int status = list_runs(p, &runs, impossible);

	if (status == PF_OK)
		status = judge_all(p, &runs, impossible);
	pf_array_fini(&runs.all);
	pf_array_fini(&runs.stops);
	return status < 0 ? pf_fail(error, status, "out of memory while checking %zu branches", p->traffic->edges.count)
			  : PF_OK;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static bool too_many(uint64_t part, uint64_t whole)
{
	return part >= PF_IMPOSSIBLE_LEAST * PF_WEIGHT_ONE && percent(part, whole) * 10 > PF_IMPOSSIBLE_ERROR;
}

static const char *why(const struct pf_program_module *m)
{
	return m->recorded_id ? "though its build-id is the one that was recorded: it changed its code at run time, or "
				"the recording is damaged"
			      : "and no build-id was recorded: it is not the binary that ran; name that with -b";
}

int pf_plausible_check(const struct pf_program_module *m, struct pf_error *error)
{
	const struct pf_plausibility *all = &m->plausibility;

	if (!too_many(all->at_none, all->branches) && !too_many(all->through, all->runs))
		return PF_OK;
	return pf_fail(error, PF_EMISMATCH,
		       "%s: %.1f%% of the branches recorded in it are at no branch instruction, and %.1f%% ran over "
		       "an unconditional jump, %s",
		       m->binary.elf.path, percent(all->at_none, all->branches), percent(all->through, all->runs),
		       why(m));
}

static size_t first_sample(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->samples.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->samples.at[search.middle].offset < address);
	return search.low;
}

/* Adds up the samples in one range of a function, and those that are within an instruction. */
static void count_samples(const struct pf_program_module *m, const struct pf_extent *extent, uint64_t *all,
			  uint64_t *within)
{
	uint64_t address = extent->start;

	for (size_t i = first_sample(m, extent->start); i < m->samples.count && m->samples.at[i].offset < extent->end;
	     i++) {
		const struct pf_traffic_sample *s = &m->samples.at[i];

		while (address < s->offset)
			address += pf_code_step(&m->binary.elf, address).length;
		*all = pf_sum(*all, s->weight);
		*within = pf_sum(*within, address > s->offset ? s->weight : 0);
	}
}

int pf_plausible_samples(const struct pf_program_module *m, struct pf_error *error)
{
	uint64_t all = 0, within = 0;

	for (size_t i = 0; i < m->extents.count; i++)
		count_samples(m, &m->extents.at[i], &all, &within);
	if (!too_many(within, all))
		return PF_OK;
	return pf_fail(error, PF_EMISMATCH,
		       "%s: %.1f%% of the samples recorded in its functions are within an instruction, %s",
		       m->binary.elf.path, percent(within, all), why(m));
}
