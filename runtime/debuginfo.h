/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a program brings what `pathfdo convert` will need of it, told before it is recorded and not after. */
#ifndef PF_RUNTIME_DEBUGINFO_H
#define PF_RUNTIME_DEBUGINFO_H

#include <stdbool.h>

/* True when PATH is a 64-bit ELF file without debug information: neither in it, nor in a file that it names or that
 * lies under /usr/lib/debug by its build-id.  False when it has some, and when that cannot be told (no ELF file, not
 * readable, damaged). */
bool pf_debuginfo_is_missing(const char *path);

#endif
