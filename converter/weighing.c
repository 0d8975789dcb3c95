/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See weighing.h.  A governor stretches the period after expensive (cold) bursts, so a burst counts for the period in
 * front of it; and the same time is more branches where the program is fast, so it counts for those.  The hard case is
 * noise: weights that differ make fewer looks of as many bursts, so a correction goes as far as it is sure. */
#include "converter/weighing.h"
#include "converter/confidence.h"
#include "converter/pace.h"
#include "converter/traffic.h"

#include <stdlib.h>

#define USUAL_PACE 4.0 /* ns a branch */

/* What burst B stands for, CPU time or events, in nominal periods: at least 1/16 and at most 64, so that one odd timer
 * cannot take the profile over. */
static double periods_of(const struct pf_vec_burst *b, double nominal)
{
	double periods = b->period > 0 && nominal > 0 ? (double)b->period / nominal : 1;

	return periods < 1.0 / 16 ? 1.0 / 16 : periods > 64 ? 64 : periods;
}

double pf_mean_period(const struct pf_vectors *v)
{
	double period = 0, bursts = 0;

	for (uint64_t i = 0; i < v->burst_count; i++) {
		period += (double)v->bursts[i].period * (double)v->bursts[i].repeat;
		bursts += (double)v->bursts[i].repeat;
	}
	return bursts > 0 ? period / bursts : 0;
}

/* What each branch of a burst stands for by period, in nominal ones. */
static void by_period(const struct pf_vectors *v, double *stands)
{
	double mean = pf_mean_period(v);

	for (uint64_t i = 0; i < v->burst_count; i++)
		stands[i] = periods_of(&v->bursts[i], mean);
}

/* By rate, from PERIODS; PACES[i] becomes it.  The unit is the same in all recordings, so that a program that was
 * recorded in a run of fast work and in one of slow work is right on the whole: a nominal period of branches of 4 ns.
 */
static void by_pace(const struct pf_vectors *v, const double *periods, double *paces)
{
	double mean = pf_mean_period(v), asked = v->frequency > 0 && mean > 0 ? mean * v->frequency / 1e9 : 1;

	for (uint64_t i = 0; i < v->burst_count; i++)
		paces[i] = paces[i] > 0 ? periods[i] * asked * USUAL_PACE / paces[i] : periods[i];
}

static double sum_of(const struct pf_vectors *v, const double *stands)
{
	double sum = 0;

	for (uint64_t i = 0; i < v->burst_count; i++)
		sum += stands[i] * v->bursts[i].edge_count * (double)(v->bursts[i].repeat ? v->bursts[i].repeat : 1);
	return sum;
}

/* What each burst stands for by the times in HALF. */
static int stand_by_rate(const struct pf_trust *t, unsigned half, double *rates)
{
	int status = pf_pace_find(t->vectors, t->ids, t->edges, half, t->halves.deal, rates);

	by_pace(t->vectors, t->plain, rates);
	return status;
}

/* How far the rates of T are to be believed. */
static int find_share(struct pf_trust *t, double *halves[2], size_t others, double *share)
{
	unsigned deals = pf_halves_deals(t->vectors->burst_count);
	struct pf_trust_evidence evidence = { 0 };
	int status = PF_OK;

	for (t->halves.deal = 0; t->halves.deal < deals && status == PF_OK; t->halves.deal++) {
		for (unsigned half = 0; half < 2 && status == PF_OK; half++)
			status = stand_by_rate(t, half, halves[half]);
		if (status == PF_OK)
			status = pf_trust_add(t, &evidence);
	}
	*share = pf_trust_share(&evidence, t->vectors->timing_count, others);
	return status;
}

/* By rate as far as that is to be believed.  STANDS is by period before.  There are bursts. */
static int by_rate(const struct pf_vectors *v, const struct pf_own_edges *own, const struct pf_halves *halves,
		   size_t others, double *stands)
{
	size_t bursts = v->burst_count;
	double *rates = calloc(3 * bursts, sizeof *rates), share = 1;
	double *by_half[2] = { rates, rates + bursts }, *corrected = rates + 2 * bursts;
	struct pf_trust trust = { v, own->numbers, own->count, *halves, stands, corrected, { by_half[0], by_half[1] } };
	int status = rates ? stand_by_rate(&trust, PF_PACE_ALL, corrected) : PF_ENOMEM;

	if (status == PF_OK)
		status = find_share(&trust, by_half, others, &share);
	if (status == PF_OK) {
		double plain = sum_of(v, stands), sum = sum_of(v, corrected);

		for (uint64_t i = 0; i < bursts && plain > 0; i++)
			stands[i] = (1 - share) * stands[i] * sum / plain + share * corrected[i];
	}
	free(rates);
	return status;
}

static uint64_t whole_weight(double stands_for, uint64_t repeat)
{
	double weight = stands_for * PF_WEIGHT_ONE * (double)(repeat ? repeat : 1);

	return weight > 1e15 ? (uint64_t)1e15 : weight < 1 ? 1 : (uint64_t)(weight + 0.5);
}

int pf_weights_find(const struct pf_vectors *v, const struct pf_own_edges *own, const struct pf_intake_options *options,
		    const struct pf_halves *halves, uint64_t *weights, bool *paced)
{
	/* Where bursts begin by a count, a fast region and a slow one are seen alike as it is. */
	bool rated = options->weighting == PF_WEIGHT_RATE && v->timing_count > 0 && v->burst_count > 0 &&
		     !pf_vectors_begun_by(v);
	double *stands = calloc(v->burst_count + 1, sizeof *stands);
	int status = stands ? PF_OK : PF_ENOMEM;

	if (status == PF_OK && options->weighting != PF_WEIGHT_NONE)
		by_period(v, stands);
	if (status == PF_OK && rated)
		status = by_rate(v, own, halves, options->others, stands);
	for (uint64_t i = 0; status == PF_OK && i < v->burst_count; i++)
		weights[i] = whole_weight(options->weighting == PF_WEIGHT_NONE ? 1 : stands[i], v->bursts[i].repeat);
	if (rated)
		*paced = true;
	free(stands);
	return status;
}
