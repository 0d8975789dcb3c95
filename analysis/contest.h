/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a comparison while it runs: which builds there are and what is known of them, which of them is in place,
 * and how much is left to do.  All variants run under the same path, so that neither the length of a name nor the
 * environment tells them apart. */
#ifndef PF_ANALYSIS_CONTEST_H
#define PF_ANALYSIS_CONTEST_H

#include "analysis/command.h"
#include "analysis/plan.h"

#include <jansson.h>

/* What is counted, and estimated, apart. */
enum pf_work {
	PF_WORK_BUILD = 0,
	PF_WORK_TRAIN,     /* a run of the training command */
	PF_WORK_REFERENCE, /* a run of a reference command */
	PF_WORK_CALLGRIND,
	PF_WORKS,
};

/* TEXT is what begins now; LEFT the estimate of the seconds until the end, negative while there is none. */
typedef void pf_progress(void *context, const char *text, double left);

/* A build: a variant from one recording, or the instrumented program. */
struct pf_entry {
	bool built;       /* variants/NAME is there */
	char error[3000]; /* "" or one sentence: it takes no further part */
	uint64_t key;     /* of all that the build depends on */
	double build_seconds;
	uint64_t text_bytes, hot_bytes;
	json_t *notes;          /* array of sentences that are no errors; always there */
	json_t *collection;     /* as in the schema; NULL: none */
	json_t *tool;           /* as in the schema; NULL: none */
	json_t *instructions;   /* integer; NULL: not counted */
	char profile[PATH_MAX]; /* of a recorded variant */
};

struct pf_contest {
	const struct pf_plan *plan;
	struct pf_entry entries[PF_BUILDS];
	json_t **times;      /* for each reference the rounds, as pf_series_run makes them */
	unsigned counters;   /* a bit for each pf_counter that counts here; 0 unless cycles do */
	char uncounted[160]; /* why they do not; "" if they do, or nobody asked */
	char language[16];   /* of the program, by its debug information */
	uint64_t source_key, tool_key, valgrind_key;
	int in_place;           /* of the builds; -1: none */
	char program[PATH_MAX]; /* whose path all variants have */
	unsigned left[PF_WORKS];
	double seconds[PF_WORKS]; /* that have been spent */
	unsigned done[PF_WORKS];
	pf_progress *progress;
	void *context;
};

/* Prepares the work folder and puts away what an interrupted run left in place.  PF_EIO; PF_EINVAL: the path is too
 * long. */
int pf_contest_init(struct pf_contest *contest, const struct pf_plan *plan, struct pf_error *error);
void pf_contest_fini(struct pf_contest *contest);

/* Announces one piece of work. */
void pf_contest_begin(struct pf_contest *contest, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A piece of WORK is done, in SECONDS of real time; negative: it was not necessary. */
void pf_contest_end(struct pf_contest *contest, enum pf_work work, double seconds);

/* Seconds left, negative while not known. */
double pf_contest_left(const struct pf_contest *contest);

/* Takes entry BUILD and the same variant from other recordings out of the comparison, with a sentence, unless they are
 * out already. */
void pf_contest_drop(struct pf_contest *contest, unsigned build, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether it is built and not dropped. */
bool pf_contest_has(const struct pf_contest *contest, unsigned build);

/* Puts build BUILD in place (-1: none).  PF_EIO. */
int pf_contest_place(struct pf_contest *contest, int build, struct pf_error *error);

/* A run of a workload. */
struct pf_run {
	unsigned build;
	unsigned blame;                 /* the entry that is dropped when it goes wrong */
	const char *command;            /* $2 of WRAPPER */
	const char *wrapper;            /* a shell script around it, with "$1" for FILE and "$2"; NULL: none */
	const char *file;               /* $1 of WRAPPER */
	const char *const *environment; /* beside PROGRAM; NULL: none */
	const char *output;             /* name in outputs/ */
	const char *log;                /* name in logs/ */
	bool pinned;
	bool count; /* what the processor counts, too */
};

/* Runs it in a fresh scratch folder.  As pf_command_run. */
int pf_contest_run(struct pf_contest *contest, const struct pf_run *run, struct pf_ending *ending,
		   struct pf_error *error);

/* As pf_contest_run; a run that fails, or prints something else than outputs/EXPECTED, drops the entry to blame with a
 * sentence that begins with WHAT ("the training run").  EXPECTED NULL: anything goes. */
int pf_contest_check(struct pf_contest *contest, const struct pf_run *run, const char *what, const char *expected,
		     struct pf_ending *ending, struct pf_error *error);

#endif
