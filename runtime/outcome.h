/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came of a session, from what the agents or the kernel left: counts, reasons, and the file. */
#ifndef PF_RUNTIME_OUTCOME_H
#define PF_RUNTIME_OUTCOME_H

#include "perfdata/perfdata.h"
#include "runtime/sampler.h"
#include "runtime/session.h"
#include "runtime/soft.h"

/* Begins the file options->output of a session by CHOICE, FREQUENCY times a second; SAVED is the result's.  Errors of
 * pf_perf_create. */
int pf_outcome_create(struct pf_perf_writer **writer, const struct pf_session_options *options,
		      const struct pf_session_choice *choice, uint32_t frequency, char saved[PATH_MAX],
		      struct pf_error *error);

/* Commits WRITER if STATUS, of all that came before, is PF_OK, else abandons it; what came of all.  NULL is well. */
int pf_outcome_end(struct pf_perf_writer *writer, int status, struct pf_error *error);

/* Keeps the folder of SOFT, and notes it in RESULT, if a recording of it could be written nowhere, to which STATUS came
 * in the end. */
void pf_outcome_keep(struct pf_session_result *result, struct pf_soft *soft, int status);

/* How the file calls vectors whose bursts begin by the event NAME; "": by the CPU timer. */
void pf_outcome_name_event(char event[PF_LBR_NAME_SIZE], const char *name);

/* What CHOICE was in the session of which CONTROL is left, as far as the file tells it. */
void pf_outcome_restore(struct pf_session_choice *choice, const struct pf_control *control);

/* Fills in all of RESULT that H tells.  USED_NS is the program's CPU time as the kernel has it.  The agent sees less:
 * not the time before it is loaded, nor that of processes that it was kept out of. */
void pf_outcome_note(struct pf_session_result *result, const struct pf_harvest *h, uint64_t used_ns);

/* Writes H's vectors, RAW or compact.  PF_EEMPTY: there are none, and why; WHAT is the program's name for that.  Else
 * PF_EFORMAT for a damaged recording, PF_ENOMEM and errors of the writer. */
int pf_outcome_deliver(const struct pf_session_result *result, const struct pf_harvest *h, const char *what, bool raw,
		       struct pf_perf_writer *writer, struct pf_error *error);

/* The same for lbr and clock. */
void pf_outcome_note_samples(struct pf_session_result *result, const struct pf_sampler_counts *counts,
			     uint64_t used_ns);
/* Adds the build-ids; PF_EEMPTY: there are no samples, and why; else errors of pf_sampler_add_build_ids. */
int pf_outcome_finish_samples(const struct pf_session_result *result, const struct pf_session_choice *choice,
			      const char *what, struct pf_sampler *sampler, struct pf_error *error);

#endif
