/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of recordings. */
#ifndef PF_CLI_RECORDNAME_H
#define PF_CLI_RECORDNAME_H

#include "runtime/target.h"

#include <stdbool.h>

/* PATTERN (NULL: perf.data) with %p as this process's number, %t as the date and time of UTC (20261122-080500), %h as
 * the host's name, %e as the name of PROGRAM (NULL: none), %b as the first 12 digits of its build-id and %% as a per
 * cent sign; anything else stays.  *NAME is the caller's, to free; NULL on failure.  PF_ENOMEM. */
int pf_record_name(const char *pattern, const struct pf_target *program, char **name, struct pf_error *error);

/* The same for a copy of what there is so far: where the time is not in it, it is put behind it. */
int pf_record_snapshot_name(const char *pattern, const struct pf_target *program, char **name, struct pf_error *error);

/* Is the time in PATTERN, as %t and not as %%t? */
bool pf_record_name_has_time(const char *pattern);

#endif
