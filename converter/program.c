/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See program.h.  The hard case is a system library without debug information in nearly every recording: it is noted
 * and left out, and only when nothing at all can be mapped is that an error. */
#include "converter/program.h"
#include "converter/code.h"

#include <stdio.h>

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

static int compare_extents(const void *a, const void *b)
{
	const struct pf_extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int compare_samples(const void *a, const void *b)
{
	const struct pf_traffic_sample *x = a, *y = b;

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

static bool has_file(const struct pf_program *p, uint32_t module)
{
	return module != PF_NO_MODULE && p->modules[module].binary.elf.path;
}

/* The edge by virtual addresses; a module that is not there becomes PF_NO_MODULE, and false means neither is. */
static bool move_edge(const struct pf_program *p, const struct pf_traffic_edge *e, struct pf_jump *jump, bool *from,
		      bool *to)
{
	const struct pf_elf *elf = has_file(p, e->from_module) ? &p->modules[e->from_module].binary.elf : NULL;

	*from = elf && pf_elf_address(elf, e->from, &jump->from) && pf_elf_address(elf, e->start, &jump->start) &&
		jump->start <= jump->from;
	*to = has_file(p, e->to_module) && pf_elf_address(&p->modules[e->to_module].binary.elf, e->to, &jump->to);
	jump->to_module = *to ? e->to_module : PF_NO_MODULE;
	jump->weight = e->weight;
	jump->kind = e->kind ? e->kind : *from ? pf_code_kind_at(elf, jump->from) : 0;
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
						     .weight = jump->weight };
		good = new &&touch(m, jump->to);
	}
	return good;
}

