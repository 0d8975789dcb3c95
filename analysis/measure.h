/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are compared with each other: in rounds, A B C, C B A, on one processor, each output checked. */
#ifndef PF_ANALYSIS_MEASURE_H
#define PF_ANALYSIS_MEASURE_H

#include "analysis/contest.h"

#define PF_CONTESTANTS (PF_BUILDS + 1)

struct pf_contestant {
	const char *name; /* in the rounds; not owned */
	struct pf_run run;
};

struct pf_series {
	const char *step;     /* of the journal, and in progress */
	const char *what;     /* "the training run", for sentences */
	const char *expected; /* in outputs/ */
	uint64_t key;
	unsigned rounds;
	enum pf_work work;
	bool with_system; /* user and system time, else user time alone */
	struct pf_contestant contestants[PF_CONTESTANTS];
	size_t count;
};

/* A pinned run of COMMAND with BUILD, whose output goes to outputs/OUTPUT. */
struct pf_run pf_measure_run(unsigned build, const char *command, const char *output);

/* What ROUND has under KEY of the contestant NAME; NULL: nothing.  Borrowed. */
json_t *pf_series_taken(const json_t *round, const char *name, const char *key);

/* Adds a contestant and what tells it apart to the series' key. */
void pf_series_add(struct pf_series *series, const struct pf_contest *contest, const char *name,
		   const struct pf_run *run);

/* Runs what is left of the series' rounds.  *ROUNDS becomes a new array of objects: of each contestant's name an object
 * with its "seconds" and, under pf_counter_names, what was counted of it.  A contestant that was dropped on the way is
 * missing from some.  As pf_contest_run. */
int pf_series_run(const struct pf_series *series, struct pf_contest *contest, json_t **rounds, struct pf_error *error);

/* Sees to it that outputs/NAME is what the base variant prints for COMMAND.  KEY tells when it must be made anew. */
int pf_measure_expect(struct pf_contest *contest, const char *command, const char *name, const char *what,
		      enum pf_work work, struct pf_error *error);

/* One run of COMMAND with each variant that takes part (base alone if no times are measured), its output compared with
 * outputs/EXPECTED.  WHAT is for sentences. */
int pf_measure_outputs(struct pf_contest *contest, const char *command, const char *expected, const char *what,
		       struct pf_error *error);

/* All references in rounds: fills contest->times, and before that what the machine counts. */
int pf_measure_times(struct pf_contest *contest, struct pf_error *error);

#endif
