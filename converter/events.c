/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See events.h.  The hard case is branch stacks that are none: the hardware can leave out all but calls, or keep only
 * the calls that have not returned; between two such entries there was no straight code. */
#include "converter/events.h"

#include <stdio.h>

/* Modifiers, which leave out no branch, are not listed. */
static const struct {
	uint64_t bit;
	const char *name; /* for perf record -j */
} filters[] = {
	{ PERF_SAMPLE_BRANCH_ANY_CALL, "any_call" }, { PERF_SAMPLE_BRANCH_ANY_RETURN, "any_ret" },
	{ PERF_SAMPLE_BRANCH_IND_CALL, "ind_call" }, { PERF_SAMPLE_BRANCH_ABORT_TX, "abort_tx" },
	{ PERF_SAMPLE_BRANCH_IN_TX, "in_tx" },       { PERF_SAMPLE_BRANCH_NO_TX, "no_tx" },
	{ PERF_SAMPLE_BRANCH_COND, "cond" },         { PERF_SAMPLE_BRANCH_CALL_STACK, "stack" },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, "ind_jmp" },  { PERF_SAMPLE_BRANCH_CALL, "call" },
};

enum { FILTER_COUNT = sizeof filters / sizeof filters[0] };

/* The events that are known, best first. */
static const struct {
	uint32_t type;
	uint64_t config;
	uint8_t rank;
	const char *name;
} known[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PF_RANK_TIME, "cycles" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, PF_RANK_TIME, "ref-cycles" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PF_RANK_TIME, "cpu-clock" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PF_RANK_TIME, "task-clock" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PF_RANK_INSTRUCTIONS, "instructions" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PF_RANK_BRANCHES, "branches" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PF_RANK_OTHER, "page-faults" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, PF_RANK_OTHER, "context-switches" },
};

enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

/* Index in the table, or -1.  The upper half of a hardware event's number says which kind of processor. */
static int find_known(const struct perf_event_attr *attr, const char *name)
{
	uint64_t config = attr->type == PERF_TYPE_HARDWARE ? attr->config & UINT32_MAX : attr->config;
	size_t length = strcspn(name, ":"); /* modifiers follow */

	for (int i = 0; i < KNOWN_COUNT; i++) {
		if (attr->type == known[i].type && config == known[i].config)
			return i;
		if (attr->type == PF_PERF_TYPE_NAMED && strlen(known[i].name) == length &&
		    memcmp(name, known[i].name, length) == 0)
			return i;
	}
	/* "cpu_core/cycles/u", of a processor's own driver. */
	return attr->type > PERF_TYPE_BREAKPOINT && strstr(name, "/cycles/") ? 0 : -1;
}

static uint8_t rank_of(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return PF_RANK_OTHER;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return PF_RANK_HARDWARE;
	default:
		return PF_RANK_RAW;
	}
}

uint8_t pf_events_rank(const char *name)
{
	const struct perf_event_attr attr = { .type = PF_PERF_TYPE_NAMED };
	int at = find_known(&attr, name);

	return at >= 0 ? known[at].rank : rank_of(&attr);
}

void pf_events_fini(struct pf_events *events)
{
	pf_array_fini(&events->tallies);
}

int pf_events_init(struct pf_events *events, const struct pf_perf_file *file)
{
	for (uint32_t i = 0; i < pf_perf_attr_count(file); i++) {
		const struct perf_event_attr *attr = pf_perf_attr(file, i);
		struct pf_event_tally *t = pf_array_push(&events->tallies);
		int at = find_known(attr, pf_perf_event_name(file, i));
		uint64_t bits = attr->branch_sample_type;
		uint64_t narrows = PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX;
		bool filtered = false;

		if (!t)
			return PF_ENOMEM;
		for (int k = 0; k < FILTER_COUNT; k++)
			filtered |= (bits & filters[k].bit) != 0;
		t->rank = at >= 0 ? known[at].rank : rank_of(attr);
		t->key = at >= 0 ? (uint32_t)at : KNOWN_COUNT + i;
		t->chain = bits & PERF_SAMPLE_BRANCH_CALL_STACK;
		/* `perf inject` makes stacks of all branches, and names no filter. */
		t->full = !t->chain && (bits & PERF_SAMPLE_BRANCH_ANY ? !(bits & narrows) : !filtered);
	}
	return PF_OK;
}