static bool add_sample(struct pf_program *p, const struct pf_traffic_sample *s)
{
	struct pf_program_module *m = &p->modules[s->module];
	struct pf_traffic_sample *new;
	uint64_t address;

	if (!has_file(p, s->module) || !pf_elf_address(&m->binary.elf, s->offset, &address))
		return true;
	new = pf_array_push(&m->samples);
	if (new)
		*new = (struct pf_traffic_sample) { s->module, address, s->weight };
	return new &&touch(m, address);
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

static void sort_module(struct pf_program_module *m)
{
	size_t kept = 0;

	pf_array_sort(&m->jumps, compare_jumps);
	pf_array_sort(&m->arrivals, compare_arrivals);
	pf_array_sort(&m->samples, compare_samples);
	pf_array_sort(&m->touched, compare_addresses);
	for (size_t i = 0; i < m->touched.count; i++) {
		if (kept == 0 || m->touched.at[kept - 1] != m->touched.at[i])
			m->touched.at[kept++] = m->touched.at[i];
	}
	m->touched.count = kept;
	sum_levels(m);
}

static int list_extents(struct pf_program_module *m)
{
	for (size_t i = 0; i < m->source.functions.count; i++) {
		const struct pf_source_function *f = &m->source.functions.at[i];

		for (uint32_t k = 0; k < f->nodes.at[0].range_count; k++) {
			struct pf_extent *new = pf_array_push(&m->extents);

			if (!new)
				return PF_ENOMEM;
			*new = (struct pf_extent) { f->ranges.at[k].start, f->ranges.at[k].end, (uint32_t)i };
		}
	}
	pf_array_sort(&m->extents, compare_extents);
	return PF_OK;
}

static int open_module(struct pf_program *p, uint32_t index, const struct pf_locate_options *options,
		       struct pf_error *error)
{
	struct pf_program_module *m = &p->modules[index];
	int status = pf_binary_open(&p->traffic->modules.at[index], options, &m->binary, error);

	if (status == 0) {
		m->state = PF_MODULE_NOT_ASKED;
		snprintf(m->reason, sizeof m->reason, "not named with -b");
	} else if (status == PF_ENOTFOUND) {
		m->state = PF_MODULE_MISSING;
		snprintf(m->reason, sizeof m->reason, "no such file here");
	} else if (status > 0 && !m->binary.debug) {
		m->state = PF_MODULE_NO_DEBUG;
		snprintf(m->reason, sizeof m->reason, "%s", m->binary.reason);
		if (options->binary_count > 0)
			return pf_fail(
			    error, PF_ENODEBUG,
			    "%s: no debug information (%s); rebuild it with -g, install its -dbgsym package, "
			    "or give --debug-dir",
			    m->binary.elf.path, m->binary.reason);
	}
	return status < 0 && status != PF_ENOTFOUND ? status : PF_OK;
}

static int read_module(struct pf_program_module *m, struct pf_error *error)
{
	int status;

	sort_module(m);
	if (m->state != PF_MODULE_USED)
		return PF_OK;
	status = pf_source_read(m->binary.debug, m->touched.at, m->touched.count, &m->source, error);
	/* Of a binary in which nothing ran, only what it was compiled from is of interest. */
	if (m->touched.count == 0)
		return PF_OK;
	if (status == PF_OK && list_extents(m) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", m->binary.elf.path);
	return status;
}

static int fail_unused(const struct pf_program *p, uint32_t module, struct pf_error *error)
{
	const char *path = p->traffic->modules.at[module].path;

	if (p->modules[module].state == PF_MODULE_MISSING)
		return pf_fail(error, PF_ENOTFOUND,
			       "%s: was recorded, but is not on this machine; name it with -b or give --symfs "
			       "(to convert only libraries, name them with -b)",
			       path);
	return pf_fail(
	    error, PF_ENODEBUG,
	    "%s: no debug information (%s); rebuild it with -g, install its -dbgsym package, or give --debug-dir "
	    "(to convert only libraries, name them with -b)",
	    path, p->modules[module].reason);
}

/* Fails if nothing can be used, or if of the programs that ran none can: a profile of the C library alone is not what
 * anybody meant. */
static int check_any_used(const struct pf_program *p, struct pf_error *error)
{
	const struct pf_traffic *t = p->traffic;
	uint32_t hottest = UINT32_MAX, program = UINT32_MAX;
	bool used = false, program_used = false;

	for (uint32_t i = 0; i < t->modules.count; i++) {
		const struct pf_program_module *m = &p->modules[i];
		bool is_program =
		    m->binary.elf.path ? pf_elf_is_program(&m->binary.elf) : !strstr(t->modules.at[i].path, ".so");

		used |= m->state == PF_MODULE_USED;
		program_used |= is_program && m->state == PF_MODULE_USED;
		if (hottest == UINT32_MAX || t->modules.at[i].branches > t->modules.at[hottest].branches)
			hottest = i;
		if (is_program && (m->state == PF_MODULE_NO_DEBUG || m->state == PF_MODULE_MISSING) &&
		    (program == UINT32_MAX || t->modules.at[i].branches > t->modules.at[program].branches))
			program = i;
	}
	if (hottest == UINT32_MAX)
		return pf_fail(error, PF_EEMPTY, "the recording has no sample in any file's code; record a longer run");
	if (program != UINT32_MAX && !program_used)
		return fail_unused(p, program, error);
	return used ? PF_OK : fail_unused(p, hottest, error);
}

static int load_modules(struct pf_program *p, const struct pf_locate_options *options, struct pf_error *error)
{
	int status = PF_OK;

	for (uint32_t i = 0; i < p->traffic->modules.count && status == PF_OK; i++)
		status = open_module(p, i, options, error);
	return status == PF_OK ? check_any_used(p, error) : status;
}

static int place_traffic(struct pf_program *p, struct pf_error *error)
{
	bool good = true;

	for (size_t i = 0; i < p->traffic->edges.count && good; i++)
		good = add_edge(p, (uint32_t)i);
	for (size_t i = 0; i < p->traffic->samples.count && good; i++)
		good = add_sample(p, &p->traffic->samples.at[i]);
	return good ? PF_OK
		    : pf_fail(error, PF_ENOMEM, "out of memory while placing %zu branches", p->traffic->edges.count);
}

int pf_program_load(struct pf_program *p, const struct pf_traffic *t, const struct pf_locate_options *options,
		    struct pf_error *error)
{
	int status;

	*p = (struct pf_program) { .traffic = t };
	p->modules = calloc(t->modules.count + 1, sizeof *p->modules);
	p->edges = calloc(t->edges.count + 1, sizeof *p->edges);
	if (!p->modules || !p->edges)
		status = pf_fail(error, PF_ENOMEM, "out of memory for %zu branches", t->edges.count);
	else
		status = pf_locate_check(t, options, error);
	if (status == PF_OK)
		status = load_modules(p, options, error);
	if (status == PF_OK)
		status = place_traffic(p, error);
	for (uint32_t i = 0; i < t->modules.count && status == PF_OK; i++)
		status = read_module(&p->modules[i], error);
	if (status < 0)
		pf_program_fini(p);
	return status;
}

void pf_program_fini(struct pf_program *p)
{
	for (uint32_t i = 0; p->modules && i < p->traffic->modules.count; i++) {
		struct pf_program_module *m = &p->modules[i];

		pf_source_fini(&m->source);
		pf_binary_close(&m->binary);
		pf_array_fini(&m->jumps);
		pf_array_fini(&m->arrivals);
		pf_array_fini(&m->levels);
		pf_array_fini(&m->touched);
		pf_array_fini(&m->extents);
		pf_array_fini(&m->samples);
	}
	free(p->modules);
	free(p->edges);
	*p = (struct pf_program) { 0 };
}

uint32_t pf_program_function(const struct pf_program *p, uint32_t module, uint64_t address)
{
	const struct pf_program_module *m = &p->modules[module];
	size_t low = 0, high = m->extents.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->extents.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < m->extents.at[low - 1].end ? m->extents.at[low - 1].function : UINT32_MAX;
}

size_t pf_program_first_jump(const struct pf_program_module *m, uint64_t address)
{
	size_t low = 0, high = m->jumps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->jumps.at[middle].from < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t pf_program_first_arrival(const struct pf_program_module *m, uint64_t address)
{
	size_t low = 0, high = m->arrivals.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->arrivals.at[middle].to < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool in_plt(const struct pf_program_module *m, uint64_t address)
{
	for (size_t i = 0; i < m->binary.elf.sections.count; i++) {
		const struct pf_elf_section *s = &m->binary.elf.sections.at[i];

		if (strncmp(s->name, ".plt", 4) == 0 && address >= s->address && address - s->address < s->size)
			return true;
	}
	return false;
}

uint64_t pf_program_stub_weight(const struct pf_program_module *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->jumps.count; i++)
		sum = pf_sum(sum, in_plt(m, m->jumps.at[i].from) ? m->jumps.at[i].weight : 0);
	for (size_t i = 0; i < m->samples.count; i++)
		sum = pf_sum(sum, in_plt(m, m->samples.at[i].offset) ? m->samples.at[i].weight : 0);
	return sum;
}

/* Where the PLT stub at ADDRESS was seen to go most; stubs are 16 bytes long and aligned. */
static const struct pf_jump *stub_target(const struct pf_program_module *m, uint64_t address)
{
	const struct pf_jump *best = NULL;

	for (size_t i = pf_program_first_jump(m, address); i < m->jumps.count && m->jumps.at[i].from - address < 16;
	     i++) {
		const struct pf_jump *jump = &m->jumps.at[i];

		if (jump->to_module != PF_NO_MODULE && (!best || jump->weight > best->weight))
			best = jump;
	}
	return best;
}

const char *pf_program_name(const struct pf_program_module *m, uint32_t function, size_t *length)
{
	const struct pf_source_node *root = &m->source.functions.at[function].nodes.at[0];
	const char *name = m->source.origins.at[root->origin].name;
	const struct pf_elf_symbol *symbol = pf_elf_symbol_at(&m->binary.elf, root->entry);

	if (strncmp(name, "_Z", 2) != 0 && symbol && strncmp(symbol->name, "_Z", 2) == 0) {
		*length = pf_name_elide(symbol->name);
		return symbol->name;
	}
	*length = strlen(name);
	return name;
}

static const char *name_at(const struct pf_program_module *m, uint64_t address, uint32_t function, size_t *length)
{
	const struct pf_elf_symbol *symbol;

	if (function != UINT32_MAX) {
		const char *name = pf_program_name(m, function, length);

		return m->source.functions.at[function].nodes.at[0].entry == address && *length ? name : NULL;
	}
	symbol = pf_elf_symbol_at(&m->binary.elf, address);
	if (!symbol || !*symbol->name)
		return NULL;
	*length = pf_name_elide(symbol->name);
	return symbol->name;
}

const char *pf_program_entry(const struct pf_program *p, uint32_t module, uint64_t address, size_t *length)
{
	const struct pf_jump *stub =
	    in_plt(&p->modules[module], address) ? stub_target(&p->modules[module], address) : NULL;

	if (stub) {
		module = stub->to_module;
		address = stub->to;
	}
	return name_at(&p->modules[module], address, pf_program_function(p, module, address), length);
}

uint64_t pf_program_level(const struct pf_program_module *m, uint64_t address)
{
	size_t low = 0, high = m->levels.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->levels.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? m->levels.at[low - 1].sum : 0;
}
