/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See confidence.h.  Let p be the edges' shares as they are, off by a bias -B and by noise e, and p + D those that are
 * corrected: D = B + n.  With a part s of the correction the error is e - (1 - s) B + s n, and the expected sum of its
 * squares is least at s = (B B - e n) / (B B + n n), where the denominator is the expectation of D D.  Of two halves
 * whose noise is independent each has the whole of B, so the expectation of D1 D2 is B B, and that of
 * (p1 - p2) (D1 - D2) / 4 is e n (James and Stein, Proc. 4th Berkeley Symposium, 1961, is the kin of it).  The hard
 * case is noise that is in both halves: a correction that is itself drawn from the recording.  Each half is therefore
 * corrected by what it knows alone. */
#include "converter/confidence.h"
#include "converter/traffic.h"

#include <stdlib.h>

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

static double part_of(const double *const plain[3], const double *const corrected[3], size_t edges)
{
	double bias = 0, common = 0, distance = 0;

	for (size_t i = 0; i < edges; i++) {
		double one = corrected[0][i] - plain[0][i], other = corrected[1][i] - plain[1][i];
		double all = corrected[2][i] - plain[2][i];

		bias += one * other;
		common += (plain[0][i] - plain[1][i]) * (one - other) / 4;
		distance += all * all;
	}
	if (distance <= 0)
		return 1;
	double part = (bias - common) / distance;
	return part < 0 ? 0 : part > 1 ? 1 : part;
}

int pf_trust_find(const struct pf_trust *t, double *share)
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
	*share = part_of(plain, corrected, t->edges);
	free(sums);
	return PF_OK;
}
