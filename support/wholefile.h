/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file as a whole, for what is read more than once or cannot be read as it comes. */
#ifndef PF_SUPPORT_WHOLEFILE_H
#define PF_SUPPORT_WHOLEFILE_H

#include "support/buffer.h"
#include "support/error.h"

/* Appends all of the file PATH, which is opened as infile.h says, to BYTES, which is the caller's in any case.  A pipe
 * is read to its end.  PF_EIO, PF_EUNSUPPORTED, PF_ELIMIT (no regular file, and beyond 1 GiB), PF_ENOMEM. */
int pf_wholefile_read(const char *path, struct pf_buffer *bytes, struct pf_error *error);

/* The same for a file of any kind of at most MOST bytes.  PF_ELIMIT comes without a sentence, as the caller knows what
 * such a file should be. */
int pf_wholefile_read_within(const char *path, size_t most, struct pf_buffer *bytes, struct pf_error *error);

#endif
