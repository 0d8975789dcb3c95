/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the program to record, held back until the recorder is ready, and stays with it until it ends: signals that
 * reach the recorder are passed on, but for those that the program has, as it was typed at its terminal or sent by
 * itself; the recorder survives them and keeps the recording. */
#ifndef PF_RUNTIME_LAUNCH_H
#define PF_RUNTIME_LAUNCH_H

#include "support/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct pf_launch {
	pid_t pid;       /* of the program; 0 when there is none */
	int go;          /* closed to let it run; -1 */
	int failed_exec; /* read end: errno of a failed exec; -1 */
	int signals;     /* signalfd: poll it; readable when pf_launch_attend has work */
	bool ended;      /* WAIT_STATUS is valid */
	int wait_status; /* as waitpid gives it */
	sigset_t mask;   /* of the caller, restored by pf_launch_fini */
	struct sigaction child_action;
};

/* From now on a pipe that nobody reads is no reason to end, up to the last word that is said: the recording is made all
 * the same.  The program begins with what was set before. */
void pf_launch_ignore_pipes(void);

/* Holds the signals that are passed on, all but those that stop a process or tell of its faults, for pf_launch_attend,
 * until pf_launch_fini, and ignores closed pipes.  PF_EIO; nothing is left to release then. */
int pf_launch_init(struct pf_launch *launch, struct pf_error *error);

/* Forks; the child waits, then executes PATH with ARGV and the environment ENVIRONMENT.  PF_EIO. */
int pf_launch_start(struct pf_launch *launch, const char *path, char *const argv[], char *const environment[],
		    struct pf_error *error);

/* Lets the program run.  PF_EIO: it could not be executed (it is gone then); the text says why. */
int pf_launch_release(struct pf_launch *launch, struct pf_error *error);

/* Passes pending signals on and notices the end of the program, without waiting. */
void pf_launch_attend(struct pf_launch *launch);

/* Waits until the program has ended, at most TIMEOUT_MS milliseconds (-1: for ever).  True when it has. */
bool pf_launch_wait(struct pf_launch *launch, int timeout_ms);

/* After the program's end: waits TIMEOUT_MS milliseconds, or until a signal asks the recorder to end.  True if one did.
 */
bool pf_launch_linger(struct pf_launch *launch, int timeout_ms);

/* Ends a program that still runs, and gives the caller its signals back. */
void pf_launch_fini(struct pf_launch *launch);

#endif
