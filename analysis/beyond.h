/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile gains over what a compiler does without one: base, flags or O3, whichever is best. */
#ifndef PF_ANALYSIS_BEYOND_H
#define PF_ANALYSIS_BEYOND_H

#include "analysis/compare-report.h"
#include "analysis/results.h"

/* The best of base, flags and O3 of program AT; -1 where neither flags nor O3 has a number, so that nothing is known
 * that base's own gains do not tell. */
int pf_beyond_best(const struct pf_results *results, size_t at, enum pf_measure measure);

/* The ratio of that best one to variant V, known where both are. */
struct pf_estimate pf_beyond_ratio(const struct pf_results *results, size_t at, enum pf_measure measure, int v);

/* What the foremost variant of each program gains over base, by the first measure that it has, in the program where
 * that is least; where a program has nothing that was recorded and measured it is that one, with NAN. */
struct pf_foremost pf_beyond_least(const struct pf_results *results);

/* The measure that a report speaks of first; PF_MEASURES if nothing was measured. */
enum pf_measure pf_beyond_measure(const struct pf_results *results);

/* In a sentence or two: what the foremost variant, and O3+soft, gain over base and over the best without a profile, and
 * what part of instr's gain that is; to free.  NULL when out of memory. */
char *pf_beyond_verdict(const struct pf_results *results);

#endif
