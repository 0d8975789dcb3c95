/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the truth mode.  Sampled counts have a unit of their own, so estimates are compared after bringing
 * them to the truth's sum; what remains is how the counts are spread over the blocks. */
#include "plugin/figures.h"

static double distance(double a, double b)
{
	return a < b ? b - a : a - b;
}

void pf_compare_blocks(struct pf_comparison *c, const uint64_t *estimate, const uint64_t *truth, size_t count)
{
	double estimates = 0, truths = 0, scale;

	for (size_t i = 0; i < count; i++) {
		estimates += (double)estimate[i];
		truths += (double)truth[i];
	}
	scale = estimates > 0 ? truths / estimates : 0;
	for (size_t i = 0; i < count; i++)
		c->difference += distance((double)estimate[i] * scale, (double)truth[i]);
	c->truth += truths;
	c->estimate += estimates;
}

void pf_compare_branch(struct pf_comparison *c, double estimated, double true_probability, uint64_t count)
{
	c->branch_weight += (double)count;
	c->branch_difference += distance(estimated, true_probability) * (double)count;
	if ((estimated > .5 && true_probability < .5) || (estimated < .5 && true_probability > .5))
		c->misdirected += distance(2 * true_probability, 1) * (double)count;
	else if (estimated == .5)
		c->misdirected += distance(true_probability, .5) * (double)count;
}

double pf_compare_block_error(const struct pf_comparison *c)
{
	return c->truth > 0 ? c->difference / c->truth : 0;
}

double pf_compare_branch_error(const struct pf_comparison *c)
{
	return c->branch_weight > 0 ? c->branch_difference / c->branch_weight : 0;
}