static bool same_branch(const struct pf_branch *a, const struct pf_branch *b)
{
	return a->from == b->from && a->to == b->to;
}

bool pf_event_repeats(const struct pf_event *e, uint32_t i)
{
	return i + 2 < e->branch_count && same_branch(&e->branches[i], &e->branches[i + 1]) &&
	       !same_branch(&e->branches[i + 1], &e->branches[i + 2]);
}

void pf_events_count(struct pf_events *events, const struct pf_event *e)
{
	struct pf_event_tally *t = &events->tallies.at[e->attr];

	if (e->branch_count == 0 || t->chain) {
		t->plains++;
		return;
	}
	t->stacks++;
	if (e->branch_count < 4)
		return;
	t->probed++;
	t->tops += pf_event_repeats(e, 0);
	t->deep_places += e->branch_count - 3;
	for (uint32_t i = 1; i + 2 < e->branch_count; i++)
		t->deeps += pf_event_repeats(e, i);
}

/* Whether the newest branches repeat more often than others do, by more than chance: only then it is the hardware and
 * not the program.  Half of them must be its doing, since all will be dropped. */
static bool stores_twice(const struct pf_event_tally *t)
{
	double expected = t->deep_places > 0 ? (double)t->deeps / (double)t->deep_places * (double)t->probed : 0;
	double excess = (double)t->tops - 2 * expected;

	return excess > 0 && excess * excess > 9 * (expected + 1);
}

static int refuse(const struct pf_perf_file *file, uint32_t attr, const char *path, struct pf_error *error)
{
	uint64_t bits = pf_perf_attr(file, attr)->branch_sample_type;
	char names[200] = "";

	for (int k = 0; k < FILTER_COUNT; k++) {
		if (bits & filters[k].bit)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? "," : "",
				 filters[k].name);
	}
	return pf_fail(error, PF_EUNSUPPORTED,
		       "%s: its branch stacks have only the branches that perf record -j %s lets through, and do not "
		       "show what ran between them; record with -j any,u",
		       path, names);
}

static uint64_t usable(const struct pf_event_tally *t, bool stacks)
{
	return stacks ? (t->full ? t->stacks : 0) : t->plains;
}

/* The best event of those that have samples of the kind, or NULL. */
static const struct pf_event_tally *best(const struct pf_events *events, bool stacks)
{
	const struct pf_event_tally *found = NULL;

	for (size_t i = 0; i < events->tallies.count; i++) {
		const struct pf_event_tally *t = &events->tallies.at[i];

		if (usable(t, stacks) > 0 &&
		    (!found || t->rank < found->rank || (t->rank == found->rank && t->key < found->key)))
			found = t;
	}
	return found;
}

int pf_events_choose(struct pf_events *events, const struct pf_perf_file *file, const char *path,
		     struct pf_error *error)
{
	const struct pf_event_tally *stacks = best(events, true), *plains = best(events, false);

	for (uint32_t i = 0; i < events->tallies.count; i++) {
		struct pf_event_tally *t = &events->tallies.at[i];

		if (!stacks && t->stacks > 0)
			return refuse(file, i, path, error);
		t->use_stacks = stacks && t->full && t->key == stacks->key;
		t->use_plains = plains && t->key == plains->key;
		/* The software recorder repeats nothing. */
		t->repeats = strncmp(pf_perf_event_name(file, i), "pathfdo-soft", 12) != 0 && stores_twice(t);
	}
	return PF_OK;
}

const char *pf_events_name(const struct pf_perf_file *file, uint32_t attr)
{
	const char *name = pf_perf_event_name(file, attr);
	int at = *name ? -1 : find_known(pf_perf_attr(file, attr), name);

	return at >= 0 ? known[at].name : name;
}
