/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What still runs of a recording when the program that was started has ended: daemons, servers' workers, jobs in the
 * background. */
#ifndef PF_RUNTIME_LIVING_H
#define PF_RUNTIME_LIVING_H

#include <stddef.h>
#include <sys/types.h>

/* Counts the processes that have the file PATH mapped, as each process of a recording has the session's file, as far as
 * we may look at them.  *FIRST is one of them. */
size_t pf_living_count(const char *path, pid_t *first);

#endif
