/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See fdata.h.  The hard case is a call at the end of a block: what comes back from it goes on into the next block,
 * which no branch stack says; so arrivals from outside at a block's start count for the way from the call as well,
 * where it is known that straight code followed. */
#include "converter/fdata.h"
#include "converter/bolt-blocks.h"
#include "converter/bolt-functions.h"
#include "support/search.h"

#include <inttypes.h>

/* In a function; none: outside of all of them. */
struct place {
	const struct pf_bolt_function *function;
	uint64_t offset;
};

struct line {
	struct place from, to;
	uint64_t missed, weight;
};

struct fdata {
	const struct pf_program *program;
	const struct pf_program_module *module;
	uint32_t index; /* of the module */
	struct pf_bolt_functions functions;
	PF_ARRAY(struct line) lines;
	PF_ARRAY(uint64_t) returns; /* where parts jump to in other functions; sorted */
	PF_ARRAY(uint64_t) labels;  /* of the function in hand */
};

static struct place place_of(const struct fdata *f, bool here, uint64_t address)
{
	struct place place = { 0 };

	if (here)
		place.function = pf_bolt_functions_at(&f->functions, address);
	if (place.function)
		place.offset = address - place.function->start;
	return place;
}

static bool add_line(struct fdata *f, struct place from, struct place to, uint64_t missed, uint64_t weight)
{
	struct line *new = pf_array_push(&f->lines);

	if (new)
		*new = (struct line) { from, to, missed, weight };
	return new != NULL;
}

static int add_branches(struct fdata *f, struct pf_fdata_account *account)
{
	const struct pf_traffic *t = f->program->traffic;

	for (size_t i = 0; i < t->edges.count; i++) {
		const struct pf_traffic_edge *e = &t->edges.at[i];
		const struct pf_jump *jump = &f->program->edges[i];
		bool ours = e->from_module == f->index && jump->from > 0;
		struct place from = place_of(f, ours, jump->from);
		struct place to = place_of(f, jump->to_module == f->index, jump->to);

		if (ours)
			account->weight = pf_sum(account->weight, jump->weight);
		if (from.function)
			account->known = pf_sum(account->known, jump->weight);
		if (jump->weight == 0 || e->kind == PF_EDGE_FALL || (!from.function && !to.function))
			continue;
		if (!add_line(f, from, to, e->missed, jump->weight))
			return PF_ENOMEM;
	}
	return PF_OK;
}

/* The way from BLOCK on to the next was taken so often. */
static bool add_way(struct fdata *f, const struct pf_bolt_function *function, const struct pf_bolt_blocks *b,
		    uint32_t block, uint64_t weight)
{
	const struct pf_insn *insns = b->code.insns.at;
	uint64_t from = insns[b->list.at[block].last].address, to = insns[b->list.at[block + 1].first].address;

	return add_line(f, (struct place) { function, from - function->start },
			(struct place) { function, to - function->start }, 0, weight);
}

/* The straight code in front of JUMP, whose source is in FUNCTION; of what ended without a branch, up to where it went
 * on. */
static bool add_run(struct fdata *f, const struct pf_bolt_function *function, const struct pf_bolt_blocks *b,
		    const struct pf_jump *jump)
{
	bool fell = jump->kind == PF_EDGE_FALL && jump->to_module == f->index && jump->to > jump->from &&
		    jump->to < function->end;
	uint32_t first, last;
	bool good = true;

	if (jump->start < function->start ||
	    !pf_bolt_blocks_between(b, jump->start, fell ? jump->to : jump->from, &first, &last))
		return true;
	for (uint32_t k = first; k < last && good; k++)
		good = add_way(f, function, b, k, jump->weight);
	return good;
}

static bool is_outside(const struct fdata *f, const struct pf_bolt_function *function, const struct pf_arrival *a)
{
	return a->from_module != f->index || a->from < function->start || a->from >= function->end;
}

