/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from measured comparisons: gains with intervals and verdicts, fractions of instr's gain, means over
 * groups of programs, and the list of all that failed and so counts nowhere.  Ratios are base / variant: 1.10 is a
 * program that does 10% more in the same time (or with the same instructions). */
#ifndef PF_ANALYSIS_RESULTS_H
#define PF_ANALYSIS_RESULTS_H

#include "analysis/comparison.h"
#include "analysis/statistics.h"

#define PF_RESULTS_HEADROOM 0.05           /* instr gains at least this: a program with something to gain */
#define PF_RESULTS_INSTRUCTION_NOISE 0.001 /* callgrind repeats to 1e-5; below this no difference is worth a name */
#define PF_RESULTS_LOSSES 3

/* The first that there is, is the one that a report speaks of. */
enum pf_measure {
	PF_MEASURE_CYCLES,
	PF_MEASURE_TIME,
	PF_MEASURE_INSTRUCTIONS, /* by callgrind, exact; those above are taken in pairs */
	PF_MEASURES,
	PF_MEASURES_PAIRED = PF_MEASURE_INSTRUCTIONS
};
enum pf_group { PF_GROUP_ALL, PF_GROUP_C, PF_GROUP_CXX, PF_GROUP_FORTRAN, PF_GROUP_HEADROOM, PF_GROUPS };

enum pf_verdict {
	PF_VERDICT_NONE,     /* not measured */
	PF_VERDICT_UNJUDGED, /* one pair only, or noise not measured and no interval */
	PF_VERDICT_NOISE,    /* base against itself differs as much, or the interval holds 1 */
	PF_VERDICT_FASTER,
	PF_VERDICT_SLOWER,
};

struct pf_gain {
	struct pf_estimate ratio;
	enum pf_verdict verdict;
	double noise; /* how far from 1 base against itself gets, 95 of 100 times, with as many pairs; -1 unknown */
	size_t pairs; /* of the reference that has the fewest; 0 for instructions */
	size_t recordings;      /* that the variant was made from, where each was measured by itself; 0 where not */
	double lowest, highest; /* ratios of these; their mean is the ratio */
	double *logs; /* of resampled ratios, in an order that all variants of a program share; NULL if exact. Owned */
	double *null; /* the same of base against itself; NULL if not measured. Owned */
};

struct pf_variant_result {
	bool sound; /* present, without an error, and base is sound too */
	struct pf_gain gain[PF_MEASURES];
	struct pf_estimate fraction[PF_MEASURES]; /* of instr's gain; unknown where instr gains nothing */
	struct pf_estimate overhead;              /* training run that collects / plain one */
	double *overhead_logs;                    /* owned */
};

/* Base against itself. */
struct pf_noise {
	struct pf_estimate ratio; /* median of the pairs */
	double low, high;         /* range of the pairs */
	double reach;             /* how far from 1 the median of as many pairs gets, 95 of 100 times; -1 unknown */
};

struct pf_program_result {
	struct pf_variant_result variants[PF_VARIANTS];
	struct pf_noise noise[PF_MEASURES_PAIRED];
};

struct pf_mean {
	size_t programs;
	struct pf_estimate ratio;  /* geometric mean; its interval is due to the noise of these measurements */
	struct pf_estimate spread; /* its interval is due to the choice of programs too */
	double noise;              /* as pf_gain.noise */
	enum pf_verdict verdict;
	size_t fraction_programs;
	struct pf_estimate fraction; /* of instr's mean gain, over the programs that have both */
};

struct pf_loss {
	size_t program;
	struct pf_estimate ratio; /* soft against instr: instr's time / soft's, below 1 */
	enum pf_verdict verdict;
};

struct pf_failure {
	size_t program;
	int variant;      /* -1: the program as a whole */
	const char *text; /* a finished sentence; static or the JSON's */
};

struct pf_results {
	const struct pf_comparison *comparison;
	unsigned resamples;
	struct pf_program_result *programs; /* as many as the comparison's; owned */
	struct pf_mean means[PF_MEASURES][PF_GROUPS][PF_VARIANTS];
	struct pf_mean overheads[PF_VARIANTS];
	struct pf_loss losses[PF_MEASURES][PF_RESULTS_LOSSES];
	size_t loss_count[PF_MEASURES];
	struct pf_failure *failures; /* owned */
	size_t failure_count;
	double *scratch; /* owned */
};

/* Releases what evaluate.h made. */
void pf_results_fini(struct pf_results *results);

/* Whether program AT belongs to GROUP; the headroom is by MEASURE. */
bool pf_results_member(const struct pf_results *results, enum pf_measure measure, enum pf_group group, size_t at);

/* The pairs that a PAIRED measure of a reference stands on, and of base against itself. */
const struct pf_compared_pairs *pf_results_pairs(const struct pf_compared_reference *reference,
						 enum pf_measure measure);
const struct pf_compared_pairs *pf_results_noise(const struct pf_compared_program *program, enum pf_measure measure);

/* Faster, slower or noise: RATIO with its interval against NOISE (as pf_gain.noise). */
enum pf_verdict pf_results_judge(const struct pf_estimate *ratio, double noise);

/* Adds a line to the list of failures, of VARIANT (-1: of the program as a whole).  TEXT is static or the JSON's. */
void pf_results_fail(struct pf_results *results, size_t program, int variant, const char *text);

#endif
