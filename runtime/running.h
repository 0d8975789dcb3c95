/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session with programs that run already, which go on when it is over. */
#ifndef PF_RUNTIME_RUNNING_H
#define PF_RUNTIME_RUNNING_H

#include "runtime/bell.h"
#include "runtime/selection.h"
#include "runtime/session.h"

struct pf_running {
	struct pf_selection selection;
	uint32_t duration_ms; /* 0: until BELL rings or the programs end */
	struct pf_bell *bell;
	/* soft: somebody wants what there is so far, which lies in FOLDER (pf_session_collect); NULL: nobody can. */
	void (*snapshot)(void *context, const char *folder);
	void *context;
	struct pf_target target; /* the first process that the software recorder can be put into, else the first: by
				    pf_running_find */
};

/* Looks whether there are such processes, and fills in running->target, which pf_session_choose wants.  Errors of
 * pf_selection_find. */
int pf_running_find(struct pf_running *running, struct pf_error *error);

/* Records them and writes the recording, as pf_session_run does.  Whatever comes of it, nothing of the recorder is left
 * in them, but for what result->stuck counts. */
int pf_running_record(const struct pf_running *running, const struct pf_session_options *options,
		      const struct pf_session_choice *choice, struct pf_session_result *result, struct pf_error *error);

#endif
