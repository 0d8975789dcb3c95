/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rings while the recorder watches over programs that are not its own: signals that end the recording, or ask for
 * what there is so far, and the end of what runs beside it. */
#ifndef PF_RUNTIME_BELL_H
#define PF_RUNTIME_BELL_H

#include "support/error.h"

#include <signal.h>
#include <stdbool.h>

struct pf_bell {
	int fd;
	int beside;    /* a process's: it ends the recording, too, when it ends; the user's, -1 for none */
	sigset_t mask; /* of the caller */
	bool stop;     /* SIGINT, SIGTERM, SIGHUP or SIGQUIT has come, or that end */
	bool snapshot; /* SIGUSR1 has; the user's to clear */
};

/* Is SIGHUP ignored here, as nohup leaves it?  The end of a terminal asks nobody to end then; but a signal that is held
 * is heard although it is ignored. */
bool pf_bell_ignores_hangup(void);

/* Holds those signals until pf_bell_fini.  PF_EIO; nothing is left to release then. */
int pf_bell_init(struct pf_bell *bell, struct pf_error *error);
/* Waits until one comes, at most TIMEOUT_MS. */
void pf_bell_wait(struct pf_bell *bell, int timeout_ms);
void pf_bell_fini(struct pf_bell *bell);

#endif
