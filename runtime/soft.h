/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outside of the software recorder: where its library is, the private folder that it writes to, and the environment
 * that makes a program load it. */
#ifndef PF_RUNTIME_SOFT_H
#define PF_RUNTIME_SOFT_H

#include "runtime/trigger.h"
#include "support/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define PF_SOFT_AGENT "libpathfdo-recorder.so"

struct pf_soft_options {
	uint32_t frequency;        /* bursts a second of thread CPU time */
	uint32_t branches;         /* a burst */
	uint32_t budget_ppm;       /* of CPU time */
	uint64_t limit;            /* bytes of vectors a process; of more a fair sample is kept */
	struct pf_trigger trigger; /* zeroed: the CPU timer */
	bool whole;                /* every branch, through the stream */
	bool memory;               /* loads and stores, too, through the stream */
	bool fixed;                /* the timer's waits are all the same */
	bool values;               /* what is loaded, stored and handed to functions is sighted, too */
};

struct pf_soft {
	char agent[PATH_MAX];
	char preload[PATH_MAX];    /* what LD_PRELOAD names: the agent or a link to it */
	char folder[PATH_MAX];     /* "" when there is none */
	char inner[PATH_MAX];      /* in it: what PATHFDO_DIR names, with a name that nobody can guess */
	char note[PATH_MAX + 256]; /* what the user should know of it, a sentence; "" when there is nothing */
	int lock;                  /* holds the folder, see leftover.h; -1 when there is none */
	int file;                  /* the session's file, see keeper.h; -1 when there is none */
	char **environment;        /* for the program; NULL when there is none */
};

/* Puts the path of the agent library into AGENT: $PATHFDO_RECORDER, else where pf_installed_find finds it. PF_ENOTFOUND
 * names the places. */
int pf_soft_find_agent(char agent[PATH_MAX], struct pf_error *error);

/* Makes the private folder (under $TMPDIR, else /dev/shm if there is plenty of room, else /tmp), the session's file in
 * it, and the environment.  For root it is a folder that all users can reach but not list, so that what the program
 * starts under other users is recorded too.  AGENT is the library; NULL where nothing is to load it, and there
 * is no environment then.  PF_EIO (the folder cannot be made, or its file
 * system has no room for the vectors: both are named), PF_ENOMEM.  SOFT is the caller's, to pf_soft_fini, also on
 * failure. */
int pf_soft_init(struct pf_soft *soft, const char *agent, const struct pf_soft_options *options,
		 struct pf_error *error);

/* Tells what still runs that the recording has ended. */
void pf_soft_end(struct pf_soft *soft);

/* Has the disk of the folder no room any more?  Then what the programs would have written last may be missing, which
 * they themselves cannot always tell: that, too, would take room. */
bool pf_soft_is_full(const struct pf_soft *soft);

/* CPU time, in nanoseconds, that the dynamic loader takes to load the library into a process: measured by some runs of
 * a tiny program; 0 if that cannot be told. */
uint64_t pf_soft_load_cost(const struct pf_soft *soft);

/* Has pf_soft_fini leave the folder, by a name that no later recorder removes; that goes to FOLDER. */
void pf_soft_keep(struct pf_soft *soft, char folder[PATH_MAX]);

/* Removes the folder with all that is in it. */
void pf_soft_fini(struct pf_soft *soft);

#endif
