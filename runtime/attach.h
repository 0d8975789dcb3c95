/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The running processes that the software recorder has been put into, and their threads, children and programs as they
 * come and go. */
#ifndef PF_RUNTIME_ATTACH_H
#define PF_RUNTIME_ATTACH_H

#include "runtime/agent/wire.h"
#include "runtime/selection.h"
#include "runtime/session.h"

#include <stdbool.h>

struct pf_attach_counts {
	uint64_t processes; /* that were recorded */
	uint64_t left_out;  /* ...whose last program could not be, and why: WHY, of the first */
	char why[PF_SESSION_REASONS][PF_SESSION_WHY / PF_SESSION_REASONS];
	uint64_t refusals[PF_REFUSE_COUNT]; /* threads */
	uint64_t refused_processes[PF_REFUSE_COUNT];
	uint64_t cpu_ns;  /* that the processes used */
	uint64_t cost_ns; /* CPU time that the recorder took to come and go */
	uint64_t stuck;   /* processes in which memory had to be left */
	char stuck_why[PF_SESSION_WHY];
};

struct pf_attach;

/* Begins with what SELECTION (the caller's, to be kept) finds now; records into the session's file FILE.  Nothing is
 * done to any process yet.  Errors of pf_selection_find; PF_EUNSUPPORTED: none of them can be recorded, and why;
 * PF_ENOMEM. *ATTACH is the caller's, to pf_attach_free. */
int pf_attach_alloc(struct pf_attach **attach, const struct pf_selection *selection, int file, struct pf_error *error);

/* Is the recording to end now?  A look at many threads takes seconds. */
struct pf_attach_end {
	bool (*is_there)(const void *context);
	const void *context;
};

/* Looks for threads that use CPU time and are not recorded yet, for new processes, and for those that ended or have
 * executed another program; and tells the processes that the recorder lives.  To be called a few times a second. PF_OK;
 * an error only if no process could be recorded at all, and none runs that may yet. */
int pf_attach_look(struct pf_attach *attach, const struct pf_attach_end *end, struct pf_error *error);

/* Does any process still run that is recorded, or may be yet? */
bool pf_attach_is_alive(const struct pf_attach *attach);

/* Withdraws from all processes, and from the children that they have left behind. */
void pf_attach_withdraw(struct pf_attach *attach);

const struct pf_attach_counts *pf_attach_counts(const struct pf_attach *attach);

/* Without withdrawing. */
void pf_attach_free(struct pf_attach *attach);

#endif