/* What came back to A->to from a call that ends the block before. */
static bool add_return(struct fdata *f, const struct pf_bolt_function *function, const struct pf_bolt_blocks *b,
		       const struct pf_arrival *a)
{
	uint64_t followed = a->weight - f->program->traffic->edges.at[a->edge].ended;
	uint32_t block = followed > 0 && is_outside(f, function, a) ? pf_bolt_blocks_returning(b, a->to) : PF_NO_INSN;

	return block == PF_NO_INSN || add_way(f, function, b, block, followed);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Lists where the part PART of a function jumps to out of it. */
static bool list_returns(struct fdata *f, const struct pf_bolt_function *part)
{
	const struct pf_range range = { part->start, part->end };
	struct pf_code code = { 0 };
	bool good = pf_code_decode(&f->module->binary.elf, &range, &code) == PF_OK;

	for (size_t i = 0; i < code.insns.count && good; i++) {
		const struct pf_insn *insn = &code.insns.at[i];
		bool leaves = (insn->kind == PF_EDGE_COND || insn->kind == PF_EDGE_JUMP) &&
			      (insn->target < part->start || insn->target >= part->end);
		uint64_t *new = leaves ? pf_array_push(&f->returns) : NULL;

		if (new)
			*new = insn->target;
		good = new || !leaves;
	}
	pf_code_fini(&code);
	return good;
}

/* A function's cold part jumps back into it, seldom as that is, and so divides its blocks. */
static int list_all_returns(struct fdata *f)
{
	for (size_t i = 0; i < f->functions.list.count; i++) {
		const struct pf_bolt_function *part = &f->functions.list.at[i];

		if (strstr(part->name + pf_name_elide(part->name), ".cold") && !list_returns(f, part))
			return PF_ENOMEM;
	}
	pf_array_sort(&f->returns, compare_addresses);
	return PF_OK;
}

static size_t first_return(const struct fdata *f, uint64_t address)
{
	struct pf_search search = pf_search_over(f->returns.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, f->returns.at[search.middle] < address);
	return search.low;
}

static bool add_label(struct fdata *f, uint64_t address)
{
	uint64_t *new = pf_array_push(&f->labels);

	if (new)
		*new = address;
	return new != NULL;
}

/* What is jumped to in FUNCTION: by its other part, or as recorded from the arrival number FIRST on. */
static bool list_labels(struct fdata *f, const struct pf_bolt_function *function, size_t first)
{
	bool good = true;

	f->labels.count = 0;
	for (size_t i = first; good && i < f->module->arrivals.count && f->module->arrivals.at[i].to < function->end;
	     i++) {
		const struct pf_arrival *a = &f->module->arrivals.at[i];

		if (pf_edge_is_jump(a->kind))
			good = add_label(f, a->to);
	}
	for (size_t i = first_return(f, function->start);
	     good && i < f->returns.count && f->returns.at[i] < function->end; i++)
		good = add_label(f, f->returns.at[i]);
	return good;
}

/* The ways between blocks of FUNCTION, in which the jumps from FIRST to before END are. */
static int add_ways(struct fdata *f, const struct pf_bolt_function *function, size_t first, size_t end)
{
	const struct pf_range range = { function->start, function->end };
	size_t arrival = pf_program_first_arrival(f->module, function->start);
	struct pf_bolt_blocks blocks = { 0 };
	bool good = list_labels(f, function, arrival) && pf_bolt_blocks_find(&blocks, &f->module->binary.elf, &range,
									     f->labels.at, f->labels.count) == PF_OK;

	for (size_t i = first; i < end && good; i++)
		good = add_run(f, function, &blocks, &f->module->jumps.at[i]);
	for (size_t i = arrival; good && i < f->module->arrivals.count && f->module->arrivals.at[i].to < function->end;
	     i++)
		good = add_return(f, function, &blocks, &f->module->arrivals.at[i]);
	pf_bolt_blocks_fini(&blocks);
	return good ? PF_OK : PF_ENOMEM;
}

static int add_all_ways(struct fdata *f)
{
	const struct pf_jump *jumps = f->module->jumps.at;
	size_t count = f->module->jumps.count, end;
	int status = list_all_returns(f);

	for (size_t i = 0; i < count && status == PF_OK; i = end) {
		const struct pf_bolt_function *function = pf_bolt_functions_at(&f->functions, jumps[i].from);

		for (end = i + 1; function && end < count && jumps[end].from < function->end; end++)
			;
		if (function)
			status = add_ways(f, function, i, end);
	}
	return status;
}

/* Plain samples: lines that go nowhere. */
static int add_samples(struct fdata *f, struct pf_fdata_account *account)
{
	for (size_t i = 0; i < f->module->samples.count; i++) {
		const struct pf_traffic_sample *s = &f->module->samples.at[i];
		struct place at = place_of(f, true, s->offset);

		account->weight = pf_sum(account->weight, s->weight);
		if (!at.function)
			continue;
		account->known = pf_sum(account->known, s->weight);
		if (!add_line(f, at, (struct place) { 0 }, 0, s->weight))
			return PF_ENOMEM;
	}
	return PF_OK;
}

static int compare_places(const struct place *x, const struct place *y)
{
	/* Functions are elements of one array, by address; none is in front of them. */
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = compare_places(&x->from, &y->from);

	return order ? order : compare_places(&x->to, &y->to);
}

/* Adds up the lines of one way. */
static void sum_lines(struct fdata *f)
{
	size_t kept = 0;

	pf_array_sort(&f->lines, compare_lines);
	for (size_t i = 0; i < f->lines.count; i++) {
		struct line *line = &f->lines.at[i], *last = kept > 0 ? &f->lines.at[kept - 1] : NULL;

		if (last && compare_lines(last, line) == 0) {
			last->weight = pf_sum(last->weight, line->weight);
			last->missed = pf_sum(last->missed, line->missed);
		} else {
			f->lines.at[kept++] = *line;
		}
	}
	f->lines.count = kept;
}

static uint64_t count_of(uint64_t weight)
{
	return weight / PF_WEIGHT_ONE + (weight % PF_WEIGHT_ONE >= PF_WEIGHT_ONE / 2);
}

static void print_place(struct pf_buffer *out, const struct place *place)
{
	if (place->function) {
		pf_buffer_printf(out, "1 ");
		pf_bolt_function_print(out, place->function);
	} else {
		pf_buffer_printf(out, "0 [unknown]");
	}
	pf_buffer_printf(out, " %" PRIx64 " ", place->offset);
}

/* Without branches they are SAMPLES. */
static void print_lines(const struct fdata *f, bool samples, struct pf_buffer *out)
{
	for (size_t i = 0; i < f->lines.count; i++) {
		const struct line *line = &f->lines.at[i];

		if (count_of(line->weight) == 0)
			continue;
		print_place(out, &line->from);
		if (!samples) {
			print_place(out, &line->to);
			pf_buffer_printf(out, "%" PRIu64 " ", count_of(line->missed));
		}
		pf_buffer_printf(out, "%" PRIu64 "\n", count_of(line->weight));
	}
}

static size_t count_functions(const struct fdata *f)
{
	const struct pf_bolt_function *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < f->lines.count; i++) {
		count += f->lines.at[i].from.function && f->lines.at[i].from.function != last;
		last = f->lines.at[i].from.function;
	}
	return count;
}

