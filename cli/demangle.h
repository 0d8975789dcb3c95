/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names as people write them. */
#ifndef PF_CLI_DEMANGLE_H
#define PF_CLI_DEMANGLE_H

#include <stdbool.h>

/* The C++ name behind the linkage name NAME, or NAME itself, with '?' for what a terminal would obey; the caller's, to
 * free.  NULL when out of memory. */
char *pf_demangle(const char *name);

/* The same for a list: of a name that would be longer than a line, the long arguments of templates are "<...>". */
char *pf_demangle_brief(const char *name);

/* Whether a user who writes WANTED means the function of linkage name NAME: by that, by its C++ name, whole or as a
 * list has it, by that without its parameters, or by the end of that behind a `::`. */
bool pf_demangle_matches(const char *name, const char *wanted);

#endif
