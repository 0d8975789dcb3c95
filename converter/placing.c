/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See placing.h.  The hard case is a transfer of which one side is in a module that is not here: the other side counts
 * all the same. */
#include "converter/placing.h"
#include "converter/code.h"

static int compare_jumps(const void *a, const void *b)
{
	const struct pf_jump *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to_module != y->to_module)
		return x->to_module < y->to_module ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static int compare_arrivals(const void *a, const void *b)
{
	const struct pf_arrival *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int compare_levels(const void *a, const void *b)
{
	const struct pf_level *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_samples(const void *a, const void *b)
{
	const struct pf_traffic_sample *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The order among those of one instruction does not matter: they are added up. */
static int compare_values(const void *a, const void *b)
{
	const struct pf_traffic_value *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool touch(struct pf_program_module *m, uint64_t address)
{
	uint64_t *new = pf_array_push(&m->touched);

	if (new)
		*new = address;
	return new != NULL;
}

static bool level(struct pf_program_module *m, uint64_t address, uint64_t change)
{
	struct pf_level *new = pf_array_push(&m->levels);

	if (new)
		*new = (struct pf_level) { .address = address, .sum = change };
	return new != NULL;
}

/* The edge by virtual addresses; a module that is not there becomes PF_NO_MODULE, and false means neither is. */
static bool move_edge(const struct pf_program *p, const struct pf_traffic_edge *e, struct pf_jump *jump, bool *from,
		      bool *to)
{
	*from = pf_program_address(p, e->from_module, e->from, &jump->from) &&
		pf_program_address(p, e->from_module, e->start, &jump->start) && jump->start <= jump->from;
	*to = pf_program_address(p, e->to_module, e->to, &jump->to);
	jump->to_module = *to ? e->to_module : PF_NO_MODULE;
	jump->weight = e->weight;
	jump->kind = e->kind;
	if (!e->kind && *from)
		jump->kind = pf_code_step(&p->modules[e->from_module].binary.elf, jump->from).kind;
	return *from || *to;
}

static bool add_edge(struct pf_program *p, uint32_t index)
{
	const struct pf_traffic_edge *e = &p->traffic->edges.at[index];
	struct pf_jump *jump = &p->edges[index];
	bool from, to, good = true;

	jump->edge = index;
	if (!move_edge(p, e, jump, &from, &to))
		return true;
	if (from) {
		struct pf_program_module *m = &p->modules[e->from_module];
		struct pf_jump *new = pf_array_push(&m->jumps);

		if (new)
			*new = *jump;
		/* Unsigned wrap makes the second change a subtraction. */
		good = new &&touch(m, jump->start) && touch(m, jump->from) && level(m, jump->start, jump->weight) &&
		       level(m, jump->from + 1, 0 - jump->weight);
	}
	if (to && good) {
		struct pf_program_module *m = &p->modules[e->to_module];
		struct pf_arrival *new = pf_array_push(&m->arrivals);

		if (new)
			*new = (struct pf_arrival) { .to = jump->to,
						     .from = from ? jump->from : 0,
						     .from_module = from ? e->from_module : PF_NO_MODULE,
						     .kind = jump->kind,
						     .weight = jump->weight,
						     .edge = index };
		good = new &&touch(m, jump->to);
	}
	return good;
}

static bool add_sample(struct pf_program *p, const struct pf_traffic_sample *s)
{
	struct pf_program_module *m = &p->modules[s->module];
	struct pf_traffic_sample *new;
	uint64_t address;

	if (!pf_program_address(p, s->module, s->offset, &address))
		return true;
	new = pf_array_push(&m->samples);
	if (new) {
		*new = *s;
		new->offset = address;
	}
	return new &&touch(m, address);
}

/* What has values ran, and so is touched by a branch, too. */
static bool add_value(struct pf_program *p, const struct pf_traffic_value *value)
{
	struct pf_traffic_value *new;
	uint64_t address;

	if (!pf_program_address(p, value->module, value->offset, &address))
		return true;
	new = pf_array_push(&p->modules[value->module].values);
	if (new)
		*new = (struct pf_traffic_value) { value->module, address, value->value };
	return new;
}

static void sum_levels(struct pf_program_module *m)
{
	size_t kept = 0;
	uint64_t sum = 0;

	pf_array_sort(&m->levels, compare_levels);
	for (size_t i = 0; i < m->levels.count; i++) {
		uint64_t address = m->levels.at[i].address;

		sum += m->levels.at[i].sum;
		if (kept > 0 && m->levels.at[kept - 1].address == address)
			kept--;
		m->levels.at[kept++] = (struct pf_level) { address, sum };
	}
	m->levels.count = kept;
}

void pf_placing_sort(struct pf_program_module *m)
{
	size_t kept = 0;

	pf_array_sort(&m->jumps, compare_jumps);
	pf_array_sort(&m->arrivals, compare_arrivals);
	pf_array_sort(&m->samples, compare_samples);
	pf_array_sort(&m->values, compare_values);
	pf_array_sort(&m->touched, compare_addresses);
	for (size_t i = 0; i < m->touched.count; i++) {
		if (kept == 0 || m->touched.at[kept - 1] != m->touched.at[i])
			m->touched.at[kept++] = m->touched.at[i];
	}
	m->touched.count = kept;
	sum_levels(m);
}

int pf_placing_run(struct pf_program *p, const bool *impossible, struct pf_error *error)
{
	bool good = true;

	for (size_t i = 0; i < p->traffic->edges.count && good; i++)
		good = impossible[i] || add_edge(p, (uint32_t)i);
	for (size_t i = 0; i < p->traffic->samples.count && good; i++)
		good = add_sample(p, &p->traffic->samples.at[i]);
	for (size_t i = 0; i < p->traffic->values.count && good; i++)
		good = add_value(p, &p->traffic->values.at[i]);
	return good ? PF_OK
		    : pf_fail(error, PF_ENOMEM, "out of memory while placing %zu branches", p->traffic->edges.count);
}
