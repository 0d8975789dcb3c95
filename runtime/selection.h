/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which running processes are to be recorded: named by their numbers, by their programs, or by a control group; and
 * whether the software recorder can be put into one. */
#ifndef PF_RUNTIME_SELECTION_H
#define PF_RUNTIME_SELECTION_H

#include "support/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One of the three; the others are NULL.  The strings are the caller's. */
struct pf_selection {
	const char *pids;   /* "123" or "123,456" */
	const char *names;  /* "nginx" or "nginx,php-fpm": names of programs */
	const char *cgroup; /* of /sys/fs/cgroup, or a path there; those within it count */
};

/* What of it runs now, in *LIST in ascending order: malloc's.  PF_ENOTFOUND: nothing does; PF_EINVAL: not a list of
 * numbers, or no such group; PF_ENOMEM. */
int pf_selection_find(const struct pf_selection *selection, pid_t **list, size_t *count, struct pf_error *error);

/* How many of the numbers that SELECTION gives are no process's; *FIRST is one of them. */
size_t pf_selection_missing(const struct pf_selection *selection, pid_t *first);

/* Can the software recorder be put into process PID, or, where it is in it as in its parent (HEIR), be used there?
 * PF_EUNSUPPORTED: no, and why, and the cure; PF_ENOTFOUND: it is gone.
 */
int pf_selection_fits(pid_t pid, bool heir, struct pf_error *error);

/* The path of the program that PID runs; "" if that cannot be told. */
void pf_selection_program(pid_t pid, char path[PATH_MAX]);

#endif
