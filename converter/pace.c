/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pace.h.  The recorder took the time of some stretches of the program.  Each edge of the flow is given a cost,
 * such that the times of all stretches are the sums of the costs of what they ran; a burst's pace is what the costs say
 * of its first branches.
 *
 * The costs are found by multiplicative updates (Lucy, Astronomical Journal 79, 1974): each edge's cost is multiplied
 * with the mean of observed over expected time, over the stretches that ran it.  They stay positive, an edge that was
 * never timed keeps the median, and edges that always run together share what they took.  The hard case is a time that
 * is not the program's: an interrupt, or a virtual machine that lost the processor.  It can be a thousand times too
 * long, so what one stretch can say is bounded; and as the rounds are few and each edge has branches that resist, the
 * cost of one that was timed for few branches stays near the median (a fit that is stopped early is a regular one). */
#include "converter/pace.h"
#include "converter/halves.h"
#include "converter/traffic.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 40
#define MOST_SURPRISE 1.5  /* times more or less than expected, in a round */
#define MOST_TIMINGS 16384 /* that costs are drawn from: more would only take longer */
#define SILENT 1024.0      /* branches, a stretch's worth, that in each round say of each edge that its cost is right */
#define LOOK 128u          /* branches at the start of a burst that its pace is of */

struct fit {
	const struct pf_vectors *vectors;
	const uint32_t *ids;
	size_t edges;                /* the last stands for all without a number */
	double *cost, *total, *part; /* by edge */
	uint32_t stride;             /* of the timings that are used */
	unsigned half, deal;         /* of the recording that they are from; PF_PACE_ALL */
};

static size_t edge_of(const struct fit *f, uint32_t id)
{
	uint32_t edge = id < f->vectors->edge_count ? f->ids[id] : PF_NO_EDGE;

	return edge < f->edges ? edge : f->edges - 1;
}

/* Is timing I to be used?  They are in the order of their time. */
static bool is_timed(const struct fit *f, uint32_t i)
{
	struct pf_halves order = { .last = f->vectors->timing_count - 1, .deal = f->deal };
	const struct pf_vec_timing *t = &f->vectors->timings[i];

	return t->elapsed > 0 && t->share_count > 0 && (f->half == PF_PACE_ALL || f->half == pf_halves_deal(&order, i));
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Adds up which edges timing I ran; returns what a branch of it took. */
static double note(struct fit *f, uint32_t i)
{
	const struct pf_vec_timing *t = &f->vectors->timings[i];
	double branches = 0;

	for (uint32_t k = 0; k < t->share_count; k++) {
		branches += t->shares[k].count;
		f->total[edge_of(f, t->shares[k].edge)] += t->shares[k].count;
	}
	return branches > 0 ? (double)t->elapsed / branches : 0;
}

/* Begins with one cost for all, the median of what was timed: one stretch that lost the processor would be most of a
 * mean.  *ANY: something was timed.  PF_ENOMEM. */
static int begin(struct fit *f, bool *any)
{
	double *paces = calloc(f->vectors->timing_count, sizeof *paces);
	size_t count = 0;

	if (!paces)
		return PF_ENOMEM;
	for (uint32_t i = 0; i < f->vectors->timing_count; i += f->stride) {
		double pace = is_timed(f, i) ? note(f, i) : 0;

		if (pace > 0)
			paces[count++] = pace;
	}
	qsort(paces, count, sizeof *paces, compare);
	for (size_t i = 0; i < f->edges && count > 0; i++)
		f->cost[i] = paces[count / 2];
	*any = count > 0;
	free(paces);
	return PF_OK;
}

static double bounded(double ratio)
{
	return ratio > MOST_SURPRISE ? MOST_SURPRISE : ratio < 1 / MOST_SURPRISE ? 1 / MOST_SURPRISE : ratio;
}

static void add_surprise(struct fit *f, const struct pf_vec_timing *t)
{
	double expected = 0, surprise;

	for (uint32_t k = 0; k < t->share_count; k++)
		expected += f->cost[edge_of(f, t->shares[k].edge)] * t->shares[k].count;
	surprise = bounded((double)t->elapsed / expected);
	for (uint32_t k = 0; k < t->share_count; k++)
		f->part[edge_of(f, t->shares[k].edge)] += surprise * t->shares[k].count;
}

static void improve(struct fit *f)
{
	/* Half of the times against half of it: fitted as far as the whole, or what halves have in common would seem
	 * less than it is. */
	double silent = f->half == PF_PACE_ALL ? SILENT : SILENT / 2;

	memset(f->part, 0, f->edges * sizeof *f->part);
	for (uint32_t i = 0; i < f->vectors->timing_count; i += f->stride) {
		if (is_timed(f, i))
			add_surprise(f, &f->vectors->timings[i]);
	}
	for (size_t i = 0; i < f->edges; i++)
		f->cost[i] *= (f->part[i] + silent) / (f->total[i] + silent);
}

static double pace_of(const struct fit *f, const struct pf_vec_burst *b)
{
	uint32_t count = b->edge_count < LOOK ? b->edge_count : LOOK;
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += f->cost[edge_of(f, b->edges[i])];
	return count > 0 ? sum / count : 0;
}

int pf_pace_find(const struct pf_vectors *v, const uint32_t *ids, size_t count, unsigned half, unsigned deal,
		 double *paces)
{
	bool any = false;
	int status;
	struct fit f = { .vectors = v,
			 .ids = ids,
			 .edges = count + 1,
			 .stride = v->timing_count / MOST_TIMINGS + 1,
			 .half = half,
			 .deal = deal };

	memset(paces, 0, v->burst_count * sizeof *paces);
	if (v->timing_count == 0)
		return PF_OK;
	f.cost = calloc(3 * f.edges, sizeof *f.cost);
	if (!f.cost)
		return PF_ENOMEM;
	f.total = f.cost + f.edges;
	f.part = f.total + f.edges;
	status = begin(&f, &any);
	if (any) {
		for (int round = 0; round < ROUNDS; round++)
			improve(&f);
		for (uint64_t i = 0; i < v->burst_count; i++)
			paces[i] = pace_of(&f, &v->bursts[i]);
	}
	free(f.cost);
	return status;
}