int pf_fdata_print(const struct pf_program *p, uint32_t module, const char *event, struct pf_buffer *out,
		   struct pf_fdata_account *account, struct pf_error *error)
{
	struct fdata f = { .program = p, .module = &p->modules[module], .index = module };
	struct pf_elf *elf = &p->modules[module].binary.elf;
	bool samples = p->traffic->edges.count == 0;
	int status = pf_bolt_functions_read(elf, &f.functions, error);

	*account = (struct pf_fdata_account) { 0 };
	if (status == PF_OK) {
		status = samples ? add_samples(&f, account) : add_branches(&f, account);
		if (status == PF_OK && !samples)
			status = add_all_ways(&f);
		if (status < 0)
			pf_fail(error, status, "%s: out of memory", elf->path);
	}
	if (status == PF_OK) {
		sum_lines(&f);
		account->functions = count_functions(&f);
		if (account->known == 0)
			status = pf_fail(
			    error, PF_EEMPTY,
			    "%s: nothing of what was recorded ran in a function of its symbols; record a longer "
			    "run, and do not strip it",
			    elf->path);
	}
	if (status == PF_OK) {
		if (samples)
			pf_buffer_printf(out, "no_lbr %s\n", event);
		print_lines(&f, samples, out);
	}
	pf_array_fini(&f.lines);
	pf_array_fini(&f.returns);
	pf_array_fini(&f.labels);
	pf_bolt_functions_fini(&f.functions);
	return status;
}
