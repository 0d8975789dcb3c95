/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command that runs beside the recording of programs that run already, and whose end is the recording's: a client
 * that gives a server something to do, or `sleep 10`, as people give perf. */
#ifndef PF_RUNTIME_COMPANION_H
#define PF_RUNTIME_COMPANION_H

#include "support/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct pf_companion {
	pid_t pid; /* 0: there is none */
	int fd;    /* of the process; readable when it has ended */
};

/* Starts ARGV, looked for as execvp does, with the signal mask MASK.  PF_ENOTFOUND (there is no such program), PF_EIO
 * (it cannot be executed, or the kernel has no pidfd_open, as before 5.3). */
int pf_companion_start(struct pf_companion *companion, char *const argv[], const sigset_t *mask,
		       struct pf_error *error);

/* Ends it by SIGTERM if it still runs, and waits for it.  Its exit status, 128 + N if signal N ended it; 0 if it had to
 * be asked to end. */
int pf_companion_end(struct pf_companion *companion);

#endif
