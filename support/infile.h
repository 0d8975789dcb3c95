/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the files that users name for reading.  "-" stands for standard input.  What has no end, or would never begin,
 * is refused: devices (terminals and /dev/null are well), directories, sockets by name, named pipes that nobody
 * writes to. */
#ifndef PF_SUPPORT_INFILE_H
#define PF_SUPPORT_INFILE_H

#include "support/error.h"

#include <stdio.h>

/* PATH as messages name it: "standard input" for "-". */
const char *pf_infile_name(const char *path);

/* A descriptor of PATH, the caller's to close in any case, also of standard input.  PF_EIO, PF_EUNSUPPORTED. */
int pf_infile_open(const char *path, struct pf_error *error);

/* The same as a stream.  PF_ENOMEM, too. */
int pf_infile_stream(const char *path, FILE **stream, struct pf_error *error);

/* PF_OK if PATH, which OPTION ("--source") gave, is NULL or a folder; else PF_ENOTFOUND. */
int pf_infile_check_folder(const char *option, const char *path, struct pf_error *error);

#endif
