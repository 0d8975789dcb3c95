/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file of the wrong kind is, for the error that refuses it.  Whoever gives a command's files in the wrong order,
 * or forgets a step of the road, then reads which of them is where it should not be.  The hard case is a file that
 * nothing is known of: nothing is claimed of it. */
#ifndef PF_SUPPORT_FILEKIND_H
#define PF_SUPPORT_FILEKIND_H

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the regular file PATH begins with the SIZE (at most 16) bytes at MAGIC; false if it cannot be read. */
bool pf_filekind_begins(const char *path, const void *magic, size_t size);

/* Refuses the file PATH, which begins with the SIZE bytes at BYTES, since it is not WANTED ("a profile"): "PATH: is a
 * program or library, not a profile; CURE".  Always an error: PF_ETRUNCATED for an empty file, else PF_EFORMAT. */
int pf_filekind_refuse(const char *path, const void *bytes, size_t size, const char *wanted, const char *cure,
		       struct pf_error *error);

#endif
