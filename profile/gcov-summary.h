/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of version 3 of GCC's AutoFDO file (doc/afdo-format). */
#ifndef PF_PROFILE_GCOV_SUMMARY_H
#define PF_PROFILE_GCOV_SUMMARY_H

#include "profile/gcov-tree.h"
#include "support/buffer.h"

/* Appends it.  PF_ENOMEM. */
int pf_gcov_summary_put(struct pf_buffer *out, const struct pf_gcov_tree *tree, struct pf_error *error);

#endif
