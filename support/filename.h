/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of files as compilers spell them, without a look at the file system: the files need not be here. */
#ifndef PF_SUPPORT_FILENAME_H
#define PF_SUPPORT_FILENAME_H

#include <stddef.h>

/* Takes ".", "FOLDER/.." and needless slashes out of NAME, in place.  What leads out of where a relative NAME begins
 * stays: "../a.c". */
void pf_filename_fold(char *name);

/* NAME as seen from FOLDER (which may be NULL or empty), folded; the caller's to free, NULL when out of memory. */
char *pf_filename_join(const char *folder, const char *name);

/* The part of NAME behind the last slash. */
const char *pf_filename_base(const char *name);

/* The length of NAME without the " (deleted)" that the kernel appends where the file is gone. */
size_t pf_filename_length(const char *name);

#endif
