/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams as inputs of commands that read a file more than once, or not from its beginning to its end. */
#ifndef PF_CLI_SPOOL_H
#define PF_CLI_SPOOL_H

#include <stddef.h>

/* Where files go that nobody is to keep: $TMPDIR, or /tmp. */
const char *pf_spool_folder(void);

/* Puts a file without a name, in $TMPDIR or /tmp, in the place of each stream among the COUNT FILES: "-", which becomes
 * "/dev/stdin", and what is a pipe by the name of a descriptor (/dev/fd/63).  0; PF_EXIT_FAILURE, or PF_EXIT_USAGE if
 * "-" is named twice, with a message of COMMAND. */
int pf_spool(const char *command, const char **files, size_t count);

#endif
