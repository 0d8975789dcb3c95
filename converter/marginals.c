/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See marginals.h.  Which straight code led to a branch and where that went is lost in such counts, except that what
 * ends at a branch runs into one of its destinations.  Each profile that has these two sums is as good as another: the
 * counts of a branch are laid side by side, those of the code in front of it likewise, and where two overlap is an
 * edge.  The hard case is sums that differ, as each stack has one branch more than pieces of code: then the branches'
 * are scaled to those of the code. */
#include "converter/marginals.h"
#include "converter/events.h"
#include "converter/mapping.h"

/* Both are sorted by where the branch is, and add up at equal places.  Their objects are modules: the text's own are
 * several where it comes back to one. */
struct marginals {
	struct pf_traffic *traffic;
	const struct pf_aggregates *aggregates;
	uint32_t *modules; /* of the aggregates' objects */
	struct pf_tap tap; /* all are counts to it */
	bool bare;
	PF_ARRAY(struct pf_aggregate) branches;
	PF_ARRAY(struct pf_aggregate) runs;
};

static int compare_places(const struct pf_aggregate_place *a, const struct pf_aggregate_place *b)
{
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static int compare_branches(const void *a, const void *b)
{
	const struct pf_aggregate *x = a, *y = b;
	int order = compare_places(&x->from, &y->from);

	return order ? order : compare_places(&x->to, &y->to);
}

static int compare_runs(const void *a, const void *b)
{
	const struct pf_aggregate *x = a, *y = b;
	int order = compare_places(&x->to, &y->to);

	return order ? order : compare_places(&x->from, &y->from);
}

static void find_module(const struct marginals *m, struct pf_aggregate_place *place)
{
	place->object = place->object == PF_AGGREGATE_UNKNOWN ? PF_NO_MODULE : m->modules[place->object];
}

static void drop(struct marginals *m, enum pf_drop why, uint64_t count)
{
	m->traffic->drops[why] = pf_sum(m->traffic->drops[why], count);
}

/* COUNT in the unit of weights. */
static uint64_t weigh(uint64_t count)
{
	return count > UINT64_MAX / PF_WEIGHT_ONE ? UINT64_MAX : count * PF_WEIGHT_ONE;
}

static int add_sample(struct marginals *m, const struct pf_aggregate *a)
{
	const char *event = m->aggregates->event ? m->aggregates->event : "cycles";

	m->traffic->samples_read = pf_sum(m->traffic->samples_read, a->count);
	if (a->from.object == PF_NO_MODULE) {
		drop(m, PF_DROP_UNMAPPED, a->count);
		return PF_OK;
	}
	return pf_traffic_samples(m->traffic, a->from.object, a->from.address, pf_events_rank(event), a->count, NULL);
}

/* Why straight code cannot be, or PF_DROP_NONE. */
static enum pf_drop fault_of(const struct pf_aggregate *run)
{
	if (run->from.object == PF_NO_MODULE || run->from.object != run->to.object)
		return PF_DROP_UNMAPPED;
	if (run->from.address > run->to.address)
		return PF_DROP_BACKWARDS;
	return run->to.address - run->from.address > PF_RANGE_LIMIT ? PF_DROP_LONG : PF_DROP_NONE;
}

static int sort_out(struct marginals *m)
{
	int status = PF_OK;

	for (size_t i = 0; i < m->aggregates->list.count && status == PF_OK; i++) {
		struct pf_aggregate a = m->aggregates->list.at[i], *new = NULL;

		find_module(m, &a.from);
		find_module(m, &a.to);
		if (a.kind == PF_AGGREGATE_SAMPLE) {
			status = add_sample(m, &a);
			continue;
		}
		if (a.kind == PF_AGGREGATE_RUN && fault_of(&a) != PF_DROP_NONE) {
			drop(m, fault_of(&a), a.count);
			continue;
		}
		new = a.kind == PF_AGGREGATE_RUN ? pf_array_push(&m->runs) : pf_array_push(&m->branches);
		if (!new)
			return PF_ENOMEM;
		*new = a;
	}
	pf_array_sort(&m->branches, compare_branches);
	pf_array_sort(&m->runs, compare_runs);
	return status;
}

/* COUNT executions of the code of RUN (NULL: not known) up to BRANCH (NULL: it is not known where control went). */
static int add_edge(struct marginals *m, const struct pf_aggregate *run, const struct pf_aggregate *branch,
		    uint64_t count, uint64_t missed)
{
	struct pf_traffic *t = m->traffic;
	struct pf_traffic_edge edge = { .to_module = PF_NO_MODULE };
	const struct pf_aggregate_place *from = run ? &run->to : &branch->from;
	uint32_t index;

	if (count == 0)
		return PF_OK;
	edge.from_module = from->object;
	edge.from = edge.from_module == PF_NO_MODULE ? 0 : from->address;
	edge.start = run ? run->from.address : edge.from;
	if (branch)
		edge.to_module = branch->to.object;
	edge.to = edge.to_module == PF_NO_MODULE ? 0 : branch->to.address;
	if (edge.from_module == PF_NO_MODULE && edge.to_module == PF_NO_MODULE) {
		drop(m, PF_DROP_UNMAPPED, count);
		return PF_OK;
	}
	index = pf_traffic_edge(t, &edge);
	if (index == PF_NO_EDGE)
		return PF_ENOMEM;
	pf_traffic_count(t, index, weigh(count));
	t->edges.at[index].missed = pf_sum(t->edges.at[index].missed, weigh(missed));
	t->edges.at[index].ended = t->edges.at[index].weight;
	if (branch)
		t->branches_used = pf_sum(t->branches_used, count);
	return pf_tap_count(&m->tap, t, index, weigh(count));
}

static uint64_t scale(uint64_t value, uint64_t to, uint64_t from)
{
	return from ? (uint64_t)(((unsigned __int128)value * to + from / 2) / from) : 0;
}

/* The part of BRANCH that is used with known code (USED of its count), and with it as much of its mispredictions; what
 * is left is without. */
static int add_rest(struct marginals *m, const struct pf_aggregate *branch, uint64_t used)
{
	uint64_t rest = branch->count - used;

	if (m->bare || branch->from.object == PF_NO_MODULE)
		return add_edge(m, NULL, branch, rest, branch->missed - scale(branch->missed, used, branch->count));
	drop(m, PF_DROP_OLDEST, rest);
	return PF_OK;
}

/* The sums in front of and behind where two rows of counts are walked along together. */
struct walk {
	uint64_t at;       /* the sum of what was laid down so far */
	uint64_t runs_end; /* the sum of the runs up to the one in hand */
	size_t run;
};

/* Lays the COUNT of BRANCH, or of nothing (NULL), along the runs from W->run to before END. */
static int lay(struct marginals *m, struct walk *w, size_t end, const struct pf_aggregate *branch, uint64_t count)
{
	uint64_t stop = pf_sum(w->at, count), first = w->at;
	int status = PF_OK;

	while (w->at < stop && w->run < end && status == PF_OK) {
		uint64_t next = stop < w->runs_end ? stop : w->runs_end, missed = 0;

		if (branch)
			missed = scale(branch->missed, next - first, branch->count) -
				 scale(branch->missed, w->at - first, branch->count);
		status = add_edge(m, &m->runs.at[w->run], branch, next - w->at, missed);
		w->at = next;
		if (next == w->runs_end && ++w->run < end)
			w->runs_end = pf_sum(w->runs_end, m->runs.at[w->run].count);
	}
	return status;
}

/* The branches [FIRST, LAST) of one place, and the runs [RUN, RUN_END) to it. */
static int add_place(struct marginals *m, size_t first, size_t last, size_t run, size_t run_end)
{
	struct walk w = { .run = run, .runs_end = run < run_end ? m->runs.at[run].count : 0 };
	uint64_t branches = 0, runs = 0, sum = 0, laid = 0;
	int status = PF_OK;

	for (size_t i = first; i < last; i++)
		branches = pf_sum(branches, m->branches.at[i].count);
	for (size_t i = run; i < run_end; i++)
		runs = pf_sum(runs, m->runs.at[i].count);
	for (size_t i = first; i < last && status == PF_OK; i++) {
		const struct pf_aggregate *branch = &m->branches.at[i];
		uint64_t until;

		sum = pf_sum(sum, branch->count);
		until = branches > runs ? scale(sum, runs, branches) : sum;
		if (until - laid > branch->count)
			until = laid + branch->count;
		status = lay(m, &w, run_end, branch, until - laid);
		if (status == PF_OK)
			status = add_rest(m, branch, until - laid);
		laid = until;
	}
	return status < 0 ? status : lay(m, &w, run_end, NULL, runs - laid);
}

static int add_all(struct marginals *m)
{
	size_t branch = 0, run = 0;
	int status = PF_OK;

	while ((branch < m->branches.count || run < m->runs.count) && status == PF_OK) {
		size_t first = branch, first_run = run;
		const struct pf_aggregate_place *place =
		    branch < m->branches.count ? &m->branches.at[branch].from : NULL;

		if (!place || (run < m->runs.count && compare_places(&m->runs.at[run].to, place) < 0))
			place = &m->runs.at[run].to;
		while (branch < m->branches.count && compare_places(&m->branches.at[branch].from, place) == 0)
			m->traffic->branches_read = pf_sum(m->traffic->branches_read, m->branches.at[branch++].count);
		while (run < m->runs.count && compare_places(&m->runs.at[run].to, place) == 0)
			run++;
		status = add_place(m, first, branch, first_run, run);
	}
	return status;
}

static int describe(struct pf_recording *r, const struct pf_aggregates *a, const struct marginals *m)
{
	bool stacks = m->branches.count + m->runs.count > 0;

	r->kind = stacks ? PF_SOURCE_LBR : PF_SOURCE_CLOCK;
	r->event = strdup(a->event ? a->event : stacks ? "pre-aggregated" : "cycles");
	r->exe = strdup("");
	if (!r->event || !r->exe)
		return PF_ENOMEM;
	r->rank = pf_events_rank(r->event);
	for (size_t i = 0; i < a->list.count; i++)
		r->samples = pf_sum(r->samples, a->list.at[i].kind == PF_AGGREGATE_RUN ? 0 : a->list.at[i].count);
	return PF_OK;
}

int pf_marginals_take(struct pf_traffic *t, const struct pf_aggregates *a, const char *path,
		      const struct pf_intake_options *options, struct pf_recording *recording, struct pf_error *error)
{
	struct marginals m = {
		.traffic = t, .aggregates = a, .bare = options->bare, .tap.listener = options->listener
	};
	int status = PF_OK;

	if (a->list.count == 0)
		return pf_fail(error, PF_EEMPTY, "%s: holds no branches and no samples", path);
	m.modules = calloc(a->objects.count + 1, sizeof *m.modules);
	for (size_t i = 0; m.modules && i < a->objects.count && status == PF_OK; i++) {
		m.modules[i] = pf_traffic_object(t, a->objects.at[i].id, a->objects.at[i].id_size);
		status = m.modules[i] == PF_NO_MODULE ? PF_ENOMEM : PF_OK;
	}
	if (!m.modules)
		status = PF_ENOMEM;
	if (status == PF_OK)
		status = sort_out(&m);
	if (status == PF_OK)
		status = describe(recording, a, &m);
	if (status == PF_OK)
		status = add_all(&m);
	pf_array_fini(&m.branches);
	pf_array_fini(&m.runs);
	free(m.modules);
	return status < 0 ? pf_fail(error, status, "%s: out of memory", path) : PF_OK;
}
