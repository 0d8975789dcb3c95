/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See confidence.h.  Let p be the edges' shares as they are, off by a bias -B and by noise e, and p + D those that are
 * corrected: D = B + n.  With a part s of the correction the error is e - (1 - s) B + s n, and the expected sum of its
 * squares is least at s = (B B - e n) / (B B + n n), where the denominator is the expectation of D D.  Of two halves
 * whose noise is independent each has the whole of B, so the expectation of D1 D2 is B B, and that of
 * (p1 - p2) (D1 - D2) / 4 is e n (James and Stein, Proc. 4th Berkeley Symposium, 1961, is the kin of it).  One hard
 * case is noise that is in both halves: a correction that is itself drawn from the recording.  Each half is therefore
 * corrected by what it knows alone.  The other is the noise of s: of few timings it is no more than a guess, so it is
 * taken for one of a quantity that may as well be anything from 0 to 1. */
#include "converter/confidence.h"
#include "converter/traffic.h"

#include <stdlib.h>

/* Before anything was said s is 1/2 with a variance of 1/12; of so many timings its estimate has that variance, too
 * (doc/sampling.md has the measurement). */
#define UNSURE 40.0

/* Adds to SUMS, by edge, what the bursts of HALF (2: all) stand for by WEIGHTS, and makes shares of it. */
static void add_shares(const struct pf_trust *t, unsigned half, const double *weights, double *sums)
{
	double total = 0;

	for (uint64_t i = 0; i < t->vectors->burst_count; i++) {
		const struct pf_vec_burst *b = &t->vectors->bursts[i];
		double weight = weights[i] * (double)(b->repeat ? b->repeat : 1);

		for (uint32_t k = 0; (half == 2 || half == pf_halves_deal(&t->halves, b->time)) && k < b->edge_count;
		     k++) {
			uint32_t id = b->edges[k] < t->vectors->edge_count ? t->ids[b->edges[k]] : PF_NO_EDGE;

			if (id < t->edges) {
				sums[id] += weight;
				total += weight;
			}
		}
	}
	for (size_t i = 0; i < t->edges && total > 0; i++)
		sums[i] /= total;
}

static void compare(const double *const plain[3], const double *const corrected[3], size_t edges,
		    struct pf_trust_evidence *evidence)
{
	for (size_t i = 0; i < edges; i++) {
		double one = corrected[0][i] - plain[0][i], other = corrected[1][i] - plain[1][i];
		double all = corrected[2][i] - plain[2][i];

		evidence->bias += one * other;
		evidence->common += (plain[0][i] - plain[1][i]) * (one - other) / 4;
		evidence->distance += all * all;
	}
}

int pf_trust_add(const struct pf_trust *t, struct pf_trust_evidence *evidence)
{
	double *sums = calloc(6 * t->edges + 1, sizeof *sums);
	const double *plain[3], *corrected[3];

	if (!sums)
		return PF_ENOMEM;
	for (unsigned half = 0; half < 3; half++) {
		double *sum = sums + 2 * half * t->edges;

		add_shares(t, half, t->plain, sum);
		add_shares(t, half, half < 2 ? t->corrected_by[half] : t->corrected, sum + t->edges);
		plain[half] = sum;
		corrected[half] = sum + t->edges;
	}
	compare(plain, corrected, t->edges, evidence);
	free(sums);
	return PF_OK;
}

double pf_trust_share(const struct pf_trust_evidence *evidence, uint64_t timings, size_t others)
{
	double said = evidence->distance > 0 ? (evidence->bias - evidence->common) / evidence->distance : 0.5;
	double part = (said * (double)timings + 0.5 * UNSURE) / ((double)timings + UNSURE);

	/* The odds s / (1 - s) are B B / n n, and the mean of N recordings has n n / N. */
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return part * (double)(others + 1) / (1 + part * (double)others);
}
