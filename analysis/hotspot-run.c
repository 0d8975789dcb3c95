/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hotspot-run.h.  Each block of an edge is a branch for the detector and some instructions for the account.  The
 * hard case is what has no branch at its end: its instructions ride on to the block that goes on there, and where none
 * does they count as run, in no hot spot.  With only some kinds of branches looked at, those of blocks that end in
 * another ride on likewise: control can only have gone there. */
#include "analysis/hotspot-run.h"

static bool room_for(void *array, size_t *count, size_t *capacity, size_t wanted, size_t size)
{
	void *at;

	if (*count >= wanted)
		return true;
	if (!pf_array_reserve(array, *count, capacity, wanted - *count, size))
		return false;
	memcpy(&at, array, sizeof at);
	memset((char *)at + *count * size, 0, (wanted - *count) * size);
	*count = wanted;
	return true;
}

/* Makes the PF_ARRAY A have WANTED elements at least, new ones zeroed; false when out of memory. */
#define extend(a, wanted) room_for(&(a)->at, &(a)->count, &(a)->capacity, wanted, sizeof *(a)->at)

int pf_hotspot_run_init(struct pf_hotspot_run *r, const struct pf_hotspot_parameters *parameters,
			struct pf_error *error)
{
	*r = (struct pf_hotspot_run) { .width = PF_HOTSPOT_SAMPLE, .last_hotspot = PF_NO_HOTSPOT };
	return pf_hotspots_init(&r->detector, parameters, error);
}

