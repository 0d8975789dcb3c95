/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file as a whole, for what is read more than once or cannot be read as it comes. */
#ifndef PF_SUPPORT_WHOLEFILE_H
#define PF_SUPPORT_WHOLEFILE_H

#include "support/buffer.h"
#include "support/error.h"

/* Appends all of the file PATH to BYTES, which is the caller's in any case.  A pipe is read to its end.  PF_EIO,
 * PF_ENOMEM. */
int pf_wholefile_read(const char *path, struct pf_buffer *bytes, struct pf_error *error);

#endif
