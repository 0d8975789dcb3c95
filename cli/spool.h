/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams as inputs of commands that read a file more than once, or not from its beginning to its end. */
#ifndef PF_CLI_SPOOL_H
#define PF_CLI_SPOOL_H

#include "support/error.h"

#include <stddef.h>

/* Makes a file in $TMPDIR or /tmp of which nothing is left, however this process ends.  NAME is what it can be opened
 * by until the descriptor that is returned is closed.  PF_EIO. */
int pf_spool_file(char name[32], struct pf_error *error);

/* Puts a file without a name, in $TMPDIR or /tmp, in the place of each stream among the COUNT FILES: "-", which becomes
 * "/dev/stdin", and what is a pipe by the name of a descriptor (/dev/fd/63).  0; PF_EXIT_FAILURE, or PF_EXIT_USAGE if
 * "-" is named twice, with a message of COMMAND. */
int pf_spool(const char *command, const char **files, size_t count);

#endif
