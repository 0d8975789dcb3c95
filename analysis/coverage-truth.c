/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See coverage-truth.h.  The hard case is what the flow graph takes for dead and was executed all the same: it belongs
 * to the truth, so that a fault of the graph shows as code that was not found. */
#include "analysis/coverage-truth.h"

#include <math.h>

struct item {
	uint64_t count, single, seen, address;
	uint8_t kinds;
};

struct items {
	PF_ARRAY(struct item) list;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int add_block(struct items *items, const struct pf_coverage *c, const struct pf_exact_counts *counts,
		     uint32_t function, uint32_t block)
{
	const struct pf_subject_function *f = &c->subject->functions.at[function];
	const struct pf_coverage_block *b = &c->functions[function].blocks[block];
	const struct pf_code_block *m = &f->machine.blocks[block];

	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t address = f->code.insns.at[m->first + i].address;
		uint64_t count = pf_exact_count(counts, address);
		struct item *new = b->live || count > 0 ? pf_array_push(&items->list) : NULL;

		if (new)
			*new = (struct item) { count, b->single, b->seen, address, b->kinds };
		else if (b->live || count > 0)
			return PF_ENOMEM;
	}
	return PF_OK;
}

static int list_items(struct items *items, const struct pf_coverage *c, const struct pf_exact_counts *counts)
{
	int status = PF_OK;

	for (uint32_t f = 0; f < c->subject->functions.count; f++) {
		for (uint32_t b = 0; b < c->subject->functions.at[f].machine.block_count && status == PF_OK; b++)
			status = add_block(items, c, counts, f, b);
	}
	pf_array_sort(&items->list, compare_items);
	return status;
}

static void count_found(const struct items *items, struct pf_coverage_truth *truth)
{
	for (size_t i = 0; i < items->list.count; i++) {
		const struct item *item = &items->list.at[i];

		truth->executed += item->count > 0;
		for (int kind = 0; kind < PF_COVERAGE_KINDS; kind++) {
			truth->found[kind] += item->count > 0 && (item->kinds >> kind & 1);
			truth->wrong[kind] += item->count == 0 && (item->kinds >> kind & 1);
		}
	}
}

/* What ran stands first in the list, the most frequent in front. */
static void find_tenths(const struct items *items, struct pf_coverage_truth *truth)
{
	for (uint64_t tenth = 0; tenth < PF_COVERAGE_TENTHS; tenth++) {
		uint64_t from = truth->executed * tenth / PF_COVERAGE_TENTHS;
		uint64_t to = truth->executed * (tenth + 1) / PF_COVERAGE_TENTHS;

		for (int kind = 0; kind < PF_COVERAGE_KINDS; kind++) {
			uint64_t found = 0;

			for (uint64_t i = from; i < to; i++)
				found += items->list.at[i].kinds >> kind & 1;
			truth->tenths[tenth][kind] = to > from ? (double)found / (double)(to - from) : 1;
		}
	}
}

static double find_entropy(const struct items *items, bool single)
{
	double counts = 0, weights = 0, sum = 0;

	for (size_t i = 0; i < items->list.count; i++) {
		const struct item *item = &items->list.at[i];

		counts += (double)item->count;
		weights += (double)(single ? item->single : item->seen) + PF_WEIGHT_ONE / 2.0;
	}
	for (size_t i = 0; i < items->list.count; i++) {
		const struct item *item = &items->list.at[i];
		double p = (double)item->count / counts;
		double q = ((double)(single ? item->single : item->seen) + PF_WEIGHT_ONE / 2.0) / weights;

		sum += p > 0 ? p * log2(p / q) : 0;
	}
	return sum;
}

int pf_coverage_compare(const struct pf_coverage *c, const struct pf_exact_counts *counts,
			struct pf_coverage_truth *truth, struct pf_error *error)
{
	struct items items = { 0 };
	int status = list_items(&items, c, counts);

	*truth = (struct pf_coverage_truth) { 0 };
	if (status < 0) {
		pf_fail(error, status, "%s: out of memory", c->subject->module.binary.elf.path);
	} else {
		count_found(&items, truth);
		if (truth->executed == 0)
			status = pf_fail(error, PF_EEMPTY,
					 "%s: none of its functions is in the exact counts; run this very binary under "
					 "callgrind",
					 c->subject->module.binary.elf.path);
	}
	if (status == PF_OK) {
		find_tenths(&items, truth);
		truth->entropy_single = find_entropy(&items, true);
		truth->entropy_vectors = find_entropy(&items, false);
	}
	pf_array_fini(&items.list);
	return status;
}
