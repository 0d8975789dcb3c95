/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What still runs of a recording when the program that was started has ended: daemons, servers' workers, jobs in the
 * background. */
#ifndef PF_RUNTIME_LIVING_H
#define PF_RUNTIME_LIVING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Counts the processes that have a file in the folder PATH mapped, as each process of a recording has the session's, as
 * far as we may look at them.  *FIRST is one of them. */
size_t pf_living_count(const char *path, pid_t *first);

/* Is there a process that is told by its environment to map that file?  It may be about to, as each one is for a moment
 * when it has executed another program; or it never will, as a static program. */
bool pf_living_may_come(const char *path);

#endif
