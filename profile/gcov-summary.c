/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gcov-summary.h.  GCC takes from it what is hot: the count at which 99% of all executions are reached.  Hard case:
 * sums of a long profile, which do not fit in 64 bits before they are compared. */
#include "profile/gcov-summary.h"
#include "profile/gcov-format.h"

#include <stdlib.h>

/* Millionths of all executions; GCC asserts that there are sixteen. */
static const uint32_t cutoffs[] = { 10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
				    800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999 };

#define CUTOFFS (sizeof cutoffs / sizeof cutoffs[0])
#define MILLION 1000000

struct counts {
	uint64_t *items; /* of the lines of kept instances, highest first */
	size_t count;
	unsigned __int128 total;
	uint64_t highest_head, functions;
};

static int descending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static int collect(const struct pf_gcov_tree *tree, struct counts *c, struct pf_error *error)
{
	size_t lines = 0;

	for (uint32_t i = 1; i < tree->instance_count; i++)
		lines += tree->instances[i].line_count;
	*c = (struct counts) { .items = calloc(lines + 1, sizeof *c->items) };
	if (!c->items)
		return pf_fail(error, PF_ENOMEM, "out of memory for the summary of a profile");
	for (uint32_t i = 1; i < tree->instance_count; i++) {
		const struct pf_gcov_instance *instance = &tree->instances[i];

		for (uint32_t l = 0; instance->kept && l < instance->line_count; l++) {
			c->items[c->count++] = instance->lines[l].count;
			c->total += instance->lines[l].count;
		}
		if (instance->kept && instance->parent == PF_GCOV_ROOT) {
			c->functions++;
			c->highest_head = instance->head > c->highest_head ? instance->head : c->highest_head;
		}
	}
	qsort(c->items, c->count, sizeof *c->items, descending);
	return PF_OK;
}

static void put_cutoffs(struct pf_buffer *out, const struct counts *c)
{
	unsigned __int128 sum = 0;
	size_t taken = 0;

	for (size_t i = 0; i < CUTOFFS; i++) {
		while (taken < c->count && sum * MILLION < c->total * cutoffs[i])
			sum += c->items[taken++];
		pf_buffer_u32(out, cutoffs[i]);
		pf_buffer_u64(out, taken ? c->items[taken - 1] : 0);
		pf_buffer_u64(out, taken);
	}
}

int pf_gcov_summary_put(struct pf_buffer *out, const struct pf_gcov_tree *tree, struct pf_error *error)
{
	struct counts c;
	int status = collect(tree, &c, error);

	if (status == PF_OK) {
		pf_buffer_u32(out, GCOV_TAG_SUMMARY);
		pf_buffer_u64(out, c.total > UINT64_MAX ? UINT64_MAX : (uint64_t)c.total);
		pf_buffer_u64(out, c.count ? c.items[0] : 0);
		pf_buffer_u64(out, c.highest_head);
		pf_buffer_u64(out, c.count);
		pf_buffer_u64(out, c.functions);
		pf_buffer_u64(out, CUTOFFS);
		put_cutoffs(out, &c);
	}
	free(c.items);
	return status;
}
