/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names as people write them. */
#ifndef PF_CLI_DEMANGLE_H
#define PF_CLI_DEMANGLE_H

#include <stdbool.h>

/* The C++ name behind the linkage name NAME, or NAME itself; the caller's, to free.  NULL when out of memory. */
char *pf_demangle(const char *name);

/* Whether a user who writes WANTED means the function of linkage name NAME: by that, by its C++ name, by that without
 * its parameters, or by the end of that behind a `::`. */
bool pf_demangle_matches(const char *name, const char *wanted);

#endif
