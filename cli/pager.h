/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long output on a terminal goes through a pager, as git's does. */
#ifndef PF_CLI_PAGER_H
#define PF_CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

/* Sends standard output through $PATHFDO_PAGER, else $PAGER, else less (which leaves what fits on one screen as it is),
 * if it is a terminal and that is not FORBIDDEN.  0 if there is no pager. */
pid_t pf_pager_start(bool forbidden);

/* Ends the output and waits for the pager that pf_pager_start has given. */
void pf_pager_wait(pid_t pager);

#endif
