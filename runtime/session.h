/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording from beginning to end: which source, what runs, what comes out.  Nothing here prints. */
#ifndef PF_RUNTIME_SESSION_H
#define PF_RUNTIME_SESSION_H

#include "runtime/drain.h"
#include "runtime/harvest.h"
#include "runtime/lbr.h"
#include "runtime/target.h"
#include "runtime/trigger.h"

#include <stdbool.h>

enum pf_session_source { PF_SESSION_AUTO, PF_SESSION_LBR, PF_SESSION_SOFT, PF_SESSION_CLOCK };

struct pf_session_options {
	enum pf_session_source source;
	const char *event;   /* lbr: name of the event, or NULL for the best */
	const char *begin;   /* soft: what bursts begin by, as pf_trigger_choose has it; NULL: timer */
	uint32_t frequency;  /* bursts or samples a second of CPU time; 0: the source's default */
	uint32_t branches;   /* soft: branches a burst */
	bool fixed;          /* soft, clock: times between bursts or samples are the same, not random */
	uint32_t budget_ppm; /* of CPU time, for the recorder */
	bool raw;            /* soft: vectors as ordinary samples */
	bool whole;          /* soft: every branch of the run; the recording has their counts */
	bool memory;         /* soft: loads and stores, too, for SINK: of a whole run, or of bursts */
	bool values;         /* soft: what is loaded, stored and handed to functions, too */
	uint64_t limit;      /* bytes; 0: the source's default */
	bool follow;         /* soft: goes on until what the program has left running has ended too */
	const char *only;    /* soft: only processes of this program, by name or path; NULL: all */
	const char *output;  /* NULL: it is handed to SINK instead */
	bool keep_folder;    /* soft: if the recording can be written nowhere, the private folder is left */
	const struct pf_drain_sink *sink; /* may be NULL */
	char *const *argv;                /* the program and its arguments */
	pf_harvest_progress *progress;    /* may be NULL */
};

#define PF_SESSION_WHY 1200
#define PF_SESSION_REASONS 4 /* of processes that could not be recorded: so many are told */
#define PF_SESSION_SOFT_LIMIT ((uint64_t)32 << 20)

/* Which source it will be, and all that it needs. */
struct pf_session_choice {
	enum pf_session_source source; /* never PF_SESSION_AUTO */
	char why[PF_SESSION_WHY];      /* auto: why this one, a phrase; else "" */
	char event[PF_LBR_NAME_SIZE];  /* as it will be called in the file */
	char agent[PATH_MAX];          /* soft */
	struct perf_event_attr attr;   /* lbr and clock */
	struct pf_trigger trigger;     /* soft */
};

struct pf_session_result {
	bool ran;       /* the program ran, WAIT_STATUS tells how it ended */
	bool not_run;   /* the program could not be executed at all */
	bool not_found; /* ...because it does not exist */
	int wait_status;
	uint64_t vectors; /* bursts or samples */
	uint64_t branches;
	uint64_t bytes;           /* size of the file */
	uint64_t cpu_ns, cost_ns; /* of the program, and of the recorder in it or beside it */
	uint64_t lost;            /* events or branches */
	uint64_t throttled;
	/* soft */
	uint64_t recorded;                  /* bursts: of so many VECTORS are a fair sample */
	uint64_t counted;                   /* ...that the event of the choice's trigger began */
	uint64_t lost_bursts;               /* had no place even as a part of a sample */
	uint64_t unseen_ns;                 /* CPU time of threads that gave no vectors */
	uint32_t images;                    /* processes that the recorder library started in, by exec */
	uint32_t damaged;                   /* sections of the session's file that were damaged */
	char damage[PF_SESSION_WHY];        /* what was wrong with the first few */
	char note[PF_SESSION_WHY];          /* what the user should know of the set-up; "" for nothing */
	uint64_t refusals[PF_REFUSE_COUNT]; /* threads, by reason */
	uint64_t refused_processes[PF_REFUSE_COUNT];
	uint64_t thinned;            /* commands that were executed without the recorder, by way of a sample */
	uint64_t living;             /* processes that still ran when the recording ended */
	uint32_t living_pid;         /* one of them */
	uint64_t left;               /* processes that the agent left because the recorder was gone */
	uint64_t ends[PF_END_COUNT]; /* bursts, by why they ended */
	bool full;                   /* the disk of the recorder's folder had no room in the end */
	uint64_t steps, unseen;      /* of a whole run, see runtime/agent/wire.h */
	/* With programs that ran already: */
	uint64_t left_out;                 /* processes that could not be recorded */
	char left_out_why[PF_SESSION_WHY]; /* why not the first few */
	uint64_t stuck;                    /* processes in which memory of the recorder had to be left */
	char stuck_why[PF_SESSION_WHY];
	bool limited, slowed; /* lbr, clock: see pf_sampler_counts */
	/* Where a recording is that is not where it should be; "" otherwise: */
	char saved[PATH_MAX];  /* a whole file */
	char folder[PATH_MAX]; /* soft: the private folder, for pf_session_collect */
};

/* Settles on a source for TARGET.  PF_EUNSUPPORTED or PF_ENOTFOUND: the one asked for does not work here, and why. */
int pf_session_choose(struct pf_session_choice *choice, const struct pf_session_options *options,
		      const struct pf_target *target, struct pf_error *error);

/* Runs TARGET and writes the recording.  RESULT is filled as far as it came, also on failure; the output is there only
 * on success, and else, if the recording could not be written there, as result->saved or result->folder.  PF_EEMPTY:
 * the program ran, but nothing was recorded, and why; else errors of the parts. */
int pf_session_run(const struct pf_session_options *options, const struct pf_session_choice *choice,
		   const struct pf_target *target, struct pf_session_result *result, struct pf_error *error);

/* Writes the recording of the recorder whose private folder is FOLDER, alive (it is not disturbed) or killed, to
 * options->output; of OPTIONS only raw and progress count besides.  PF_ENOTFOUND and PF_EFORMAT: there is no recording
 * in the folder; PF_EEMPTY: nothing is recorded yet; else errors of the parts. */
int pf_session_collect(const struct pf_session_options *options, const char *folder, struct pf_session_result *result,
		       struct pf_error *error);

/* Vectors or samples a second: as asked for, or the usual. */
uint32_t pf_session_frequency(const struct pf_session_options *options, enum pf_session_source source);

/* "soft", "lbr", "clock", "auto". */
const char *pf_session_source_name(enum pf_session_source source);

/* Why the agent refused a thread or a process, as a phrase that follows "not recorded: ". */
const char *pf_session_refusal(enum pf_refusal reason);

/* Why a burst ended before its length, as a phrase that follows "N bursts ended early: ". */
const char *pf_session_end(enum pf_burst_end reason);

#endif
