/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an output file goes, and whether it could. */
#ifndef PF_SUPPORT_OUTPLACE_H
#define PF_SUPPORT_OUTPLACE_H

#include "support/error.h"

/* The file that PATH leads to, where it is a link to one, there or not; else PATH itself.  The caller's to free, NULL
 * when out of memory.  A rename to PATH would put the file in the link's place, and leave what the link is for as it
 * was. */
char *pf_outplace_follow(const char *path);

/* Could a file that is in the folder of NAME already get that name, whatever is there?  PF_EIO: no, and why.  Nothing
 * is changed. */
int pf_outplace_check(const char *name, struct pf_error *error);

#endif
