/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of measured comparisons; doc/statistics.md says why these.  All is deterministic: the resamples come
 * from a seed that the caller fixes.  What is compared are ratios of runs of one round, and their median. */
#ifndef PF_ANALYSIS_STATISTICS_H
#define PF_ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_STATISTICS_RESAMPLES 10000
#define PF_STATISTICS_FEW 5 /* an interval of fewer pairs than this holds the truth in less than 90 of 100 */

/* A measured value, with the interval that holds the true one in about 95 of 100 measurements. */
struct pf_estimate {
	bool known;   /* there is a value */
	bool bounded; /* there is an interval */
	double value;
	double low, high;
	size_t freedom; /* pairs that it stands on, less one for each list of them */
};

/* The median of COUNT > 0 values, which it sorts; of an even count, the middle between the two inner ones. */
double pf_statistics_median(double *values, size_t count);

/* NUMERATORS[i] / DENOMINATORS[i].  False, and RATIOS undefined, if COUNT is 0 or a ratio is not finite and positive.
 */
bool pf_statistics_ratios(const double *numerators, const double *denominators, size_t count, double *ratios);

/* MEDIANS[b], for each of RESAMPLES, is the median of DRAWS values drawn from COUNT > 0 VALUES with replacement.  Two
 * calls with the same SEED, COUNT and DRAWS draw the same places: what is paired by place stays paired.
 * False when out of memory. */
bool pf_statistics_resample(const double *values, size_t count, size_t draws, uint64_t seed, double *medians,
			    size_t resamples);

/* A place below COUNT > 0, each as likely; STATE is any number and moves on. */
size_t pf_statistics_draw(uint64_t *state, size_t count);

/* The 95% interval around VALUE by the percentiles of COUNT resampled SAMPLES, which it sorts.  Percentiles of few
 * pairs lie too close together; they are taken further out, as far as Student's distribution of FREEDOM degrees says.
 * Without any freedom the estimate is not bounded. */
struct pf_estimate pf_statistics_interval(double value, double *samples, size_t count, size_t freedom);

/* The size that 95 of 100 of the SAMPLES' absolute values do not exceed; SAMPLES are made absolute and sorted. */
double pf_statistics_reach(double *samples, size_t count);

/* A seed from a NAME and a NUMBER, so that each program's resamples are its own, whatever stands beside it. */
uint64_t pf_statistics_seed(const char *name, uint64_t number);

#endif
