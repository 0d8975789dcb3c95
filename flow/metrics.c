/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accuracy metrics over keyed weights; formulas and sources stand at the declarations.  The hard case is what has no
 * answer in the formula (empty profiles, keys that one side lacks): each is decided, and documented, rather than NaN.
 */
#include "flow/metrics.h"

#include <math.h>
#include <stdlib.h>

static double usable(double weight)
{
	return weight > 0 ? weight : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct pf_weight_pair *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

size_t pf_metrics_join(const struct pf_weight *estimate, size_t estimate_count, const struct pf_weight *actual,
		       size_t actual_count, struct pf_weight_pair **pairs)
{
	size_t count = 0;

	if (estimate_count > SIZE_MAX / 2 / sizeof(**pairs) || actual_count > SIZE_MAX / 2 / sizeof(**pairs))
		return SIZE_MAX;
	struct pf_weight_pair *all = malloc((estimate_count + actual_count + 1) * sizeof(*all));
	if (!all)
		return SIZE_MAX;
	for (size_t i = 0; i < estimate_count; i++)
		all[count++] = (struct pf_weight_pair) { estimate[i].key, usable(estimate[i].weight), 0 };
	for (size_t i = 0; i < actual_count; i++)
		all[count++] = (struct pf_weight_pair) { actual[i].key, 0, usable(actual[i].weight) };
	qsort(all, count, sizeof(*all), by_key);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (kept && all[kept - 1].key == all[i].key) {
			all[kept - 1].estimate += all[i].estimate;
			all[kept - 1].actual += all[i].actual;
		} else {
			all[kept++] = all[i];
		}
	}
	*pairs = all;
	return kept;
}

struct sums {
	double estimate, actual;
};

static struct sums sum_up(const struct pf_weight_pair *pairs, size_t count)
{
	struct sums sums = { 0, 0 };

	for (size_t i = 0; i < count; i++) {
		sums.estimate += pairs[i].estimate;
		sums.actual += pairs[i].actual;
	}
	return sums;
}

double pf_metrics_overlap(const struct pf_weight_pair *pairs, size_t count)
{
	struct sums sums = sum_up(pairs, count);
	double overlap = 0;

	if (sums.estimate == 0 || sums.actual == 0)
		return sums.estimate == sums.actual;
	for (size_t i = 0; i < count; i++)
		overlap += fmin(pairs[i].estimate / sums.estimate, pairs[i].actual / sums.actual);
	return fmin(overlap, 1);
}

static int by_branch(const void *a, const void *b)
{
	const struct pf_edge_pair *x = a, *y = b;

	if (x->branch != y->branch)
		return x->branch < y->branch ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Sorts EDGES and adds equal ones up; returns how many are left. */
static size_t add_edges_up(struct pf_edge_pair *edges, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(edges, count, sizeof(*edges), by_branch);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_branch(&edges[kept - 1], &edges[i]) == 0) {
			edges[kept - 1].estimate += edges[i].estimate;
			edges[kept - 1].actual += edges[i].actual;
		} else {
			edges[kept++] = edges[i];
		}
	}
	return kept;
}

/* The edges of one branch. */
struct branch_sum {
	struct sums total;
	bool agree; /* one way is a most frequent one of both profiles */
};

static struct branch_sum sum_branch(const struct pf_edge_pair *edges, size_t count)
{
	struct branch_sum sum = { 0 };
	double estimate = 0, actual = 0;

	for (size_t i = 0; i < count; i++) {
		sum.total.estimate += edges[i].estimate;
		sum.total.actual += edges[i].actual;
		estimate = fmax(estimate, edges[i].estimate);
		actual = fmax(actual, edges[i].actual);
	}
	for (size_t i = 0; i < count; i++)
		sum.agree |= edges[i].estimate == estimate && edges[i].actual == actual;
	return sum;
}

struct pf_direction_mismatch pf_metrics_mismatch(struct pf_edge_pair *edges, size_t count)
{
	struct pf_direction_mismatch mismatch = { 0 };
	struct sums all = { 0 }, wrong = { 0 };
	size_t ways;

	count = add_edges_up(edges, count);
	for (size_t i = 0; i < count; i += ways) {
		for (ways = 1; i + ways < count && edges[i + ways].branch == edges[i].branch;)
			ways++;
		struct branch_sum branch = sum_branch(&edges[i], ways);
		if (branch.total.estimate == 0 || branch.total.actual == 0)
			continue;
		mismatch.branches++;
		all.estimate += branch.total.estimate;
		all.actual += branch.total.actual;
		if (branch.agree)
			continue;
		mismatch.wrong++;
		wrong.estimate += branch.total.estimate;
		wrong.actual += branch.total.actual;
	}
	if (mismatch.branches)
		mismatch.share = (wrong.estimate / all.estimate + wrong.actual / all.actual) / 2;
	return mismatch;
}