void pf_hotspot_run_fini(struct pf_hotspot_run *r)
{
	for (uint32_t i = 0; i < PF_HOTSPOT_COLUMNS; i++) {
		pf_array_fini(&r->columns[i].dots);
		pf_array_fini(&r->columns[i].active);
	}
	pf_array_fini(&r->accounts);
	pf_array_fini(&r->members);
	pf_array_fini(&r->seen);
	pf_array_fini(&r->sampled);
	pf_branch_steps_fini(&r->steps);
	pf_hotspots_fini(&r->detector);
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

static bool end_sample(struct pf_hotspot_run *r)
{
	for (size_t i = 0; i < r->sampled.count; i++) {
		uint32_t end = r->sampled.at[i];
		struct pf_hotspot_dot *dot =
		    r->seen.at[end] < PF_HOTSPOT_MANY ? NULL : pf_array_push(&r->columns[r->column].dots);

		if (dot)
			*dot = (struct pf_hotspot_dot) { end, r->seen.at[end] };
		else if (r->seen.at[end] >= PF_HOTSPOT_MANY)
			return false;
		r->seen.at[end] = 0;
	}
	r->sampled.count = 0;
	return true;
}

/* Puts SECOND's branches into FIRST's; the sample is FIRST's. */
static bool join(struct pf_hotspot_column *first, struct pf_hotspot_column *second)
{
	first->branches += second->branches;
	if (!extend(&first->active, second->active.count))
		return false;
	for (size_t i = 0; i < second->active.count; i++)
		first->active.at[i] += second->active.at[i];
	pf_array_fini(&second->dots);
	pf_array_fini(&second->active);
	*second = (struct pf_hotspot_column) { 0 };
	return true;
}

/* All columns are full: two become one. */
static bool widen(struct pf_hotspot_run *r)
{
	for (uint32_t i = 0; i < PF_HOTSPOT_COLUMNS / 2; i++) {
		if (!join(&r->columns[2 * i], &r->columns[2 * i + 1]))
			return false;
		if (i) {
			r->columns[i] = r->columns[2 * i];
			r->columns[2 * i] = (struct pf_hotspot_column) { 0 };
		}
	}
	r->column = PF_HOTSPOT_COLUMNS / 2;
	r->width *= 2;
	return true;
}

static bool advance(struct pf_hotspot_run *r)
{
	if (r->columns[r->column].branches < r->width)
		return true;
	if (!end_sample(r))
		return false;
	r->column++;
	return r->column < PF_HOTSPOT_COLUMNS || widen(r);
}

static bool draw(struct pf_hotspot_run *r, uint32_t end, uint32_t hotspot)
{
	struct pf_hotspot_column *column;

	if (!advance(r))
		return false;
	column = &r->columns[r->column];
	if (column->branches == PF_HOTSPOT_SAMPLE && !end_sample(r))
		return false;
	if (column->branches++ < PF_HOTSPOT_SAMPLE) {
		uint32_t *new;

		if (!extend(&r->seen, r->steps.ends.count))
			return false;
		new = r->seen.at[end] ? NULL : pf_array_push(&r->sampled);
		if (new)
			*new = end;
		else if (!r->seen.at[end])
			return false;
		r->seen.at[end]++;
	}
	if (hotspot == PF_NO_HOTSPOT)
		return true;
	if (!extend(&column->active, hotspot + 1u))
		return false;
	column->active.at[hotspot]++;
	return true;
}

/* --- the account -------------------------------------------------------------------------------------------------- */

static bool count_hit(struct pf_hotspot_run *r, struct pf_hotspot_hit hit, uint32_t instructions)
{
	struct pf_hotspot_account *account;

	if (hit.hotspot == PF_NO_HOTSPOT) {
		r->last_hotspot = PF_NO_HOTSPOT;
		return true;
	}
	if (!extend(&r->accounts, r->detector.spots.count) || !extend(&r->members, r->detector.monitor.members.count))
		return false;
	account = &r->accounts.at[hit.hotspot];
	account->executed += instructions;
	account->branches++;
	account->entered += r->last_hotspot != hit.hotspot;
	r->last_hotspot = hit.hotspot;
	if (hit.member != PF_NO_MEMBER)
		r->members.at[hit.member] += instructions;
	return true;
}

/* The instructions that are carried belong to no block after all. */
static void drop_carry(struct pf_hotspot_run *r)
{
	if (r->carry) {
		struct pf_block_end *end = &r->steps.ends.at[r->carry_end];

		end->instructions = r->carry > end->instructions ? r->carry : end->instructions;
		end->executed += r->carry;
	}
	r->carry = 0;
}

static bool feed(struct pf_hotspot_run *r, uint32_t process, const struct pf_branch_step *step, uint64_t to)
{
	struct pf_hotspot_branch branch = { step->address, to, process, step->end, step->kind, step->taken };
	struct pf_hotspot_hit hit = pf_hotspots_feed(&r->detector, &branch);
	struct pf_block_end *end = &r->steps.ends.at[step->end];
	uint32_t instructions = step->instructions + r->carry;

	if (hit.ignored) {
		r->carry = instructions;
		r->carry_end = step->end;
		return true;
	}
	r->carry = 0;
	end->executed += instructions;
	end->instructions = instructions > end->instructions ? instructions : end->instructions;
	return !r->detector.failed && count_hit(r, hit, instructions) && draw(r, step->end, hit.hotspot);
}

bool pf_hotspot_run_edge(struct pf_hotspot_run *r, uint32_t number)
{
	const struct pf_edge_steps *edge = &r->steps.edges.at[number];

	if (r->began && r->carry_to != edge->start) {
		r->gaps++;
		drop_carry(r);
	}
	r->unread += edge->unread;
	for (uint32_t i = 0; i < edge->count; i++) {
		const struct pf_branch_step *step = &r->steps.steps.at[edge->first + i];

		r->executed += step->instructions;
		if (!feed(r, edge->process, step, edge->to))
			return false;
	}
	r->executed += edge->tail;
	if (edge->tail) {
		r->carry += edge->tail;
		r->carry_end = edge->tail_end;
	}
	r->carry_to = edge->to;
	r->began = true;
	return true;
}

void pf_hotspot_run_cut(struct pf_hotspot_run *r)
{
	drop_carry(r);
	r->began = false;
}

/* --- the run's edges ---------------------------------------------------------------------------------------------- */

static bool add_edge(void *context, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	struct pf_hotspot_run *r = context;

	return pf_branch_steps_add(&r->steps, edge, from) == PF_OK;
}

static bool run_edge(void *context, uint32_t number)
{
	return pf_hotspot_run_edge(context, number);
}

static void cut_run(void *context, uint32_t thread)
{
	(void)thread;
	pf_hotspot_run_cut(context);
}

static void end_process(void *context, uint32_t number)
{
	struct pf_hotspot_run *r = context;

	pf_hotspots_end_process(&r->detector, number);
}

struct pf_branch_sink pf_hotspot_run_sink(struct pf_hotspot_run *r)
{
	return (struct pf_branch_sink) { r, add_edge, run_edge, cut_run, end_process, NULL };
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

int pf_hotspot_run_table(struct pf_hotspot_run *r, struct pf_hotspot_table *table)
{
	const struct pf_monitor_table *monitor = &r->detector.monitor;
	uint32_t *hot = calloc(r->steps.ends.count + 1, sizeof *hot); /* last hot spot that has it, plus 1 */

	pf_hotspot_run_cut(r);
	*table = (struct pf_hotspot_table) { .hotspots = r->detector.spots.count, .executed = r->executed };
	if (!hot || !end_sample(r) || !extend(&r->accounts, r->detector.spots.count) ||
	    !extend(&r->members, monitor->members.count)) {
		free(hot);
		return PF_ENOMEM;
	}
	for (size_t i = 0; i < monitor->members.count; i++) {
		const struct pf_monitor_member *member = &monitor->members.at[i];

		if (hot[member->tag] != member->hotspot + 1)
			r->accounts.at[member->hotspot].instructions += r->steps.ends.at[member->tag].instructions;
		hot[member->tag] = member->hotspot + 1;
	}
	for (size_t i = 0; i < r->accounts.count; i++) {
		table->delivered += r->accounts.at[i].instructions;
		table->after += r->accounts.at[i].executed;
	}
	for (size_t i = 0; i < r->steps.ends.count; i++) {
		const struct pf_block_end *end = &r->steps.ends.at[i];

		table->seen += end->executed ? end->instructions : 0;
		table->distinct += hot[i] ? end->instructions : 0;
		table->in_hotspots += hot[i] ? end->executed : 0;
	}
	free(hot);
	return PF_OK;
}

static int by_name(const void *a, const void *b)
{
	const struct pf_hotspot_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->module, y->module);
}

static int by_executed(const void *a, const void *b)
{
	const struct pf_hotspot_function *x = a, *y = b;

	if (x->executed != y->executed)
		return x->executed < y->executed ? 1 : -1;
	return by_name(a, b);
}

struct pf_hotspot_function *pf_hotspot_run_functions(struct pf_hotspot_run *r, uint32_t hotspot, size_t *count)
{
	const struct pf_monitor_table *monitor = &r->detector.monitor;
	uint32_t first = pf_monitor_table_first(monitor, hotspot),
		 end_of = pf_monitor_table_first(monitor, hotspot + 1);
	struct pf_hotspot_function *list = calloc((size_t)(end_of - first) + 1, sizeof *list);
	size_t filled = 0, kept = 0;

	for (uint32_t i = first; list && i < end_of; i++) {
		const struct pf_block_end *end = &r->steps.ends.at[monitor->members.at[i].tag];
		const char *name = pf_branch_steps_function(&r->steps, end);

		list[filled++] =
		    (struct pf_hotspot_function) { name ? name : "?", pf_branch_steps_module(&r->steps, end),
						   r->members.at[i] };
	}
	if (filled)
		qsort(list, filled, sizeof *list, by_name);
	for (size_t i = 0; i < filled; i++) {
		if (kept && by_name(&list[kept - 1], &list[i]) == 0)
			list[kept - 1].executed += list[i].executed;
		else
			list[kept++] = list[i];
	}
	if (kept)
		qsort(list, kept, sizeof *list, by_executed);
	*count = kept;
	return list;
}
